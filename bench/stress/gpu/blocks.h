/* Runs blocks as kernels, one for each local rank, and reads their tallies. From one thread. */
#ifndef WINORD_GPU_BLOCKS_H
#define WINORD_GPU_BLOCKS_H

#include "bench/stress/gpu/kernels.h"
#include "bench/stress/gpu/plan.h"
#include "bench/stress/gpu/session.h"

typedef int block_launch(const void *devcomm, void *window, const struct launch_of_block *launch, void *stream);

struct kind_of_block {
  block_launch *launch;
  int (*capacity)(void);
  bool all_signals_va; /* signals lie in the window, whatever the scenario says */
  /* NULL, or takes from a rank's plan what the transport cannot do: the same at all ranks. */
  void (*trim)(struct plan *plan, unsigned ranks, unsigned rank, const struct block *block);
  /* NULL, or what the host does while the kernels run. 1: done, 0: not in time, -1: an error. */
  int (*drive)(struct session *session, const struct block *block, const struct stress *how, char *error);
};

/* What the local rank of this index does in the block that runs. */
const struct plan *blocks_plan(unsigned local);

/*
 * One block, all ranks of the world at the same time. check: whether the receivers look at the payload.
 * sums: one for each local rank, added to. False: error; a hang is one, and says who waits for whom.
 */
bool blocks_run(struct session *session, const struct kind_of_block *kind, size_t largest, const struct block *block,
                bool check, struct outcomes *sums, char *error);

void blocks_free(void);

/* After how many seconds a block counts as hung. */
extern unsigned blocks_watch_s;

#endif
