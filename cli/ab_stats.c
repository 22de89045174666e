#include "ab_stats.h"

#include <stdlib.h>

static const double wanted = 0.95;

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double median_of(double *values, size_t count) {
  qsort(values, count, sizeof *values, ascending);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The rank, from 0, of the interval's lower end; *coverage is what it reaches. */
static size_t interval_rank(size_t count, double *coverage) {
  double probability = 1, below;
  for (size_t i = 0; i < count; i++) {
    probability /= 2; /* of no ratio below the median; 2^-1000 is still a normal number */
  }
  size_t rank = 0;
  below = probability;
  *coverage = 1 - 2 * below;
  while (rank + 1 < count) {
    probability *= (double)(count - rank) / (double)(rank + 1);
    below += probability;
    if (1 - 2 * below < wanted) {
      break;
    }
    *coverage = 1 - 2 * below;
    rank++;
  }
  return rank;
}

struct estimate estimate_ratios(double *ratios, size_t count) {
  struct estimate estimate = {.median = median_of(ratios, count)};
  size_t rank = interval_rank(count, &estimate.coverage);
  estimate.low = ratios[rank];
  estimate.high = ratios[count - 1 - rank];
  return estimate;
}

enum finding estimate_finding(const struct estimate *estimate, size_t count) {
  if (count < ESTIMATE_PAIRS) {
    return FINDING_TOO_FEW;
  }
  if (estimate->low > 1) {
    return FINDING_BETTER;
  }
  return estimate->high < 1 ? FINDING_WORSE : FINDING_NO_DIFFERENCE;
}
