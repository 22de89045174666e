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
  unsigned watchdog; /* seconds that a block, or a meeting of all ranks beyond it, may take */
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
  bool window_flags; /* whether the ordering bit acts on it */
  unsigned tries; /* of a block, per receiver, unless -n says otherwise: about 1 ms or more */
  /*
   * Opens the ranks of this process and registers a window in each, with these winFlags.
   *   largest  the largest payload of a round, bytes
   *   error    gets what went wrong, ERROR_SIZE bytes
   */
  bool (*open)(const struct world *world, size_t largest, int flags, char *error);
  /*
   * Runs a block at all local ranks. Where senders and receivers run for real, the other processes run the same block now.
   * sums: one for each local rank as receiver, added to. False: an error, not a violation.
   */
  bool (*run)(const struct block *block, struct outcomes *sums, char *error);
  bool together; /* whether the ranks of all processes must run the same blocks */
  /* What the transport says the window of this rank was registered as: 1 relaxed, 0 strict, -1 cannot be told. */
  int (*registered_relaxed)(unsigned rank);
  /* Memory of each rank that all can read after they met, MAIL_BYTES each, rank by rank; where there are several processes. */
  void *(*mail)(void);
  /* Waits for all ranks, at most this long. False: error says who is missing. */
  bool (*meet)(int timeout_ms, char *error);
  void (*close)(void);
  /* After the last close; NULL: nothing to do. */
  void (*finish)(void);
};

extern const struct backend fabric_backend;

/*
 * The backend of this name: fabric, or gin, rma, lsa, whose library winord-stress-gpu.so beside the program is loaded now.
 * NULL: error says why.
 */
const struct backend *backend_find(const char *name, char *error);

#endif
