/*
 * Where the ranks of a communicator meet, in one process or several: shared memory that is found by the unique id, has no name
 * any more once all have come, and tells which rank is missing or dead.
 */
#ifndef WINORD_MEETING_H
#define WINORD_MEETING_H

#include <stddef.h>
#include <stdint.h>

#include "bench/fabric/nccl.h"

enum { MEETING_MOST = 4096 /* ranks */ };

struct meeting {
  struct meeting_room *room; /* NULL: none */
  size_t bytes;
  int rank, nranks;
  uint64_t barriers; /* that this rank has come to */
};

/* Makes an id that nobody else has, and removes what crashed runs have left of theirs. */
ncclResult_t meeting_id(ncclUniqueId *id);

/*
 * Comes in as this rank; meeting_wait then waits until all have come, for 30 seconds, or as many as WINORD_FABRIC_TIMEOUT says
 * (1 to 100). Errors are told to set_error; after one of either, only meeting_leave may follow, and must.
 */
ncclResult_t meeting_enter(struct meeting *meeting, const ncclUniqueId *id, int nranks, int rank);
ncclResult_t meeting_wait(struct meeting *meeting, const ncclUniqueId *id);

/* The others find this rank gone. */
void meeting_leave(struct meeting *meeting);

/* As fabricBarrier and fabricShared say. */
int meeting_barrier(struct meeting *meeting, int timeout_ms);
void *meeting_memory(struct meeting *meeting, size_t *bytes);

#endif
