#include <inttypes.h>
#include <math.h>

#include "bench/stress/page.h"

/* Pixels of one figure, and the plot within. */
enum { WIDTH = 384, HEIGHT = 158, LEFT = 44, RIGHT = 376, TOP = 12, BOTTOM = 132, LEAST_BUCKETS = 8, MOST_TICKS = 7 };

/* The buckets that all figures show: `first` to `end` - 1. */
struct axis {
  unsigned first, end;
};

static struct axis axis_of(const struct hunt *hunt) {
  struct axis axis = {HISTOGRAM_BUCKETS, 0};
  for (unsigned i = 0; i < hunt->row_count; i++)
    for (unsigned k = 0; k < HISTOGRAM_BUCKETS; k++)
      if (hunt->rows[i].sum.lateness.buckets[k]) {
        axis.first = k < axis.first ? k : axis.first;
        axis.end = k >= axis.end ? k + 1 : axis.end;
      }
  while (axis.end && axis.end - axis.first < LEAST_BUCKETS) { /* so that two decades stand below them */
    axis.first -= axis.first > 0;
    axis.end += axis.end < HISTOGRAM_BUCKETS;
  }
  return axis;
}

static double x_of(const struct axis *axis, double log2_ns) {
  return LEFT + (RIGHT - LEFT) * (log2_ns - axis->first) / (axis->end - axis->first);
}

/* Decades of ns, every second or third where there are many. */
static void put_ticks(FILE *out, const struct axis *axis) {
  static const char *const digits[] = {"1", "10", "100"}, *const units[] = {"ns", "µs", "ms", "s", "ks", "Ms", "Gs"};
  const double per_decade = log2(10);
  const int first = (int)ceil(axis->first / per_decade), last = (int)floor(axis->end / per_decade);
  const int step = (last - first) / MOST_TICKS + 1;
  for (int i = first; i <= last; i += step) {
    const double x = x_of(axis, i * per_decade);
    fprintf(out,
            "<path d=\"M%.1f %dV%d\" stroke=\"#e6eaee\"/><path d=\"M%.1f %dv4\" stroke=\"#57606a\"/>"
            "<text class=\"m\" x=\"%.1f\" y=\"%d\">%s %s</text>\n",
            x, TOP, BOTTOM, x, BOTTOM, x > RIGHT - 14 ? RIGHT - 14.0 : x, BOTTOM + 17, digits[i % 3], units[i / 3]);
  }
}

static void put_bar(FILE *out, const struct axis *axis, unsigned bucket, double share, uint64_t count,
                    const char *fill) {
  const double x = x_of(axis, bucket), width = x_of(axis, bucket + 1) - x;
  double height = (BOTTOM - TOP) * share;
  height = height < 1 ? 1 : height;
  fprintf(out,
          "<g><title>%" PRIu64 " to %" PRIu64 " ns: %" PRIu64 "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
          "height=\"%.1f\" fill=\"%s\"/></g>\n",
          bucket ? (uint64_t)1 << bucket : 0, UINT64_MAX >> (63 - bucket), count, x + 0.5, BOTTOM - height, width - 1,
          height, fill);
}

static void put_plot(FILE *out, const struct axis *axis, const struct histogram *lateness, const char *fill) {
  uint64_t most = 0;
  char text[NUMBER_SIZE];
  for (unsigned k = 0; k < HISTOGRAM_BUCKETS; k++)
    most = lateness->buckets[k] > most ? lateness->buckets[k] : most;
  fprintf(out,
          "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Histogram of lateness\">\n",
          WIDTH, HEIGHT, WIDTH, HEIGHT);
  put_ticks(out, axis);
  for (unsigned k = axis->first; k < axis->end; k++)
    if (lateness->buckets[k])
      put_bar(out, axis, k, (double)lateness->buckets[k] / (double)most, lateness->buckets[k], fill);
  fprintf(out,
          "<path d=\"M%d %dH%d\" stroke=\"#57606a\"/><path d=\"M%d %dH%d\" stroke=\"#c4cad1\" "
          "stroke-dasharray=\"2 3\"/>\n<text class=\"e\" x=\"%d\" y=\"%d\">%s</text><text class=\"e\" x=\"%d\" "
          "y=\"%d\">0</text>\n</svg>\n",
          LEFT, BOTTOM, RIGHT, LEFT, TOP, RIGHT, LEFT - 6, TOP + 4, short_count_text(most, text), LEFT - 6, BOTTOM + 4);
}

static void put_figure(FILE *out, const struct axis *axis, const struct row *row) {
  const struct histogram *lateness = &row->sum.lateness;
  char count[NUMBER_SIZE], half[NUMBER_SIZE], most[NUMBER_SIZE], max[NUMBER_SIZE];
  fprintf(out, "<figure><figcaption><h3>");
  page_text(out, row->scenario->name);
  fprintf(out, ", %s</h3><small>%s late · p50 %s · p99 %s · max %s</small></figcaption>\n", asked_text(row),
          count_text(histogram_count(lateness), count), duration_text(histogram_percentile(lateness, 50), half),
          duration_text(histogram_percentile(lateness, 99), most), duration_text(lateness->max, max));
  put_plot(out, axis, lateness, row->scenario->expectation == EXPECT_NEVER ? "#b8400c" : "#0072b2");
  fprintf(out, "</figure>\n");
}

void page_histograms(FILE *out, const struct hunt *hunt) {
  const struct axis axis = axis_of(hunt);
  if (!axis.end)
    return;
  fprintf(
      out,
      "<section>\n<h2>Lateness</h2>\n<p class=\"soft\">How long after its signal the right data was seen there, a bar "
      "per power of two of nanoseconds, all on one axis; heights are each figure's own. It is the lateness of this "
      "transport: ");
  page_text(out, hunt->backend->transport);
  fprintf(out,
          ".<br/><span class=\"key k0\"></span>must never be late<span class=\"key k1\"></span>controls: allowed, or "
          "wrong by construction</p>\n<div class=\"many\">\n");
  for (unsigned i = 0; i < hunt->row_count; i++)
    if (histogram_count(&hunt->rows[i].sum.lateness))
      put_figure(out, &axis, &hunt->rows[i]);
  fprintf(out, "</div>\n</section>\n");
}
