/*
 * This process: its environment, policy, facts and host, read once at the first window call, and its counters, which a forked
 * child starts anew.
 */
#ifndef WINORD_PROCESS_H
#define WINORD_PROCESS_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "policy/decide.h"

/* Counted since the process's own start. */
struct counters {
  atomic_ulong sequence, lost, registrations, rewritten, refused, passed, dry_run, no_nccl, uncovered;
};

/* Kinds of line that stderr sees at most once each. */
enum notice {
  NOTICE_REWRITTEN,
  NOTICE_REFUSED,
  NOTICE_POLICY_ERROR,
  NOTICE_UNCOVERED,
  NOTICE_NO_NCCL,
  NOTICE_UNOBSERVED,
  NOTICE_LOST,
  NOTICES
};

struct process {
  bool disabled; /* WINORD_DISABLE=1 */
  bool dry_run; /* WINORD_DRY_RUN=1 */
  bool strict_on_error; /* WINORD_ON_ERROR=strict */
  bool on_error_odd; /* WINORD_ON_ERROR is neither keep nor strict: keep */
  const char *log; /* WINORD_LOG made absolute, %q{} filled in; NULL: not set */
  bool observing; /* NCCL_IBVERBS_LIB names libwinord-verbs.so, and there is a journal for what it sees */
  const char *run, *job, *step;
  const char *pool, *partition; /* as named in the environment */
  const char *exe; /* path of the program; NULL: not known */
  char node[HOST_NAME_MAX + 1]; /* the host's name */
  char label[HOST_NAME_MAX + 1]; /* up to the first dot */
  const struct policy *policy; /* NULL: none */
  bool asserts; /* some rule says va-signals = none: overlaps with strict windows matter */
  const struct facts *facts;
  struct host host;
  struct counters count;
  atomic_bool noticed[NOTICES];
};

/* Enters the process, reading all of the above the first time, and writing the `start` record once per process. */
struct process *process_enter(void);

/* The host as of now: an attestation may have lapsed since the process entered. */
struct host process_host(void);

/* The process when it has been entered in this very process (not a parent), else NULL. */
struct process *process_entered(void);

/* Whether a variable is set and not empty; ignored (as all of ours) when the program runs with raised privileges. */
const char *process_variable(const char *name);

#endif
