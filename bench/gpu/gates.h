/* Kernels of all ranks, held until the host lets them go together, and waited for within a time. From one thread. */
#ifndef WINORD_BENCH_GPU_GATES_H
#define WINORD_BENCH_GPU_GATES_H

#include "bench/gpu/kernels.h"
#include "bench/stress/gpu/session.h"

struct gates {
  unsigned ranks, serial;
  unsigned *go, *ready; /* of the host, mapped; GATE_SLOTS for each rank */
  struct stamp *stamps; /* alike */
};

bool gates_make(struct gates *gates, unsigned ranks, char *error);
void gates_free(struct gates *gates);

/* Clears all stamps and takes the next serial number. */
void gates_close(struct gates *gates);
struct gate gates_of(const struct gates *gates, unsigned rank);

/* Lets all go once so many slots of each rank wait. False: not all came in time; those that did are let go. */
bool gates_open(const struct gates *gates, const unsigned *waiting);

/* Of the ranks whose bit is set: the longest time, in seconds, from a rank's go to its last end; hung: one gave up. */
double gates_seconds(const struct gates *gates, uint64_t ranks, bool *hung);

/* Until both streams of every local rank are empty. False: an error, or not in time: then the session is abandoned. */
bool streams_wait(struct session *session, double seconds, char *error);

#endif
