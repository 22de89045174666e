/*
 * What has been seen of each communicator, and which address ranges this process keeps strict. Fixed tables, no allocation;
 * what does not fit is unknown (and, for ranges, counts as overlapping). Thread-safe, and usable in a forked child.
 */
#ifndef WINORD_COMMS_H
#define WINORD_COMMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "policy/policy.h"

/*
 * A lock that a forked child does not inherit: it is held by a thread of a process, and a holder of another process counts as
 * nobody.
 */
typedef _Atomic uint64_t process_lock;

/* The process's id, as of the last entry into the shim: every entry begins with process_id_read, the rest asks process_id. */
pid_t process_id_read(void);
pid_t process_id(void);

/* False: this very thread holds it, and a signal handler that runs on top of it asks; it cannot wait, and goes without. */
__attribute__((warn_unused_result)) bool process_lock_take(process_lock *lock);
void process_lock_release(process_lock *lock);

struct comm {
  unsigned sequence; /* nth communicator seen in this process, from 1; 0: not known */
  enum gin_connection gin_connection;
  const void *home; /* identity of its copy of NCCL, or NULL */
  int rank, ranks, device; /* -1: not asked yet */
};

/* What is known of a communicator, entering it when it is new. comm may be NULL: nothing is known. */
struct comm comm_seen(void *comm, const void *home);

/* As comm_seen, but enters nothing. */
struct comm comm_known(void *comm);

/*
 * From now on a communicator may end without our knowledge and another begin at its address: nothing is known of any, beyond
 * the call that it comes with.
 */
void comms_end_unseen(void);

/* Remembers a device communicator's connection type: the one type seen, unknown once they differ. */
void comm_saw_connection(void *comm, enum gin_connection connection);

void comm_saw_numbers(void *comm, int rank, int ranks, int device);

/* Forgets the communicator and its ranges. */
void comm_forget(void *comm);

/*
 * Ranges that stay strict, in units of 2 MiB: a window covers whole allocations of cuMemCreate, whose granularity that is.
 * window is the handle, or NULL while NCCL has not filled it (such a range goes with its communicator).
 */
struct strict_range {
  void *comm;
  const void *window;
  uintptr_t first, last; /* units, inclusive; first > last: no range */
};

void strict_add(void *comm, const void *window, const void *buffer, uint64_t size);

/* Takes a window's range out and returns it; strict_put brings it back. Both do nothing for no range. */
struct strict_range strict_take(void *comm, const void *window);
void strict_put(const struct strict_range *range);

/* Whether some strict range shares a unit with these bytes; true when the table could not hold them all. */
bool strict_overlaps(const void *buffer, uint64_t size);

#endif
