/*
 * `winord check --hosts`: what each host of a fleet would get from a policy.
 */
#ifndef WINORD_CHECK_HOSTS_H
#define WINORD_CHECK_HOSTS_H

#include "policy/decide.h"

#include <stdbool.h>
#include <stddef.h>

/* One host of the list, with what its line says of it. */
struct fleet_host {
  char *name;
  int line;
  const char *pool; /* NULL: by the policy's hosts; this and the next are owned by the list */
  const char *hypervisor, *gpu, *nic_type, *path; /* NULL: not known */
  int mode; /* 0 to 4 as if its facts proved it; MODE_UNKNOWN where mode_given: they do not; else nothing is known */
  bool mode_given;
};

struct fleet {
  struct fleet_host *hosts;
  size_t count;
  char **texts; /* what the columns point into */
  size_t text_count;
};

enum { FLEET_MAX = 1000000 }; /* names of hosts in a list */

/*
 * Reads a list of hosts: lines of NAMES [KEY=VALUE]..., where NAMES is a comma list of names with ranges as Slurm writes them
 * (h200-[01-04,7], several brackets in a name allowed), and KEY is pool, pci-atomic-mode, hypervisor, gpu, nic-type or path.
 * `#` begins a comment. A host's second line is a warning, and not counted.
 *   path   "-": standard input
 * Every problem on stderr as "FILE:LINE: error: TEXT", at most 100 of them. False: there were errors, or no host. Freed by
 * fleet_free in either case.
 */
bool fleet_read(const char *path, struct fleet *fleet);
void fleet_free(struct fleet *fleet);

/*
 * Names with their numbers as ranges, sorted: "h200-[01-04,07],login". The number is the last one before the first dot. Fresh
 * memory.
 *   names   reordered by the call
 */
char *fold_names(const char **names, size_t count);

/* Hosts that get the same. */
struct outcome {
  const char *pool; /* NULL: none */
  const struct pool *section;
  const char *pool_source; /* "hosts", "given" */
  const char *pool_mismatch; /* the pool that was given although its hosts do not hold these hosts, or NULL */
  struct decision decisions[2]; /* for a window asked strict, for one asked default */
  const struct rule **depends; /* rules before the deciding ones that fit the host and wait for a program, in order */
  size_t depend_count;
  bool no_rule; /* no rule of the policy fits these hosts, whatever the program */
  const char **names; /* borrowed from the fleet */
  size_t count;
};

struct outcomes {
  const struct policy *policy;
  struct outcome *items; /* in the order of their first hosts */
  size_t count, hosts;
};

/* The keys of a rule that only a program can answer, as a comma list: "caller, gin-connection". Fresh memory. */
char *program_keys(const struct rule *rule);

/* The whole command, after the policy was read without errors: STATUS_OK, or STATUS_FAILED where the list has errors. */
int check_hosts(const struct policy *policy, const char *path, bool json);

/* On stdout. The lists of names are reordered. */
void outcomes_text(struct outcomes *outcomes);
void outcomes_json(struct outcomes *outcomes);

#endif
