/* The kernels, as the host's C calls them. */
#ifndef WINORD_GPU_KERNELS_H
#define WINORD_GPU_KERNELS_H

#include "bench/stress/gpu/lanes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One rank's part of a block. All arrays are memory of its GPU, waits and stop of the host, mapped. */
struct launch_of_block {
  unsigned ends; /* CTAs */
  const struct end *end;
  struct tally *tallies;
  struct event *events;
  const unsigned *first_event; /* of each end */
  volatile unsigned *waits; /* of each end */
  const volatile unsigned *stop;
  struct stress how;
};

/* Start it on a stream: comm is an ncclDevComm. What CUDA answers, 0 is good. */
int gin_launch(const void *comm, void *window, const struct launch_of_block *launch, void *stream);
int lsa_launch(const void *comm, void *window, const struct launch_of_block *launch, void *stream);
int rma_launch(void *memory, const struct launch_of_block *launch, void *stream); /* memory: the window's */

/* How many ends a kernel can have on this GPU, all of them running at once; 0: an error. */
int gin_capacity(void);
int lsa_capacity(void);
int rma_capacity(void);

/* The steps of the global timer of this GPU, ns; 0: it cannot be read. */
unsigned timer_resolution(void);

#ifdef __cplusplus
}
#endif
#endif
