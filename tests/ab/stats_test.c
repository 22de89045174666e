/* The interval of the median of few ratios: coverages by an independent count, and how often it holds the median. */
#include "cli/ab_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

/* P(rank <= number of heads of n coins < n - rank + 1), by walking all outcomes as binomials in whole numbers. */
static double coverage_of(unsigned n, unsigned rank) {
  double inside = 0, all = 0, ways = 1;
  for (unsigned heads = 0; heads <= n; heads++) {
    all += ways;
    inside += heads > rank && heads < n - rank ? ways : 0;
    ways = ways * (n - heads) / (heads + 1);
  }
  return inside / all;
}

static void fill(double *ratios, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ratios[i] = (double)((i * 7 + 3) % count + 1); /* 1 to count, shuffled: count is no multiple of 7 here */
  }
}

static void coverage_is_the_binomials(void **state) {
  (void)state;
  static const struct {
    size_t count, rank;
  } cases[] = {{1, 0}, {2, 0}, {4, 0}, {5, 0}, {6, 0}, {8, 0}, {9, 1}, {10, 1}, {12, 2}, {20, 5}, {50, 17}, {100, 39}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double ratios[100];
    size_t count = cases[i].count;
    fill(ratios, count);
    struct estimate estimate = estimate_ratios(ratios, count);
    assert_true(fabs(estimate.coverage - coverage_of((unsigned)count, (unsigned)cases[i].rank)) < 1e-12);
    assert_true(estimate.low == (double)(cases[i].rank + 1));
    assert_true(estimate.high == (double)(count - cases[i].rank));
    assert_true(estimate.median == ((double)count + 1) / 2);
  }
}

static void the_largest_count(void **state) {
  (void)state;
  static double ratios[ESTIMATE_PAIRS_MAX];
  for (size_t i = 0; i < ESTIMATE_PAIRS_MAX; i++) {
    ratios[i] = 1 + (double)i;
  }
  struct estimate estimate = estimate_ratios(ratios, ESTIMATE_PAIRS_MAX);
  assert_true(estimate.coverage >= 0.95 && estimate.coverage < 0.96);
  assert_true(estimate.low == 469 && estimate.high == 532); /* as tables of the sign test have it: 500 -+ 31 */
}

static double skewed(uint64_t *seed) {
  *seed = *seed * 6364136223846793005U + 1442695040888963407U;
  double u = (double)(*seed >> 11) / 9007199254740992.0;
  return 0.5 + (u < 0.5 ? u : 0.5 + 100 * (u - 0.5) * (u - 0.5)); /* median 1, a long tail above */
}

static void holds_the_median_as_often_as_it_says(void **state) {
  (void)state;
  uint64_t seed = 4711;
  for (size_t count = 5; count <= 9; count++) {
    int held = 0, trials = 20000;
    double coverage = 0;
    for (int trial = 0; trial < trials; trial++) {
      double ratios[9];
      for (size_t i = 0; i < count; i++) {
        ratios[i] = skewed(&seed);
      }
      struct estimate estimate = estimate_ratios(ratios, count);
      coverage = estimate.coverage;
      held += estimate.low <= 1 && 1 <= estimate.high;
    }
    assert_true(fabs((double)held / trials - coverage) < 0.008); /* four standard errors at least */
  }
}

static void findings(void **state) {
  (void)state;
  assert_int_equal(FINDING_BETTER, estimate_finding(&(struct estimate){.low = 1.1, .high = 2}, 5));
  assert_int_equal(FINDING_WORSE, estimate_finding(&(struct estimate){.low = 0.1, .high = 0.9}, 5));
  assert_int_equal(FINDING_NO_DIFFERENCE, estimate_finding(&(struct estimate){.low = 0.9, .high = 1.1}, 5));
  assert_int_equal(FINDING_NO_DIFFERENCE, estimate_finding(&(struct estimate){.low = 1, .high = 2}, 5));
  assert_int_equal(FINDING_TOO_FEW, estimate_finding(&(struct estimate){.low = 2, .high = 3}, 4));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coverage_is_the_binomials),
      cmocka_unit_test(the_largest_count),
      cmocka_unit_test(holds_the_median_as_often_as_it_says),
      cmocka_unit_test(findings),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
