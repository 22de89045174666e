/* Which ends a rank has in a block, and where in the windows their words lie: the same answer at all ranks. Pure. */
#ifndef WINORD_GPU_PLAN_H
#define WINORD_GPU_PLAN_H

#include "bench/stress/backend.h"
#include "bench/stress/gpu/lanes.h"

struct plan {
  struct end *ends; /* of one rank: its receiving ends first; malloc'd */
  unsigned receiving, count, capacity;
  uint64_t stride;
};

/* The bytes that a window needs for rounds of up to so many. */
size_t plan_window_bytes(unsigned ranks, size_t largest);

/* How many indexed signals and counters the lanes need, at most. */
unsigned plan_signals(unsigned ranks);

/*
 * Lays out the block at a rank; ends is grown as needed. payload_end: where in the window payload ends and single words begin:
 * that of plan_window_bytes. False: no memory.
 */
bool plan_block(struct plan *plan, unsigned ranks, unsigned rank, size_t largest, const struct block *block);

#endif
