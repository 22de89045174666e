/*
 * Facts from saved outputs: what somebody pastes into a ticket. The kinds are recognised: mlxconfig and mstconfig
 * (text, JSON, set dialogs, errors), mst status, lspci -vvv, ibv_devinfo -v, nvidia-smi topo -m, an NCCL log,
 * ucx_info -d, systemd-detect-virt and DMI; one capture may hold several. Only the Current and Next Boot columns
 * prove mode 0. Layouts by version: mstflint, mlxconfig/mlxcfg_ui.cpp.
 */
#ifndef WINORD_FACTS_FROM_H
#define WINORD_FACTS_FROM_H

#include "host.h"

/* nic_facts.address where rows came without the line that names their device. */
#define NO_DEVICE_LINE "unknown: no Device line"

/* A line of mst status. Owned by the notes, as all below. */
struct mst_entry {
  char *path; /* "/dev/mst/mt4129_pciconf0" */
  char *address; /* "0000:05:00.0"; NULL: the capture gives two, so none */
  char *rdma; /* "mlx5_0"; NULL: not shown */
};

struct nccl_address {
  char *device, *address;
};

/* What an NCCL log says; all NULL or 0: nothing. */
struct nccl_log {
  char *version; /* "2.21.5+cuda12.4" */
  char *network; /* "IB", "IBext" */
  char **devices; /* the HCAs in use, in NCCL's order */
  size_t device_count;
  bool relaxed; /* [RO] stands behind the devices */
  struct nccl_address *addresses; /* from pciPath */
  size_t address_count;
  char **hca; /* the entries of NCCL_IB_HCA */
  size_t hca_count;
};

/* What a capture says that is no fact of a NIC. */
struct from_notes {
  struct mst_entry *mst;
  size_t mst_count;
  struct nccl_log nccl;
  bool unreadable; /* the tool could not read a device that the capture does not name, or read elsewhere */
  char *virt; /* "vm (kvm: Nutanix AHV), detect-virt microsoft"; NULL: the capture does not tell */
  char *note; /* why there is no NIC in it; or NULL */
};

/*
 * Reads a capture.
 *   text, size   any bytes; nothing in them is believed that is not understood in full
 *   host         new, from host_facts_new; filled
 *   notes        filled; freed by from_notes_free, whatever the result
 * Pure: no I/O, no globals. False: no memory.
 */
bool facts_from(const char *text, size_t size, struct host_facts *host, struct from_notes *notes);
void from_notes_free(struct from_notes *notes);

#endif
