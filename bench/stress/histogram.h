/* Histogram of latenesses, a bucket per power of two nanoseconds. No state of its own; one thread at a time per histogram. */
#ifndef WINORD_HISTOGRAM_H
#define WINORD_HISTOGRAM_H

#include <stdint.h>
#include <stdio.h>

enum { HISTOGRAM_BUCKETS = 64, HISTOGRAM_LINES = 12 };

/* All zero: empty. Bucket k counts [2^k, 2^(k+1)) ns; bucket 0 also 0 ns. */
struct histogram {
  uint64_t buckets[HISTOGRAM_BUCKETS];
  uint64_t max; /* ns, exact; 0 when empty */
};

/* Counts one lateness in ns. */
void histogram_add(struct histogram *histogram, uint64_t ns);

/* Adds what `more` counts; it stays as it is. */
void histogram_merge(struct histogram *sum, const struct histogram *more);

/* How many were added. */
uint64_t histogram_count(const struct histogram *histogram);

/*
 * At least `percent` (1 to 100) of them were no later than this many ns. It is the upper edge of a bucket, that of the
 * ceil(count * percent / 100)th smallest, as its last whole ns, or max where that is less: at most twice the true percentile.
 * 0 when empty.
 */
uint64_t histogram_percentile(const struct histogram *histogram, unsigned percent);

/*
 * Writes it as text: a line per bucket from the first to the last that is not empty, or per as many buckets as it takes to
 * stay within HISTOGRAM_LINES lines; nothing when empty. From 10 us on, edges have four digits. The bars are linear: the
 * longest has 40 signs, none that counts something has less than one.
 *   256 ns ..   511 ns  ########  1234
 */
void histogram_print(const struct histogram *histogram, FILE *out);

#endif
