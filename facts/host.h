/*
 * What was found out about a host: each value with where it came from, or unknown and why. Nothing is guessed.
 * Parsers of saved outputs and the collector of the running host fill the same tables; facts_write and facts_json
 * print them. All strings are owned by the host and freed with it. Not thread-safe.
 */
#ifndef WINORD_FACTS_HOST_H
#define WINORD_FACTS_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* value NULL: unknown, and then reason says why (never NULL once it was looked for); both NULL: not looked for. */
struct fact {
  char *value; /* as printed in the facts file: "0", "per_mkey", "28.43.2026" */
  char *reason; /* "no permission", "mstconfig is not installed", "plain q shows next boot only" */
  char *source; /* "mstconfig -e", "sysfs", "verbs (DEVX)", "mlxconfig text" */
};

enum nic_fact {
  NIC_DEVICE, /* device: RDMA device, "mlx5_0" */
  NIC_DRIVER, /* driver */
  NIC_TYPE, /* nic-type: "ConnectX7" */
  NIC_GUID, /* node-guid */
  NIC_FIRMWARE, /* firmware */
  NIC_FUNCTION, /* function: pf or vf */
  NIC_BOND, /* bond: the bond device this function is a member of */
  NIC_MODE_DEFAULT, /* pci-atomic-mode-default: 0..4 */
  NIC_MODE_CURRENT, /* also MODE_NOT_ZERO, where verbs refutes mode 0 and nothing gives the number */
  NIC_MODE_NEXT,
  NIC_WR_DEFAULT, /* pci-wr-ordering-default: per_mkey or force_relax */
  NIC_WR_CURRENT,
  NIC_WR_NEXT,
  NIC_ATOMIC_CAP, /* atomic-cap: ATOMIC_NONE, ATOMIC_HCA, ATOMIC_GLOB */
  NIC_PCI_ATOMICS, /* pci-atomic-caps: verbs' fetch_add/swap/compare_swap operand sizes, as hexadecimal numbers */
  NIC_DEVX, /* devx: answered or not */
  NIC_REQUESTER, /* atomic-requester: AtomicOpsCtl ReqEn, on or off */
  NIC_RELAXED, /* relaxed-ordering: DevCtl RlxdOrd, on or off */
  NIC_DATA_DIRECT, /* data-direct: yes or no */
  NIC_COMPLETER, /* atomic-completer: DevCap2 AtomicOpsCap, in lspci's words: "32bit+ 64bit+ 128bitCAS+" */
  NIC_VIA, /* via: the tool's name for the device, where its address was found through another output: "/dev/mst/..." */
  NIC_FACTS
};

struct nic_facts {
  char *address; /* PCI address with domain, or what the tool called the device; never NULL */
  struct fact facts[NIC_FACTS];
  char *alarm; /* "force_relax": strict is void; or NULL */
};

enum host_fact {
  HOST_NAME, /* hostname */
  HOST_BOOT_ID, /* boot-id */
  HOST_HYPERVISOR, /* hypervisor: none, kvm, microsoft, ... */
  HOST_KERNEL, /* kernel: release */
  HOST_CPU, /* cpu: vendor, family and model */
  HOST_IOMMU, /* iommu: off, translated, passthrough */
  HOST_ACS, /* acs: on or off on the path between GPU and NIC */
  HOST_FACTS
};

/* A mode that is known not to be 0, and no more. */
#define MODE_NOT_ZERO "not 0 (PCIe atomics in use)"

/* A GPU's path to a NIC in nvidia-smi's words: PIX PXB PHB NODE SYS. */
struct gpu_path {
  char *gpu, *nic; /* PCI addresses, or the tool's names */
  char *path, *source;
};

struct host_facts {
  struct fact facts[HOST_FACTS];
  struct nic_facts *nics;
  size_t nic_count;
  struct gpu_path *paths;
  size_t path_count;
};

/* The key of the facts file and of the JSON: "pci-atomic-mode-current". Static. */
const char *nic_fact_name(enum nic_fact fact);
const char *host_fact_name(enum host_fact fact);

/* A new host, all unknown; NULL: no memory. */
struct host_facts *host_facts_new(void);
void host_facts_free(struct host_facts *host);

/*
 * The NIC of this address, added when there is none yet; NULL: no memory. An address without domain is in domain 0.
 * Valid until the next call.
 */
struct nic_facts *host_nic(struct host_facts *host, const char *address);

/* Equal names, or the same PCI address written with and without domain 0. */
bool same_address(const char *a, const char *b);

/* Adds a GPU's path to a NIC; all four are copied. False: no memory. */
bool host_path(struct host_facts *host, const char *gpu, const char *nic, const char *path, const char *source);

/*
 * Sets a fact from a source; text is copied. A value beats unknown; a second, different value is a contradiction: the
 * fact is then unknown, for good, and its reason names both values and sources. The first reason stays: ask the best
 * source first. False: no memory.
 */
bool fact_is(struct fact *fact, const char *value, const char *source);
bool fact_unknown(struct fact *fact, const char *reason, const char *source);

/* Sources gave different values. */
bool fact_contradicts(const struct fact *fact);

#endif
