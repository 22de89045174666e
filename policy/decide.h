/*
 * The decision: request + host + policy -> flags and why. Pure: no I/O, no globals, no allocation; any thread.
 */
#ifndef WINORD_DECIDE_H
#define WINORD_DECIDE_H

#include "facts.h"
#include "policy.h"

/* What is known of this host and process; the same for every request of a process. Strings are borrowed. */
struct host {
  const char *name; /* node name */
  const char *pool; /* name of the pool, or NULL */
  const char *pool_source; /* "WINORD_POOL", "SLURM_JOB_PARTITION", "hosts"; NULL with no pool */
  const struct pool *section; /* the pool's section in the policy, or NULL */
  bool pool_mismatch; /* a pool was named whose hosts do not hold this host */
  struct host_modes modes; /* from the facts */
  int today; /* yyyymmdd, UTC */
  bool gin_proxy; /* NCCL_GIN_TYPE asks for the proxy backend */
  const char *exe; /* file name of the program, no folders; NULL: not known */
  const struct rule *const
      *rules; /* those that can match here, in order (host_select_rules); NULL: all are looked at */
  size_t rule_count;
};

/* One call of ncclCommWindowRegister. Strings are borrowed. */
struct request {
  int flags; /* winFlags as asked */
  uint64_t size; /* bytes */
  int nccl; /* version code of the copy called (22907), 0: not known */
  enum gin_connection gin_connection; /* seen so far on the communicator */
  const char *caller; /* path of the object that called; NULL: not known */
  bool overlaps_strict; /* its pages overlap a window this process keeps strict */
};

/* The guard's rows, in order of preference; GUARD_NONE: not needed, or (when refused) no row holds. */
enum guard { GUARD_NONE, GUARD_ASSERTED, GUARD_PROVED, GUARD_ATTESTED, GUARD_ACCEPTED };

enum verdict { VERDICT_PASSED, VERDICT_REWRITTEN, VERDICT_REFUSED };

/* Doubts that a record carries; bits. */
enum warning {
  WARN_POOL_MISMATCH = 1, /* a pool was named whose hosts do not hold this host */
  WARN_STRICT_NO_EFFECT = 2, /* NCCL before 2.29.7 ignores the bit */
  WARN_FORCE_RELAX = 4, /* PCI_WR_ORDERING=force_relax: the NIC ignores strict */
  WARN_PROXY_MR_CACHE = 8 /* GIN proxy backend: NCCL's cache of registrations may hand out an earlier, relaxed one */
};

struct decision {
  enum verdict verdict;
  enum ordering ordering; /* the policy's word */
  int flags; /* what NCCL shall be asked */
  const char *why; /* static word; the list stands in libwinord(7) */
  const struct rule *rule; /* the rule that decided, or NULL */
  const char *file; /* where the rule's header, or `default =`, stands; NULL: neither decided */
  int line;
  enum guard guard; /* the row by which a relaxed window was allowed */
  int mode; /* the host's mode as matched: from the facts, else attested; MODE_UNKNOWN */
  const char *mode_source; /* pci-atomic-source of the facts, "attested", or NULL */
  bool exposed; /* `exposure: possible`: the window stays relaxed and the mode is not 0 */
  unsigned warnings; /* enum warning */
};

/* Why a row of the guard does not hold: the `why` word, or NULL: it holds. For `winord explain`, which shows all four. */
const char *guard_fails(enum guard row, const struct rule *rule, const struct request *request,
                        const struct host *host);

/* The key on which the rule fails to match ("pool", "pci-atomic-mode", ...), or NULL: it matches. Static string. */
const char *rule_mismatch(const struct rule *rule, const struct request *request, const struct host *host);

/*
 * Fills host->pool, pool_source, section and pool_mismatch.
 *   winord_pool, slurm_partition   values of WINORD_POOL and SLURM_JOB_PARTITION; NULL or "": not set
 *   policy                         may be NULL; a broken one describes no pool
 */
void host_find_pool(struct host *host, const struct policy *policy, const char *winord_pool,
                    const char *slurm_partition);

/*
 * Fills host->rules: the rules whose pool, host, exe and mode, which never change in a process, match here. decide then looks at
 * these alone. Everything else of host must be filled. Allocates and never frees; without memory host->rules stays NULL.
 */
void host_select_rules(struct host *host, const struct policy *policy);

/*
 * The host's mode as rules match it: the facts' where known (a zero only when proved), else the pool's attested one while it
 * holds. *source as decision.
 */
int host_mode(const struct host *host, const char **source);

/*
 * Decides one request.
 *   policy            NULL: there is none; with errors it decides nothing
 *   strict_on_error   WINORD_ON_ERROR=strict: with a broken policy every window is asked strict
 */
struct decision decide(const struct request *request, const struct host *host, const struct policy *policy,
                       bool strict_on_error);

const char *verdict_name(enum verdict verdict);
const char *guard_name(enum guard guard); /* NULL for GUARD_NONE */

/* The words of the set bits, comma-separated, into text; empty for none. Returns text. */
const char *warnings_text(unsigned warnings, char *text, size_t size);

#endif
