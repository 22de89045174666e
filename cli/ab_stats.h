/*
 * Paired ratios, few of them: their median, and an interval that needs no assumption about the noise.
 */
#ifndef WINORD_AB_STATS_H
#define WINORD_AB_STATS_H

#include <stddef.h>

enum {
  ESTIMATE_PAIRS = 5, /* the fewest for a verdict: four reach 87.5 % at most */
  ESTIMATE_PAIRS_MAX = 1000
};

struct estimate {
  double median; /* the middle ratio, or the mean of the middle two */
  double low, high; /* two of the ratios themselves */
  double
      coverage; /* how often [low, high] holds the true median: 1 - 2 P(Binomial(n, 1/2) < rank of low); 0 for one pair */
};

enum finding { FINDING_TOO_FEW, FINDING_NO_DIFFERENCE, FINDING_BETTER, FINDING_WORSE };

/*
 * The interval is the sign test turned round: each pair's ratio lies above the true median with probability 1/2, whatever its
 * distribution, so the k-th smallest and the k-th largest ratio enclose it with a probability that only n and k decide. Taken is
 * the largest k that reaches 95 %; where none does (n < 6), the whole range, with what it reaches: 93.75 % for 5 pairs. Order is
 * kept by the logarithm, so this is the interval of the log ratios as well. A bootstrap of five values would reach less than it
 * says, and Student's t would assume a distribution.
 *   ratios   1 to ESTIMATE_PAIRS_MAX positive numbers; sorted by the call
 */
struct estimate estimate_ratios(double *ratios, size_t count);

/* Better or worse only where the interval leaves 1 out, and from ESTIMATE_PAIRS on. */
enum finding estimate_finding(const struct estimate *estimate, size_t count);

/* The middle of count > 0 values, or the mean of the middle two; sorted by the call. */
double median_of(double *values, size_t count);

#endif
