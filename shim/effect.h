/*
 * What became of a window's ordering: the registrations that NCCL was seen to make of its memory, by libwinord-verbs.so. Only
 * where NCCL_IBVERBS_LIB names that library and there is a journal; else nothing here does anything. Thread-safe, and usable in
 * a forked child; no pointer of the program's is followed or kept longer than its window.
 */
#ifndef WINORD_EFFECT_H
#define WINORD_EFFECT_H

#include "process.h"
#include "records.h"

/* The first NCCL that reads NCCL_IBVERBS_LIB. Source: NCCL, src/misc/ibvsymbols.cc. */
enum { NCCL_READS_IBVERBS_LIB = 23003 };

/* A call of NCCL's during which registrations may be made. */
struct observed_call {
  bool observing;
  uint64_t since; /* registrations made before */
  bool alone; /* no other such call was under way, as far as is known */
  unsigned ticket;
};

/* Around a call of ncclCommWindowRegister or ncclDevCommCreate. */
struct observed_call effect_call_begin(const struct process *process);
void effect_call_end(struct observed_call *call);

/*
 * The effect as known now, for the register record. The window is the bytes [buffer, buffer + size); nccl is the version of the
 * copy that was called, and where it is too old to be observed that is said once.
 */
struct effect effect_of_call(const struct observed_call *call, struct process *process, int nccl, const void *buffer,
                             uint64_t size);

/*
 * Follows a window from now on: whenever its effect is found to have changed, an `effect` record says so.
 *   comm      the communicator, and what is known of it
 *   window    its handle, or NULL while NCCL has not filled it
 *   record    seq of its register record
 */
void effect_follow(const struct observed_call *call, const void *comm, const struct call *made, const void *window,
                   const void *buffer, uint64_t size, uint64_t record, const struct effect *effect);

/* Looks at all windows that are followed: at a device communicator and at the end of the process. */
void effect_review(struct process *process);

/*
 * The same for windows about to go, which are followed no longer: a communicator's; or one window, and where its handle is not
 * among those known, all windows of the communicator whose handle is not known, since it is one of them.
 */
void effect_leave_comm(struct process *process, const void *comm);
void effect_leave_window(struct process *process, const void *comm, const void *window);

/* In a forked child: the parent's windows are the parent's. */
void effect_forget(void);

#endif
