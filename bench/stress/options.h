/* What the command line says. */
#ifndef WINORD_STRESS_OPTIONS_H
#define WINORD_STRESS_OPTIONS_H

#include "bench/stress/backend.h"

enum { SIZES_MAX = 64, SCENARIOS_MAX = 32 };

struct options {
  size_t sizes[SIZES_MAX]; /* bytes, multiples of 8 */
  unsigned size_count;
  const char *backend; /* its name */
  unsigned tries; /* rounds per receiver and block; 0: as many as the backend likes */
  unsigned warmup; /* blocks of each row that are run and not counted */
  unsigned blocks; /* of each row at least; 0: until the time is up */
  double seconds; /* for all rows together */
  double confidence;
  uint64_t seed;
  bool seeded; /* by the command line */
  unsigned ranks;
  unsigned watchdog; /* seconds that a block may take */
  enum pattern pattern;
  bool ask_strict, ask_default; /* which window flags to ask for */
  const struct scenario *chosen[SCENARIOS_MAX];
  unsigned chosen_count;
  const char *json, *html, *replay, *mutant; /* files; NULL: not asked for */
  bool list, prove, quiet;
};

/*
 * Reads the command line. Returns true to go on; false: *status is what to exit with (0 after --help, 2 after a mistake, of which
 * a line went to stderr).
 */
bool options_read(int argc, char **argv, struct options *options, int *status);

#endif
