/* The copies of NCCL in this process, and which of them a call is meant for. */
#ifndef WINORD_COPIES_H
#define WINORD_COPIES_H

#include "dl.h"

#include <stdatomic.h>

enum { THUNKS = 8, NOT_A_THUNK = -1 };

/* Whether dlsym ever gave an exported wrapper away: then its caller need not have a reference to it. */
extern atomic_bool wrapper_given;

/* Where a call comes from and what it goes to. */
struct target {
  void *function; /* NULL: nothing found */
  struct object copy; /* the copy of NCCL behind it; dynamic is NULL when that is not known */
  int version; /* of that copy: 22907 for 2.29.7; 0 when it cannot be told */
  const char *route; /* "plt", "dlsym" or "audit" */
  struct object from; /* the object that called; dynamic is NULL when there is none (generated code) */
};

/*
 * Finds the real function for a call. Answers are kept, and hold until some object is loaded or unloaded.
 *   thunk    the number of the thunk called (the look-up gave the program that one), or NOT_A_THUNK
 *   caller   an address in the object that called
 *   home     identity of the copy this communicator is known to belong to, or NULL
 * Never guesses between two copies. Thread-safe, takes the dynamic linker's lock; errno and dlerror are clobbered.
 */
struct target resolve(enum nccl_function function, int thunk, const void *caller, const void *home);

/*
 * The thunk number for a real function that a look-up found in a copy of NCCL; NOT_A_THUNK when `real` lies in none, or when
 * all thunks are taken (then also thunk_overflow tells whose it was). Thread-safe, no allocation.
 */
int thunk_for(enum nccl_function function, void *real);

/* The same where the object that holds `real` is known. */
int thunk_in(const struct object *object, enum nccl_function function, void *real);

/* The first object whose functions found no thunk left; dynamic is NULL when there was none. */
struct object thunk_overflow(void);

/* Copies of NCCL loaded in this namespace: fills at most max, returns their number. From within a visit (objects_any) only. */
size_t copies_loaded(struct object *found, size_t max);

/* The only loaded object that defines pncclX of this function; false: none, or several. */
bool only_copy(enum nccl_function function, struct object *found);

/* 22907 for 2.29.7; 0 when it cannot be told. */
int copy_version(const struct object *copy);

/*
 * A number of the communicator ("pncclCommUserRank", ...) of a call that this target took; -1 when it cannot be told. Asked of
 * its copy; but where another interposer took the call, by ncclX after us, as the program would: the communicator may be a
 * handle of that interposer's own, which NCCL would follow as a pointer (NCCL's contrib/nccl_checkpoint, shim_core.h).
 */
int comm_number(const struct target *target, const char *pname, void *comm);

#endif
