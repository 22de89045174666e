/* Lanes for the tests of the simulated fabric: each puts, waits for the signal, looks at once, and goes on. */
#ifndef LANES_H
#define LANES_H

#include "bench/fabric/fabric.h"
#include "bench/fabric/nccl.h"
#include "bench/fabric/ordering.h"

enum { LANES_RANKS = 8, LANES_WINDOW = 1 << 20, LANES_MOST = 16, LANES_BYTES_MOST = 8192 };

/* What a lane does. */
struct lanes_program {
  unsigned lanes; /* 1 to LANES_MOST, each of its own context */
  size_t bytes; /* of a payload, a multiple of 8 */
  bool payload_relaxed, signal_relaxed; /* which window they are in; an indexed signal has none */
  bool va, flag; /* the signal: in a window; written by a put */
  bool apart; /* a signal of its own behind the put, not fused */
  bool weak;
  bool two; /* two puts, halves of the payload; the signal comes with the second */
};

struct lanes_result {
  uint64_t tries; /* signals seen */
  uint64_t early; /* the payload was not there, or not the right one */
  uint64_t own_early; /* of these, in the half that came with the signal */
  uint64_t wrong_value; /* the signal's value is not the sum */
  uint64_t beside; /* words around the payload that were written */
  uint64_t unfinished; /* tries whose signal never came */
  uint64_t late_most; /* ns between a signal and its payload */
  uint64_t trace; /* a hash of every step's time and of what was seen */
  struct fabric_counts counts;
};

/* A communicator of LANES_RANKS ranks with a strict and a relaxed window at rank 0. */
struct lanes_world {
  ncclComm_t comms[LANES_RANKS];
  void *memory[2]; /* by relaxed */
  ncclWindow_t windows[2];
};

void lanes_open(struct lanes_world *world);
void lanes_close(struct lanes_world *world);

/*
 * Runs so many tries, or until the first violation if asked so. table: NULL is PCIe's. Fails the test when the fabric cannot be
 * opened.
 */
struct lanes_result lanes_run(struct lanes_world *world, const struct ordering *table,
                              const struct fabric_settings *settings, const struct lanes_program *program,
                              uint64_t tries, bool until_violation);

uint64_t lanes_violations(const struct lanes_result *result);

#endif
