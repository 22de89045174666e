/* The bounds against a table that SciPy agrees with (reference.py), within 1e-13; then what tables cannot hold. */
#include "bench/stress/stats.h"
#include "tests/policy/rows.h"

#include <float.h>
#include <math.h>

static void assert_close(double got, double wanted, double tolerance) {
  if (!(fabs(got - wanted) <= tolerance * fabs(wanted)))
    fail_msg("%.17g, not %.17g", got, wanted);
}

static const struct bound_row {
  const char *name;
  uint64_t events, tries;
  double confidence, lower, upper;
} bound_rows[] = {
#include "tests/stats/reference.inc"
};

static void test_bounds(void **state) {
  const struct bound_row *row = *state;
  assert_close(bound_lower(row->events, row->tries, row->confidence), row->lower, 1e-13);
  assert_close(bound_upper(row->events, row->tries, row->confidence), row->upper, 1e-13);
}

static const struct invalid_row {
  const char *name;
  uint64_t events, tries;
  double confidence;
} invalid_rows[] = {
    {"bounds of no tries", 0, 0, 0.95},        {"bounds of more events than tries", 3, 2, 0.95},
    {"bounds with confidence 0", 1, 2, 0},     {"bounds with confidence 1", 1, 2, 1},
    {"bounds with confidence 95", 1, 2, 95},   {"bounds with a negative confidence", 0, 2, -0.5},
    {"bounds with confidence NaN", 1, 2, NAN},
};

static void test_invalid(void **state) {
  const struct invalid_row *row = *state;
  assert_true(isnan(bound_lower(row->events, row->tries, row->confidence)));
  assert_true(isnan(bound_upper(row->events, row->tries, row->confidence)));
}

/* Closed forms, and arguments out of range. */
static const struct cdf_row {
  const char *name;
  double x, a, b, wanted;
} cdf_rows[] = {
    {"beta of x = 0", 0, 3, 4, 0},
    {"beta of x = 1", 1, 3, 4, 1},
    {"beta(1, 1) is uniform", 0.3, 1, 1, 0.3},
    {"beta(1, b)", 0x1p-40, 1, 0x1p40, 0.63212055882872497},
    {"beta(a, 1)", 0.99, 100, 1, 0.36603234127322950},
    {"beta(2, 3)", 0.25, 2, 3, 0.26171875},
    {"beta(3, 2)", 0.75, 3, 2, 0.73828125},
    {"beta(1/2, 1/2), the arcsine law", 0.25, 0.5, 0.5, 1.0 / 3},
    {"beta(a, a) at its middle", 0.5, 12345.678, 12345.678, 0.5},
    {"beta, far tail", 1e-30, 2, 3, 6e-60},
    {"beta of x < 0", -0.1, 2, 3, NAN},
    {"beta of x > 1", 1.1, 2, 3, NAN},
    {"beta of x NaN", NAN, 2, 3, NAN},
    {"beta(0, b)", 0.5, 0, 3, NAN},
    {"beta(a, 0)", 0.5, 2, 0, NAN},
    {"beta(infinity, b)", 0.5, INFINITY, 2, NAN},
    {"beta(a, b) of more than 64-bit counts", 0.5, 1e300, 1e300, NAN},
};

static void test_cdf(void **state) {
  const struct cdf_row *row = *state;
  const double got = beta_cdf(row->x, row->a, row->b);
  if (isnan(row->wanted))
    assert_true(isnan(got));
  else
    assert_close(got, row->wanted, 1e-13);
}

static const struct needed_row {
  const char *name;
  double probability, confidence;
  uint64_t tries;
} needed_rows[] = {
    {"tries for 1/2 of a coin", 0.5, 0.5, 1},
    {"tries for 3/4 of a coin", 0.5, 0.75, 2},
    {"tries for a little over 3/4 of a coin", 0.5, 0.750001, 3},
    {"tries for a little under 3/4 of a coin", 0.5, 0.749999, 2},
    {"tries, a whole number", 0.1, 0.271, 3},
    {"tries for less than one try has", 0.5, 1e-20, 1},
    {"tries, certain", 1, 0.99999, 1},
    {"tries for one in 10^6", 1e-6, 0.95, 2995731},
    {"tries for one in 10^6, miss 10^-5", 1e-6, 0.99999, 11512920},
    {"tries for one in 10^18", 1e-18, 0.5, 693147180559945309},
    {"tries beyond 64 bits", 1e-20, 0.95, 0},
    {"tries of the impossible", 0, 0.95, 0},
    {"tries of a negative probability", -0.1, 0.95, 0},
    {"tries of a probability over 1", 1.1, 0.95, 0},
    {"tries of a probability NaN", NAN, 0.95, 0},
    {"tries for confidence 0", 0.5, 0, 0},
    {"tries for confidence 1", 0.5, 1, 0},
    {"tries for confidence NaN", 0.5, NAN, 0},
};

static void test_needed(void **state) {
  const struct needed_row *row = *state;
  assert_close((double)tries_needed(row->probability, row->confidence), (double)row->tries, 8 * DBL_EPSILON);
}

static const struct miss_row {
  const char *name;
  double probability;
  uint64_t tries;
  double wanted;
} miss_rows[] = {
    {"miss with no try", 0.5, 0, 1},
    {"miss a certain event with no try", 1, 0, 1},
    {"miss a certain event", 1, 1, 0},
    {"miss the impossible", 0, UINT64_MAX, 1},
    {"miss ten coins", 0.5, 10, 0x1p-10},
    {"miss one in 10^6 in 10^6", 1e-6, 1000000, 0.36787925723164550},
    {"miss one in 10^17, less than a double's step at 1", 1e-17, 100000000000000000, 0.36787944117144232},
    {"miss one in 10^12 in 11.5 * 10^12", 1e-12, 11512925464970, 9.9999999999447219e-6},
    {"miss a probability under 0", -0.1, 1, NAN},
    {"miss a probability over 1", 1.1, 1, NAN},
    {"miss a probability NaN", NAN, 1, NAN},
};

static void test_miss(void **state) {
  const struct miss_row *row = *state;
  const double got = miss_chance(row->probability, row->tries);
  if (isnan(row->wanted))
    assert_true(isnan(got));
  else
    assert_close(got, row->wanted, 1e-13);
}

/* More events raise both bounds, the rate lies between them, and the non-events' bounds mirror them. */
static void test_order(void **state) {
  (void)state;
  const uint64_t tries = 200;
  for (uint64_t events = 1; events <= tries; events++) {
    const double lower = bound_lower(events, tries, 0.95), upper = bound_upper(events, tries, 0.95);
    assert_true(lower > bound_lower(events - 1, tries, 0.95) && upper > bound_upper(events - 1, tries, 0.95));
    assert_true(lower < (double)events / (double)tries && (upper > (double)events / (double)tries || events == tries));
    assert_close(lower + bound_upper(tries - events, tries, 0.95), 1, 4 * DBL_EPSILON);
  }
}

int main(void) {
  static struct suite suite;
  static const char *const names[] = {"bounds, in order and mirrored"};
  ROWS(&suite, bound_rows, test_bounds);
  ROWS(&suite, invalid_rows, test_invalid);
  ROWS(&suite, cdf_rows, test_cdf);
  ROWS(&suite, needed_rows, test_needed);
  ROWS(&suite, miss_rows, test_miss);
  rows_add(&suite, names, 1, sizeof *names, test_order);
  return suite_run("stats", &suite);
}
