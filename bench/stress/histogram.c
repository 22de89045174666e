#include "bench/stress/histogram.h"

#include <inttypes.h>
#include <math.h>

static unsigned bucket_of(uint64_t ns) { return 63 - (unsigned)__builtin_clzll(ns | 1); }

static uint64_t first_ns(unsigned bucket) { return bucket ? 1ULL << bucket : 0; }

static uint64_t last_ns(unsigned bucket) { return UINT64_MAX >> (63 - bucket); }

void histogram_add(struct histogram *histogram, uint64_t ns) {
  histogram->buckets[bucket_of(ns)]++;
  if (histogram->max < ns)
    histogram->max = ns;
}

void histogram_merge(struct histogram *sum, const struct histogram *more) {
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
    sum->buckets[i] += more->buckets[i];
  if (sum->max < more->max)
    sum->max = more->max;
}

uint64_t histogram_count(const struct histogram *histogram) {
  uint64_t count = 0;
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
    count += histogram->buckets[i];
  return count;
}

uint64_t histogram_percentile(const struct histogram *histogram, unsigned percent) {
  const uint64_t count = histogram_count(histogram);
  const uint64_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
  unsigned bucket = 0;
  for (uint64_t seen = histogram->buckets[0]; seen < rank; seen += histogram->buckets[bucket])
    bucket++;
  return last_ns(bucket) < histogram->max ? last_ns(bucket) : histogram->max;
}

static void print_ns(uint64_t ns, FILE *out) {
  static const char *const units[] = {"us", "ms", "s"};
  if (ns < 10000) {
    fprintf(out, "%5u ns", (unsigned)ns);
    return;
  }
  double value = (double)ns / 1e3;
  unsigned unit = 0;
  for (; value >= 999.95 && unit < 2; unit++)
    value /= 1e3;
  fprintf(out, "%5.4g %-2s", value, units[unit]);
}

/* Buckets first to last; `most` is the greatest count of any line. */
static void print_line(unsigned first, unsigned last, uint64_t count, uint64_t most, FILE *out) {
  static const char bar[] = "########################################";
  const int length = (int)ceil((sizeof bar - 1) * ((double)count / (double)most));
  print_ns(first_ns(first), out);
  fputs(" .. ", out);
  print_ns(last_ns(last), out);
  fprintf(out, "  %.*s%s%" PRIu64 "\n", length, bar, length ? "  " : "", count);
}

void histogram_print(const struct histogram *histogram, FILE *out) {
  uint64_t counts[HISTOGRAM_LINES] = {0}, most = 0;
  const unsigned last = bucket_of(histogram->max);
  unsigned first = 0;
  while (first < last && !histogram->buckets[first])
    first++;
  const unsigned width = (last - first) / HISTOGRAM_LINES + 1, lines = (last - first) / width + 1;
  for (unsigned i = first; i <= last; i++)
    counts[(i - first) / width] += histogram->buckets[i];
  for (unsigned i = 0; i < lines; i++)
    most = counts[i] > most ? counts[i] : most;
  for (unsigned i = 0; most && i < lines; i++) {
    const unsigned end = first + (i + 1) * width - 1;
    print_line(first + i * width, end < last ? end : last, counts[i], most, out);
  }
}
