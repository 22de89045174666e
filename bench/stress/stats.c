#include "bench/stress/stats.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* A point of the beta distribution: p and 1 - p, both exact, and how far the mean is from it: a - (a + b) p. */
struct point {
  double p, q, a, b, excess;
};

static struct point point_at(double p, double a, double b) {
  const double q = 1 - p;
  return (struct point){p, q, a, b, p < q ? fma(-p, a + b, a) : fma(q, a + b, -b)};
}

static struct point mirrored(struct point at) { return (struct point){at.q, at.p, at.b, at.a, -at.excess}; }

/*
 * The two functions from which C. Loader, "Fast and accurate computation of binomial probabilities" (2000), builds densities:
 * a difference of lgammas of 1e12 would keep three digits.
 */

/* log(gamma(x + 1)) less Stirling's formula for it, x > 0. */
static double stirling_error(double x) {
  if (x < 16) {
    int sign;
    return lgamma_r(x + 1, &sign) - (x + 0.5) * log(x) + x - 0.5 * log(2 * M_PI);
  }
  const double y = 1 / (x * x);
  return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
}

/* x log(x / mean) + mean - x; difference is x - mean, which the caller knows better. */
static double deviance(double x, double mean, double difference) {
  if (fabs(difference) >= 0.1 * (x + mean))
    return x * log(x / mean) - difference;
  const double v = difference / (x + mean);
  double sum = difference * v, power = 2 * x * v, last;
  unsigned odd = 1;
  do {
    last = sum;
    power *= v * v;
    sum += power / (odd += 2);
  } while (sum != last);
  return sum;
}

/* p^a q^b / B(a, b) */
static double front(struct point at) {
  const double n = at.a + at.b;
  const double error = stirling_error(n) - stirling_error(at.a) - stirling_error(at.b);
  const double far = deviance(at.a, n * at.p, at.excess) + deviance(at.b, n * at.q, -at.excess);
  return sqrt(at.a * (at.b / n) / (2 * M_PI)) * exp(error - far);
}

/*
 * The continued fraction of A. DiDonato and A. Morris, ACM TOMS 18 (1992), BFRAC: it needs p and the mean only by their
 * difference. For excess >= 0. Two states, from infinity and from 0, run the same steps until they meet.
 */
static double fraction(struct point at) {
  double result = at.a * (at.excess + 1) / (at.a + 1), high = result, low = HUGE_VAL;
  for (double m = 1; fabs(high - low) > DBL_EPSILON * high; m++) {
    const double odd = at.a + 2 * m - 1, even = m * (at.b - m) * at.p / odd;
    const double alpha = (at.a + m - 1) * ((at.a + at.b + m - 1) / odd) * at.p * even;
    const double beta = m + even + (at.a + m) * (at.excess + 1 + m * (1 + at.q)) / (odd + 2);
    high = beta + alpha / high;
    low = beta + alpha / low;
    result *= high / low;
  }
  return result;
}

static double lower_tail(struct point at) {
  if (at.p <= 0 || at.q <= 0)
    return at.p > 0;
  return at.excess >= 0 ? front(at) / fraction(at) : 1 - front(at) / fraction(mirrored(at));
}

double beta_cdf(double x, double a, double b) {
  /* The fraction takes some sqrt(a + b) steps: no further than 64-bit counts go. */
  return x >= 0 && x <= 1 && a > 0 && b > 0 && a + b <= 0x1p65 ? lower_tail(point_at(x, a, b)) : NAN;
}

static double tail(double p, double a, double b, bool upper) {
  const struct point at = point_at(p, a, b);
  return lower_tail(upper ? mirrored(at) : at);
}

/* The p that has `chance` above it (upper) or below it; a <= b, so that p keeps its digits. */
static double bisect(double a, double b, double chance, bool upper) {
  double low = a / (a + b), high = low;
  while ((tail(low, a, b, upper) > chance) != upper)
    low /= 2;
  while ((tail(high, a, b, upper) > chance) == upper)
    high = fmin(1, 2 * high);
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high)
      return middle;
    *((tail(middle, a, b, upper) > chance) == upper ? &low : &high) = middle;
  }
}

static double quantile(double a, double b, double chance, bool upper) {
  return a <= b ? bisect(a, b, chance, upper) : 1 - bisect(b, a, chance, !upper);
}

static bool in_range(uint64_t events, uint64_t tries, double confidence) {
  return tries > 0 && events <= tries && confidence > 0 && confidence < 1;
}

double bound_upper(uint64_t events, uint64_t tries, double confidence) {
  if (!in_range(events, tries, confidence))
    return NAN;
  if (events == tries)
    return 1;
  if (events == 0)
    return -expm1(log1p(-confidence) / (double)tries);
  return quantile((double)events + 1, (double)(tries - events), (1 - confidence) / 2, true);
}

double bound_lower(uint64_t events, uint64_t tries, double confidence) {
  if (!in_range(events, tries, confidence))
    return NAN;
  if (events == 0)
    return 0;
  if (events == tries)
    return exp(log1p(-confidence) / (double)tries);
  return quantile((double)events, (double)(tries - events) + 1, (1 - confidence) / 2, false);
}

uint64_t tries_needed(double probability, double confidence) {
  if (!(probability > 0 && probability <= 1 && confidence > 0 && confidence < 1))
    return 0;
  const double tries = log1p(-confidence) / log1p(-probability);
  /* A whole number is not to become the next one by a rounding error. */
  const double whole = fmax(1, ceil(tries * (1 - 4 * DBL_EPSILON)));
  return whole < 0x1p64 ? (uint64_t)whole : 0;
}

double miss_chance(double probability, uint64_t tries) {
  if (!(probability >= 0 && probability <= 1))
    return NAN;
  return tries ? exp((double)tries * log1p(-probability)) : 1;
}
