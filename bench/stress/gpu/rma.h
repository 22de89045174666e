/*
 * Host RMA: ncclPutSignal, ncclSignal and ncclWaitSignal of one stream for each rank, and CTAs that stay for the whole
 * block: a receiver's looks at the payload when a word behind the wait in the stream tells it to. From one thread.
 */
#ifndef WINORD_GPU_RMA_H
#define WINORD_GPU_RMA_H

#include "bench/stress/gpu/lanes.h"

/*
 * Words by which an end and the stream of its rank tell each other how far they are, in the own window: the block's tag
 * in the upper half, a count in the lower. The stream waits for, or writes, them in its order. Lines of single words
 * that a pair of ranks with one lane has no other use for; offsets as those of struct end.
 */
WINORD_EVERYWHERE uint64_t rma_told(const struct end *end) { return end->signal; } /* rounds whose signals came */
WINORD_EVERYWHERE uint64_t rma_looked(const struct end *end) { return end->final; } /* rounds looked at, + 1 */
WINORD_EVERYWHERE uint64_t rma_free(const struct end *end) { return end->ack; } /* rounds acknowledged, + 1 */
WINORD_EVERYWHERE uint64_t rma_released(const struct end *end) { return end->ack + LINE_BYTES; } /* calls to be made */
WINORD_EVERYWHERE uint64_t rma_completed(const struct end *end) { return end->ack + 2 * LINE_BYTES; } /* puts */

#ifndef __CUDACC__
#include "bench/stress/gpu/blocks.h"

extern const struct kind_of_block rma_blocks;

/*
 * After session_open, which was asked for host_rma: the first call of each rank, which NCCL makes collective and which
 * allocates. False: error.
 */
bool rma_open(struct session *session, char *error);

void rma_free_words(void);
#endif

#endif
