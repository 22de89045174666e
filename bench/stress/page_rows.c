#include "bench/stress/page.h"
#include "bench/stress/report.h"
#include "bench/stress/stats.h"

static void put_head(FILE *out, double confidence) {
  static const char single[] = "<th rowspan=\"2\" scope=\"col\"", below[] = "<th class=\"n\" scope=\"col\">";
  fprintf(out,
          "<section>\n<h2>Rows</h2>\n"
          "<p class=\"soft\">Bound: the chance that a block has a violation is below this, with %g %% "
          "confidence. Lateness: from the signal until the right data was seen there; p50 and p99 are upper edges of "
          "their buckets, powers of two.</p>\n<div class=\"wide\"><table class=\"rows\">\n<thead><tr>",
          confidence * 100);
  fprintf(out, "%s>Scenario</th>%s>Asked</th>%s>Registered</th>%s class=\"n\">Tries</th>", single, single, single,
          single);
  fprintf(out, "<th class=\"over\" colspan=\"3\" scope=\"colgroup\">Blocks</th>%s class=\"n\">Violations</th>", single);
  fprintf(out,
          "<th class=\"over\" colspan=\"3\" scope=\"colgroup\">Lateness, ns</th>%s>Expected</th>%s>Verdict</th></tr>\n",
          single, single);
  fprintf(out, "<tr>%srun</th>%swith violation</th>%sbound</th>", below, below, below);
  fprintf(out, "%sp50</th>%sp99</th>%smax</th></tr></thead>\n<tbody>\n", below, below, below);
}

static void put_count(FILE *out, uint64_t count) {
  char text[NUMBER_SIZE];
  fprintf(out, "<td class=\"n\">%s</td>", count_text(count, text));
}

static void put_violations(FILE *out, const struct outcomes *sum) {
  char text[NUMBER_SIZE];
  fprintf(out, "<td class=\"n\">%s", count_text(outcome_violations(sum), text));
  for (int i = 1; i < OUTCOMES; i++)
    if (sum->count[i])
      fprintf(out, "<small>%s %s</small>", outcome_name((enum outcome)i), count_text(sum->count[i], text));
  fprintf(out, "</td>");
}

static void put_bound(FILE *out, const struct hunt *hunt, const struct outcomes *sum) {
  const double confidence = hunt->options.confidence;
  if (!sum->blocks) {
    fprintf(out, "<td class=\"n\">–</td>");
    return;
  }
  fprintf(out, "<td class=\"n\">%.3g", bound_upper(sum->blocks_with_violation, sum->blocks, confidence));
  if (sum->blocks_with_violation)
    fprintf(out, "<small>above %.3g</small>", bound_lower(sum->blocks_with_violation, sum->blocks, confidence));
  fprintf(out, "</td>");
}

static void put_lateness(FILE *out, const struct histogram *lateness) {
  if (!histogram_count(lateness)) {
    fprintf(out, "<td class=\"n\">–</td><td class=\"n\">–</td><td class=\"n\">–</td>");
    return;
  }
  put_count(out, histogram_percentile(lateness, 50));
  put_count(out, histogram_percentile(lateness, 99));
  put_count(out, lateness->max);
}

static void put_verdict(FILE *out, const struct row *row) {
  static const char *const marks[] = {"", " bad", " doubt"};
  const enum verdict_kind verdict = row_verdict(row);
  fprintf(out, "<td>%s</td><td><span class=\"mark%s\">%s</span></td>", expectation_name(row->scenario->expectation),
          marks[verdict], verdict_text(verdict));
}

static void put_row(FILE *out, const struct hunt *hunt, const struct row *row, bool first) {
  static const char *const classes[] = {"", "bad ", "doubt "};
  char registered[32];
  fprintf(out, "<tr class=\"%s%s\"><th scope=\"row\">", classes[row_verdict(row)], first ? "first" : "");
  page_text(out, row->scenario->name);
  fprintf(out, "<small>");
  page_text(out, row->scenario->text);
  fprintf(out, "</small></th><td>%s</td><td>%s</td>", asked_text(row), registered_text(row, registered));
  put_count(out, row->sum.tries);
  put_count(out, row->sum.blocks);
  put_count(out, row->sum.blocks_with_violation);
  put_bound(out, hunt, &row->sum);
  put_violations(out, &row->sum);
  put_lateness(out, &row->sum.lateness);
  put_verdict(out, row);
  fprintf(out, "</tr>\n");
}

void page_rows(FILE *out, const struct hunt *hunt) {
  if (!hunt->row_count)
    return;
  put_head(out, hunt->options.confidence);
  for (unsigned i = 0; i < hunt->row_count; i++)
    put_row(out, hunt, &hunt->rows[i], i && hunt->rows[i].flags != hunt->rows[i - 1].flags);
  fprintf(out, "</tbody></table></div>\n"
               "<p class=\"soft\">Expected: <strong>never</strong>, NCCL's rules forbid a violation; "
               "<strong>allowed</strong>, the rules allow one, and a transport may or may not show it; "
               "<strong>seen</strong>, wrong by construction: not seen, the run is inconclusive.</p>\n</section>\n");
}
