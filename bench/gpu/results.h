/* What bench-gpu has measured, and how it is shown. */
#ifndef WINORD_BENCH_GPU_RESULTS_H
#define WINORD_BENCH_GPU_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/stress/scenario.h"

enum state { NOT_RUN, RAN, FAILED }; /* failed: it hung, or was not in order */

/* A value against the floor beside it: medians of interleaved repetitions, the ratio the median of the ratios. */
struct row {
  const char *part, *what, *floor_what, *unit; /* static; floor_what NULL: measured alone */
  size_t bytes;
  unsigned repetitions;
  enum state state;
  double measured, floor, ratio;
  double target; /* 0: none */
  bool at_least; /* the ratio is to be at least the target; else at most */
};

enum way { WAY_LSA, WAY_GIN, WAY_COPY, WAYS };

/* How a way moved one size in one pattern; wrong: words, of all targets and repetitions, that were not as sent. */
struct measure {
  enum state state;
  unsigned repetitions;
  double gb_per_s; /* median of the sums over all pairs, 1e9 bytes */
  uint64_t wrong;
};

struct cell {
  enum pattern pattern;
  size_t bytes; /* from each source to each of its targets */
  unsigned pairs;
  struct measure of[WAYS];
};

enum { ROWS_MAX = 64, CELLS_MAX = 64, NOTES_MAX = 8, NOTE_BYTES = 640 };

struct results {
  char machine[256];
  char gin[128]; /* what carries GIN's puts; empty: nothing */
  unsigned ranks, devices, timer_ns; /* devices: how many different GPUs the ranks use */
  struct row rows[ROWS_MAX];
  struct cell cells[CELLS_MAX];
  char notes[NOTES_MAX][NOTE_BYTES]; /* what could not be run, a sentence each */
  unsigned row_count, cell_count, note_count;
};

/* The next row or cell to fill; never NULL: the tables of what is run are shorter than the arrays. */
struct row *results_row(struct results *results);
struct cell *results_cell(struct results *results);
void results_note(struct results *results, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "ok", "OVER", "failed", "not run", or "" where there is no target. */
const char *row_verdict(const struct row *row);

/* Whether any target held something else than was sent, or a row failed. */
bool results_wrong(const struct results *results);

/* A table on stdout. */
void results_print(const struct results *results);

/* False: it could not be written; errno says why. */
bool results_write(const struct results *results, const char *path);

/* The median; sorts the values. count is at least 1. */
double median_of(double *values, unsigned count);

#endif
