/*
 * What is known about this host: the facts file that `winord facts --write` leaves once per boot, checked against the running
 * system. Format: design, and winord.conf(5). Unknown is never proof.
 */
#ifndef WINORD_FACTS_H
#define WINORD_FACTS_H

#include "policy.h"

enum facts_status {
  FACTS_NONE, /* no file was named and /run/winord/facts.ini does not exist */
  FACTS_MISSING, /* a file was named and cannot be read */
  FACTS_DAMAGED, /* not a facts file, or a broken one */
  FACTS_STALE, /* of another boot, or without boot id: its modes count as unknown */
  FACTS_CURRENT /* of this boot */
};

enum wr_ordering { WR_ORDERING_UNKNOWN, WR_ORDERING_PER_MKEY, WR_ORDERING_FORCE_RELAX };

struct nic {
  char *address; /* PCI address, "0000:81:00.0" */
  char *device; /* "mlx5_0"; NULL when the file does not say */
  char *driver; /* "mlx5_core"; NULL when the file does not say */
  char *node_guid; /* "9c63:c003:0012:3456"; NULL likewise */
  char *firmware; /* "28.43.2026"; NULL likewise */
  int mode_default, mode_current, mode_next; /* 0..4 or MODE_UNKNOWN */
  char *source; /* pci-atomic-source; NULL likewise */
  enum wr_ordering wr_ordering;
  bool pci_atomics; /* verbs shows PCIe atomics: whatever the modes say, they are not 0 */
  char *type; /* nic-type, "ConnectX7"; NULL likewise */
};

struct facts {
  enum facts_status status;
  char *path; /* NULL with FACTS_NONE */
  char *trouble; /* FACTS_MISSING, FACTS_DAMAGED, FACTS_STALE: what, with file:line where there is one; else NULL */
  bool trusted; /* owned by root and writable by nobody else */
  char *hostname; /* the file's word; to be believed only with FACTS_CURRENT */
  char *boot_id;
  char *hypervisor; /* "none", "kvm", ...; NULL when the file does not say, as the next three */
  char *kernel; /* release */
  char *gpu; /* comma list of the GPUs' models */
  char *path_class; /* comma list of path classes from the GPUs to their nearest NIC */
  struct nic *nics;
  size_t nic_count;
};

enum { NIC_TYPES_MAX = 128 };

/* The facts that rules match on. NULL or empty: not known. Borrowed from the facts. */
struct host_words {
  const char *hypervisor, *gpu, *path;
  char nic_types[NIC_TYPES_MAX]; /* comma list of the types of the NICs this process may use, each once */
};

/*
 * What the facts, held against sysfs and the process's own restrictions, amount to. Plain data, no ownership; not for
 * longer than the facts.
 */
struct host_modes {
  int mode; /* the worst of the NICs this process may use: non-zero beats unknown beats zero; no NIC: unknown */
  const char *source; /* pci-atomic-source of the NIC that gave it; NULL: none */
  const char *unproved; /* why the modes are no proof of mode 0 (a `why` word of decide.h), or NULL: they are */
  bool contradicts; /* some NIC is known not to be in mode 0 */
  bool force_relax; /* some NIC's PCI_WR_ORDERING makes every registration relaxed */
  struct host_words words; /* all unknown unless the facts are of this boot */
};

/*
 * Reads a facts file.
 *   path   the file WINORD_FACTS names, or NULL: /run/winord/facts.ini
 *   root   "" or the folder that stands for / (tests, `winord facts --root`)
 * Never fails but for lack of memory (NULL); what is wrong is in status and trouble. Freed by facts_free.
 */
struct facts *facts_read(const char *path, const char *root);
void facts_free(struct facts *facts);

/*
 * The modes that count for one process.
 *   ib_hca            the value of NCCL_IB_HCA, or NULL: all NICs
 *   external_plugin   NCCL_NET_PLUGIN, NCCL_GIN_PLUGIN or NCCL_RMA_PLUGIN brings a transport that is not NCCL's own
 *   root              as for facts_read; sysfs is read below it
 */
struct host_modes facts_modes(const struct facts *facts, const char *ib_hca, bool external_plugin, const char *root);

/*
 * NCCL_IB_HCA, by NCCL's own syntax: comma list of name[:port]; a leading `^` excludes, a `=` after it (or leading) compares
 * whole names, otherwise prefixes; 32 entries count. NULL or "" allows all. An entry with a port keeps the device usable: ports
 * are not known here. Source: NCCL env.rst; src/misc/utils.cc: parseStringList, matchIfList.
 */
bool ib_hca_allows(const char *ib_hca, const char *device);

#endif
