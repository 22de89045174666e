#include "bench/gpu/gates.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { READY_S = 2 };

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool gates_make(struct gates *gates, unsigned ranks, char *error) {
  const size_t slots = (size_t)ranks * GATE_SLOTS;
  *gates = (struct gates){.ranks = ranks};
  if (cuda_failed(cudaMallocHost((void **)&gates->go, sizeof *gates->go), "cudaMallocHost", error) ||
      cuda_failed(cudaMallocHost((void **)&gates->ready, slots * sizeof *gates->ready), "cudaMallocHost", error) ||
      cuda_failed(cudaMallocHost((void **)&gates->stamps, slots * sizeof *gates->stamps), "cudaMallocHost", error))
    return false;
  *gates->go = 0;
  memset(gates->ready, 0, slots * sizeof *gates->ready);
  return true;
}

void gates_free(struct gates *gates) {
  cudaFreeHost(gates->go);
  cudaFreeHost(gates->ready);
  cudaFreeHost(gates->stamps);
  *gates = (struct gates){0};
}

void gates_close(struct gates *gates) {
  memset(gates->stamps, 0, (size_t)gates->ranks * GATE_SLOTS * sizeof *gates->stamps);
  gates->serial++;
}

struct gate gates_of(const struct gates *gates, unsigned rank) {
  return (struct gate){.go = gates->go,
                       .ready = gates->ready + (size_t)rank * GATE_SLOTS,
                       .stamps = gates->stamps + (size_t)rank * GATE_SLOTS};
}

static bool all_ready(const struct gates *gates, const unsigned *waiting) {
  for (unsigned rank = 0; rank < gates->ranks; rank++)
    for (unsigned slot = 0; slot < waiting[rank]; slot++)
      if (gates_of(gates, rank).ready[slot] != gates->serial)
        return false;
  return true;
}

bool gates_open(const struct gates *gates, const unsigned *waiting) {
  const double end = now_seconds() + READY_S;
  bool ready;
  while (!(ready = all_ready(gates, waiting)) && now_seconds() < end)
    ;
  *(volatile unsigned *)gates->go = gates->serial;
  return ready;
}

static double seconds_of(struct gate gate, bool *hung) {
  uint64_t begun = UINT64_MAX, ended = 0;
  for (unsigned slot = 0; slot < GATE_SLOTS; slot++) {
    const volatile struct stamp *stamp = &gate.stamps[slot];
    *hung |= stamp->hung;
    if (!stamp->ended)
      continue;
    begun = stamp->begun < begun ? stamp->begun : begun;
    ended = stamp->ended > ended ? stamp->ended : ended;
  }
  *hung |= !ended;
  return ended > begun ? (double)(ended - begun) / 1e9 : 0;
}

double gates_seconds(const struct gates *gates, uint64_t ranks, bool *hung) {
  double longest = 0;
  *hung = false;
  for (unsigned rank = 0; rank < gates->ranks; rank++) {
    const double seconds = ranks >> rank & 1 ? seconds_of(gates_of(gates, rank), hung) : 0;
    longest = seconds > longest ? seconds : longest;
  }
  return longest;
}

/* 1: empty, 0: not yet, -1: an error. */
static int is_empty(cudaStream_t stream, char *error) {
  const cudaError_t state = cudaStreamQuery(stream);
  if (state == cudaErrorNotReady)
    return 0;
  return cuda_failed(state, "the kernel", error) ? -1 : 1;
}

bool streams_wait(struct session *session, double seconds, char *error) {
  const double end = now_seconds() + seconds;
  for (unsigned i = 0; i < 2 * session->world.local; i++) {
    const struct gpu_rank *rank = &session->ranks[i / 2];
    int state;
    while ((state = is_empty(i % 2 ? rank->exchange : rank->stream, error)) == 0 && now_seconds() < end)
      ;
    if (state == 1)
      continue;
    session->abandoned = true;
    if (state == 0)
      snprintf(error, ERROR_SIZE, "the kernel of rank %u does not end", rank->rank);
    return false;
  }
  return true;
}
