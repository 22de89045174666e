/*
 * The readers of facts_from, one for each kind of output. Each finds its own lines in the capture and leaves the rest
 * alone. All return false for lack of memory only. Internal.
 */
#ifndef WINORD_FACTS_READ_H
#define WINORD_FACTS_READ_H

#include "capture.h"
#include "from.h"

enum { NAME_SIZE = 128, MOST_NICS = 256 };

/* First, in this order: what gives devices their addresses. */
bool read_mst(const struct capture *capture, struct from_notes *notes);
bool read_nccl(const struct capture *capture, struct from_notes *notes);

/* Then the sources of modes, the best first: the first reason stays. */
bool read_mlxconfig(const struct capture *capture, struct from_notes *notes, struct host_facts *host);
bool read_verbs(const struct capture *capture, const struct from_notes *notes, struct host_facts *host);
bool read_lspci(const struct capture *capture, struct from_notes *notes, struct host_facts *host);
bool read_ucx(const struct capture *capture, const struct from_notes *notes, struct host_facts *host);

bool read_topology(const struct capture *capture, struct host_facts *host);
bool read_virt(const struct capture *capture, struct from_notes *notes);

/*
 * The NIC a tool calls so: by its PCI address where the capture tells it (mst status, NCCL's pciPath), with the
 * tool's name as `via` (mst) or as its device. *nic is NULL when there are too many.
 */
bool find_nic(struct host_facts *host, const struct from_notes *notes, const char *name, struct nic_facts **nic);

/* The three columns of a parameter are unknown for this reason, where nothing better is known. */
bool mode_unknown(struct nic_facts *nic, const char *reason, const char *source);
bool wr_unknown(struct nic_facts *nic, const char *reason, const char *source);

/* PCIe atomics are in use now: refutes mode 0, contradicts a source that said 0. The other columns stay unknown. */
bool mode_refuted(struct nic_facts *nic, const char *source);

#endif
