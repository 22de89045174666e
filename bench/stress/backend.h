/*
 * A transport that scenarios run on. The hunter asks it to run a block; it posts, looks and classifies, and adds what happened
 * to the sums. All register their windows through ncclCommWindowRegister.
 */
#ifndef WINORD_BACKEND_H
#define WINORD_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/stress/outcome.h"
#include "bench/stress/scenario.h"

enum { WINDOW_STRICT = 0x02, ERROR_SIZE = 512, MAIL_BYTES = 65536 };

/* Ranks of the run, and which of them live in this process: all, or one that a launcher started. */
struct world {
  unsigned ranks, first, local; /* local ones: first to first + local - 1 */
  const char *job; /* what tells this run from others, where there are several processes */
};

/* One block: stress settings drawn anew from its seed. */
struct block {
  const struct scenario *scenario;
  enum pattern pattern;
  size_t bytes; /* of a round's payload, all puts together; a multiple of 8 */
  size_t offset; /* of the payload within its slot, a multiple of 8 below 4096 */
  unsigned tries; /* rounds per receiver; the least that is run */
  unsigned long long number;
  uint64_t seed; /* of the run; the block draws from seed and number */
};

struct backend {
  const char *name;
  const char *transport; /* whose lateness is measured: for the report */
  /*
   * Opens the ranks of this process and registers a window of `bytes` in each, with these winFlags.
   *   error   gets what went wrong, ERROR_SIZE bytes
   */
  bool (*open)(const struct world *world, size_t bytes, int flags, char *error);
  /* Runs a block at a local rank as receiver. False: an error, not a violation. */
  bool (*run)(unsigned receiver, const struct block *block, struct outcomes *sum, char *error);
  /* What the transport says the window of this rank was registered as: 1 relaxed, 0 strict, -1 cannot be told. */
  int (*registered_relaxed)(unsigned rank);
  /* Memory of each rank that all can read, MAIL_BYTES each, rank by rank; where there are several processes. */
  void *(*mail)(void);
  /* Waits for all ranks, at most this long. False: error says who is missing. */
  bool (*meet)(int timeout_ms, char *error);
  void (*close)(void);
};

extern const struct backend fabric_backend;

/* The bytes a window needs for these blocks. */
size_t fabric_window_bytes(unsigned ranks, size_t largest);

#endif
