/*
 * What this host is: sysfs, PCI configuration space, firmware's own tool, verbs, hwloc. Each source has a file, fills
 * what it may see as this user, and gives a reason for the rest. Below another root, a recorded host is replayed: files
 * from there, and the tools' outputs from ROOT/outputs. Not thread-safe.
 */
#ifndef WINORD_COLLECT_H
#define WINORD_COLLECT_H

#include "facts/host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct gpu_facts {
  char *address; /* PCI address */
  struct fact model; /* "NVIDIA H200", or vendor:device */
};

struct collection {
  const char *root; /* "": this host; borrowed */
  struct host_facts *host;
  struct gpu_facts *gpus;
  size_t gpu_count;
  struct fact models; /* of all GPUs, comma list, each once */
  struct fact path; /* classes of the paths from each GPU to its nearest NIC, comma list, each once */
  bool failed; /* memory ran out: the facts are not complete */
};

/* Collects everything. The caller frees with collection_free. NULL: no memory. */
struct collection *collect(const char *root);
void collection_free(struct collection *all);

/* The facts file of the policy reader (winord.conf(5)): known values as keys, the rest as comments. */
void facts_write(const struct collection *all, FILE *file);

/* Everything as JSON, with sources and reasons. False: no memory, or the file cannot be written. */
bool facts_json(const struct collection *all, FILE *file);

/* Contradictions and alarms, one line each through say. */
void facts_complain(const struct collection *all, void (*say)(const char *format, ...));

/*
 * Replaces path by the text, whole or not at all: a new file beside it, mode 0644, synchronised, renamed over it. A
 * symbolic link at path is replaced, not followed. NULL: the usual /run/winord/facts.ini, its folder made where it is
 * missing; EPERM where others can write in that folder. Returns 0, or -1 with errno.
 */
int facts_replace(const char *path, const char *text, size_t size);

/* The sources, in the order in which collect asks them. */
void collect_kernel(struct collection *all);
void collect_nics(struct collection *all);
void collect_bonds(struct collection *all);
void collect_gpus(struct collection *all);
void collect_virt(struct collection *all);
void collect_pci(struct collection *all);
void collect_firmware(struct collection *all);
void collect_verbs(struct collection *all);
void collect_paths(struct collection *all);

/* fact_is and fact_unknown of facts/host.h, with lack of memory kept in all->failed. */
void know(struct collection *all, struct fact *fact, const char *value, const char *source);
void doubt(struct collection *all, struct fact *fact, const char *reason, const char *source);

/* Adds word to a comma list in fresh memory (NULL: none yet) unless it is there; frees list. NULL: no memory. */
char *list_add(char *list, const char *word);

/* Whether this is a PCI address with its domain, "0000:81:00.0". */
bool is_full_address(const char *text);

/* Whether the NIC's driver is mlx5_core. */
bool is_mlx5(const struct nic_facts *nic);

/* Whether verbs shows that PCIe atomics are in use: then the mode is not 0. */
bool shows_pci_atomics(const struct nic_facts *nic);

/* PCI_WR_ORDERING now and after the next reset: force_relax if either is, per_mkey if both are, else NULL. */
const char *wr_ordering(const struct nic_facts *nic);

/*
 * Files below the root, path as printf gives it. Fresh memory; NULL: not there, or not readable.
 *   root_text     content, at most 1 MiB, without the blanks at its end
 *   root_link     last part of a symbolic link's target
 *   root_real     the path with all links followed
 *   root_entries  names in a folder, in natural order (mlx5_2 before mlx5_10), ended by NULL; free with entries_free
 */
char *root_text(const struct collection *all, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *root_link(const struct collection *all, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *root_real(const struct collection *all, const char *format, ...) __attribute__((format(printf, 2, 3)));
char **root_entries(const struct collection *all, const char *format, ...) __attribute__((format(printf, 2, 3)));
void entries_free(char **entries);

/* Bytes of a device's configuration space that this user may read: 4096, 256, 64, or 0. */
enum { CONFIG_MAX = 4096 };
size_t root_config(const struct collection *all, const char *device, unsigned char config[CONFIG_MAX]);

/*
 * A tool's output, standard output and error together, at most 1 MiB: of this host by running it, of a recorded one
 * from ROOT/outputs/RECORD.txt.
 *   argv      argv[0] is looked for in PATH's absolute folders and the system's own
 *   seconds   after so long it is killed, with its children
 *   output    fresh memory; NULL when there is no such tool or record, or it was killed
 * Returns NULL, or why there is no output (static). The exit status does not count: mlxconfig's says nothing about its
 * table.
 */
const char *tool_output(const struct collection *all, char *const *argv, const char *record, int seconds,
                        char **output);

#endif
