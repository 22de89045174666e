/* The hunt: rows of scenario and window flags, each run in blocks until its share of the time is up. */
#ifndef WINORD_HUNT_H
#define WINORD_HUNT_H

#include "bench/stress/options.h"

/* One row of the result. */
struct row {
  const struct scenario *scenario;
  int flags; /* asked */
  int relaxed; /* how many of the local ranks' windows the transport has as relaxed; -1: cannot be told */
  unsigned windows;
  struct outcomes sum;
  struct outcomes by_size[SIZES_MAX]; /* tries and violations alone mean something */
  double seconds; /* of the wall clock */
};

enum { RANKS_LOCAL_MAX = 64 }; /* ranks of one process */

enum { ROWS_MAX = 2 * SCENARIOS_MAX };

/* Tries of the rows that must never show a violation, by pattern and payload size. */
struct grid {
  struct cell {
    uint64_t tries, violations;
  } cells[PATTERNS][SIZES_MAX];
};

struct hunt {
  struct options options;
  const struct backend *backend;
  struct world world;
  struct row rows[ROWS_MAX];
  unsigned row_count;
  struct grid grid; /* of the local ranks */
  struct grid elsewhere; /* of the others, where there are several processes: rank 0's */
  bool interrupted;
};

enum verdict_kind { VERDICT_NONE_SEEN, VERDICT_VIOLATION, VERDICT_INCONCLUSIVE };

/*
 * Runs it all. progress, or NULL, is called now and then; stop, or NULL, ends the hunt early when it turns non-zero.
 * False: an error, in ERROR_SIZE bytes.
 */
bool hunt_run(struct hunt *hunt, void (*progress)(const struct hunt *hunt), const volatile int *stop, char *error);

/* Which block a number stands for: size and offset go round with it. */
struct block hunt_block(const struct options *options, const struct scenario *scenario, unsigned long long number,
                        unsigned *size_index);

/* Runs a block once; what the local ranks saw is added to sum. */
bool hunt_sum(const struct hunt *hunt, const struct block *block, struct outcomes *sum, char *error);

/* One cell of the grid, all ranks together. */
struct cell hunt_cell(const struct hunt *hunt, enum pattern pattern, unsigned size);

/* What a row shows, and what the whole run does: the exit status. */
enum verdict_kind row_verdict(const struct row *row);
enum verdict_kind hunt_verdict(const struct hunt *hunt);

#endif
