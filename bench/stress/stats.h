/* The statistics of rare events. Pure; any thread. Method: docs/stress.md. */
#ifndef WINORD_STATS_H
#define WINORD_STATS_H

#include <stdint.h>

/*
 * Clopper-Pearson bounds of a probability after `events` in `tries` independent tries.
 *   confidence   between 0 and 1, as 0.95; the interval is two-sided, except that with no event the upper bound is the exact
 *                one-sided one, 1 - (1 - confidence)^(1 / tries), and with an event in every try the lower bound likewise
 * Returns NaN when tries is 0, events > tries, or confidence is out of range.
 */
double bound_upper(uint64_t events, uint64_t tries, double confidence);
double bound_lower(uint64_t events, uint64_t tries, double confidence);

/* The least number of tries in which an event of this probability is seen at least once with this confidence. 0: never. */
uint64_t tries_needed(double probability, double confidence);

/* The chance to see no event of this probability in so many tries. */
double miss_chance(double probability, uint64_t tries);

/* Regularised incomplete beta function I_x(a, b), by lgamma and a continued fraction; a, b > 0, x in [0, 1]. */
double beta_cdf(double x, double a, double b);

#endif
