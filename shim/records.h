/* The records, an event each. The fields stand in libwinord(7). */
#ifndef WINORD_RECORDS_H
#define WINORD_RECORDS_H

#include <time.h>

#include "comms.h"
#include "copies.h"
#include "journal.h"
#include "process.h"

/* What happened in one call, as far as its record needs it. */
struct call {
  struct comm comm; /* as known after the call */
  struct target target;
  const char *caller; /* path of the object that called, or NULL */
  int result; /* what NCCL returned; meaningless without target.function */
  bool window_null; /* success, and the window is NULL */
  int64_t elapsed_ns; /* spent in NCCL */
};

/* What became of a window's ordering, in the journal's words. word NULL: not observed. */
struct effect {
  const char *word, *why;
  unsigned relaxed, strict; /* registrations that touch the window */
};

/* Says on stderr, once, that a call fails because of us. */
void notice_no_nccl(struct process *process, enum nccl_function function);

/* Says on stderr, once, that this NCCL does not open libwinord-verbs.so. */
void notice_nccl_unobserved(struct process *process, int version);

void record_start(struct process *process);
void record_exit(struct process *process);
/* The answer is the record's seq, 0 without a journal. */
uint64_t record_register(struct process *process, const struct call *call, const struct request *request,
                         const struct decision *decision, int flags_given, const struct effect *effect);
void record_deregister(struct process *process, const struct call *call, bool internal);
void record_devcomm(struct process *process, const struct call *call, const struct devcomm_requirements *requirements);

/* An effect that has changed since the register record, whose seq is `record`, or since the last of these. */
void record_effect(struct process *process, const struct comm *comm, uint64_t record, const struct effect *effect);

/*
 * A copy of NCCL that calls can reach past us.
 *   why   "namespace", "bound_past_us", "dlsym_past_us" or "thunks"
 *   by    path of the object whose calls pass us, or NULL
 */
void record_uncovered(struct process *process, const struct object *copy, const char *why, const char *by);

/* A calendar moment in UTC, computed without the C library's time zone. Valid for 1970 to 9999. */
struct utc {
  int year, month, day, hour, minute, second;
};
struct utc utc_of(time_t time);

/* WINORD_LOG's value made absolute, with %q{VAR} filled in (%h, %p and %% are left to each record); NULL for NULL. Allocated, and
 * kept; "" when it is too long or memory is short. */
const char *journal_path(const char *value);

#endif
