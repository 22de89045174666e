#include "bench/stress/page.h"
#include "bench/stress/stats.h"

enum { SHORT_RUN = 1000, LISTED = 6 };

/* What the rows add up to. */
struct tally {
  unsigned never, bad; /* rows that must show none; those that do */
  unsigned controls, controls_seen; /* rows wrong by construction; those seen */
  uint64_t tries, blocks, violations, allowed; /* of never rows; and all others' violations */
  const struct row *least, *most; /* never rows that showed none, by blocks; NULL: no such row */
  const struct row *worst; /* by the share of blocks with a violation */
};

static double share_of_blocks(const struct row *row) {
  return row->sum.blocks ? (double)row->sum.blocks_with_violation / (double)row->sum.blocks : 0;
}

static void tally_never(struct tally *tally, const struct row *row) {
  tally->never++;
  tally->violations += outcome_violations(&row->sum);
  if (row_is_violation(row)) {
    tally->bad++;
    if (!tally->worst || share_of_blocks(row) > share_of_blocks(tally->worst))
      tally->worst = row;
  } else if (row_verdict(row) == VERDICT_NONE_SEEN) {
    if (!tally->least || row->sum.blocks < tally->least->sum.blocks)
      tally->least = row;
    if (!tally->most || row->sum.blocks > tally->most->sum.blocks)
      tally->most = row;
  }
}

static struct tally tally_of(const struct hunt *hunt) {
  struct tally tally = {0};
  for (unsigned i = 0; i < hunt->row_count; i++) {
    const struct row *row = &hunt->rows[i];
    tally.tries += row->sum.tries;
    tally.blocks += row->sum.blocks;
    if (row->scenario->expectation == EXPECT_NEVER) {
      tally_never(&tally, row);
      continue;
    }
    tally.allowed += outcome_violations(&row->sum);
    if (row->scenario->expectation == EXPECT_SEEN) {
      tally.controls++;
      tally.controls_seen += outcome_violations(&row->sum) > 0;
    }
  }
  return tally;
}

static void put_name(FILE *out, const struct row *row) {
  page_text(out, row->scenario->name);
  fprintf(out, " (%s)", asked_text(row));
}

static void put_blocks(FILE *out, const struct row *row) {
  char events[NUMBER_SIZE], blocks[NUMBER_SIZE];
  fprintf(out, "%s of %s block%s", count_text(row->sum.blocks_with_violation, events),
          count_text(row->sum.blocks, blocks), row->sum.blocks == 1 ? "" : "s");
}

static double upper(const struct hunt *hunt, const struct row *row) {
  return bound_upper(row->sum.blocks_with_violation, row->sum.blocks, hunt->options.confidence);
}

/* Beside the words: a number to keep. */
static void bound_of_none(FILE *out, const struct hunt *hunt, const struct tally *tally) {
  const struct row *least = tally->least, *most = tally->most;
  fprintf(out, "<div class=\"bound\"><small>chance that a block has a violation</small><b>below %.3g</b>\n",
          upper(hunt, least));
  put_blocks(out, least);
  fprintf(out, ", %g %% confidence<small>", hunt->options.confidence * 100);
  put_name(out, least);
  fprintf(out, "%s", tally->never > 1 ? ", the row with the fewest blocks." : ".");
  if (most->sum.blocks > least->sum.blocks) {
    fprintf(out, " With the most, ");
    put_name(out, most);
    fprintf(out, ": ");
    put_blocks(out, most);
    fprintf(out, ", below %.3g.", upper(hunt, most));
  }
  fprintf(out, " Each bound is its row's alone.</small></div>\n");
}

static void bound_of_violation(FILE *out, const struct hunt *hunt, const struct row *worst) {
  const struct outcomes *sum = &worst->sum;
  const double confidence = hunt->options.confidence;
  fprintf(out, "<div class=\"bound\"><small>blocks with a violation, worst row</small><b>");
  put_blocks(out, worst);
  fprintf(out, "</b>\n");
  put_name(out, worst);
  fprintf(out, "<small>Chance that a block of it has one: %.3g to %.3g, %g %% confidence.</small></div>\n",
          bound_lower(sum->blocks_with_violation, sum->blocks, confidence), upper(hunt, worst), confidence * 100);
}

static void words_of_none(FILE *out, const struct tally *tally) {
  fprintf(out,
          "<p><strong>Zero of N is a bound, not safety.</strong> It bounds how often a violation can happen under this "
          "stress; it does not show that none can.</p>\n");
  if (!tally->never)
    fprintf(out, "<p>No row of this run had to be free of violations: it is all controls, and bounds nothing.</p>\n");
}

static void words_of_violation(FILE *out, const struct hunt *hunt, const struct tally *tally) {
  char text[NUMBER_SIZE], tries[NUMBER_SIZE];
  unsigned listed = 0;
  fprintf(
      out,
      "<p>A receiver saw a signal whose data was late or wrong, or a signal was lost or counted twice, where NCCL's "
      "rules forbid it: in %u of %u rows that must never show this.</p>\n<ul>\n",
      tally->bad, tally->never);
  for (unsigned i = 0; i < hunt->row_count && listed < LISTED; i++) {
    const struct row *row = &hunt->rows[i];
    if (!row_is_violation(row))
      continue;
    listed++;
    fprintf(out, "<li><strong>");
    put_name(out, row);
    fprintf(out, "</strong>: %s of %s tries</li>\n", count_text(outcome_violations(&row->sum), text),
            count_text(row->sum.tries, tries));
  }
  if (tally->bad > listed)
    fprintf(out, "<li>and %u more in the table</li>\n", tally->bad - listed);
  fprintf(out, "</ul>\n");
}

static const char *doubt_of(const struct row *row) {
  if (!row->sum.tries)
    return "nothing was run";
  if (!outcome_complete(&row->sum))
    return "the classes do not add up to the puts posted";
  return "wrong by construction, and not seen: this run would have missed a violation too";
}

static void words_of_doubt(FILE *out, const struct hunt *hunt) {
  fprintf(out, "<p>This run shows neither a violation nor how rare one is, and claims no bound.</p>\n");
  if (!hunt->row_count) {
    fprintf(out, "<p>No row was run.</p>\n");
    return;
  }
  fprintf(out, "<ul>\n");
  for (unsigned i = 0; i < hunt->row_count; i++) {
    const struct row *row = &hunt->rows[i];
    if (row_verdict(row) != VERDICT_INCONCLUSIVE)
      continue;
    fprintf(out, "<li><strong>");
    put_name(out, row);
    fprintf(out, "</strong>: %s</li>\n", doubt_of(row));
  }
  fprintf(out, "</ul>\n");
}

static void put_tag(FILE *out, const char *tag, const char *text) {
  fprintf(out, "<p><span class=\"tag\">%s</span> %s</p>\n", tag, text);
}

static void put_tags(FILE *out, const struct hunt *hunt, const struct tally *tally) {
  if (hunt->interrupted)
    put_tag(out, "interrupted", "Ended early: rows that were still to come are missing.");
  if (hunt_verdict(hunt) == VERDICT_NONE_SEEN && tally->least && tally->least->sum.blocks < SHORT_RUN)
    put_tag(out, "short run", "Fewer than 1,000 blocks in a row: a wide bound.");
  if (!tally->controls)
    put_tag(out, "no detector control",
            "No row was wrong by construction: this run does not show that it sees violations.");
}

/* A sign that does not need its colour: a ring, a cross, a question. */
static void put_sign(FILE *out, enum verdict_kind verdict) {
  static const char *const signs[] = {
      "<circle cx=\"20\" cy=\"20\" r=\"16\" fill=\"none\" stroke=\"#0b5cad\" stroke-width=\"5\"/>",
      "<circle cx=\"20\" cy=\"20\" r=\"19\" fill=\"#b8400c\"/><path d=\"M12 12 28 28M28 12 12 28\" stroke=\"#fff\" "
      "stroke-width=\"5\" stroke-linecap=\"round\"/>",
      "<path d=\"M20 3 38 36H2Z\" fill=\"none\" stroke=\"#7a5600\" stroke-width=\"4\" stroke-linejoin=\"round\"/>"
      "<path d=\"M20 15V24M20 29V31\" stroke=\"#7a5600\" stroke-width=\"4\"/>"};
  fprintf(out, "<svg width=\"40\" height=\"40\" viewBox=\"0 0 40 40\" aria-hidden=\"true\">%s</svg>\n", signs[verdict]);
}

static void put_tile(FILE *out, const char *name, const char *value, const char *more) {
  fprintf(out, "<div><dt>%s</dt><dd>%s<small>%s</small></dd></div>\n", name, value, more);
}

static void put_tiles(FILE *out, const struct hunt *hunt, const struct tally *tally) {
  char number[NUMBER_SIZE], more[2 * NUMBER_SIZE];
  fprintf(out, "<dl class=\"tiles\">\n");
  snprintf(more, sizeof more, "%u must show no violation", tally->never);
  put_tile(out, "Rows", count_text(hunt->row_count, number), more);
  put_tile(out, "Blocks", count_text(tally->blocks, number), "each draws its stress anew");
  put_tile(out, "Tries", count_text(tally->tries, number), "puts waited for and looked at");
  put_tile(out, "Violations", count_text(tally->violations, number), "where there must be none");
  snprintf(more, sizeof more, "detector controls seen: %u of %u", tally->controls_seen, tally->controls);
  put_tile(out, "Seen in controls", count_text(tally->allowed, number), more);
  fprintf(out, "</dl>\n");
}

void page_verdict(FILE *out, const struct hunt *hunt) {
  static const char *const classes[] = {"none", "violation", "inconclusive"};
  static const char *const titles[] = {"No violation seen", "Violation", "Inconclusive"};
  const enum verdict_kind verdict = hunt_verdict(hunt);
  const struct tally tally = tally_of(hunt);
  fprintf(out, "<section>\n<div class=\"verdict %s\">\n", classes[verdict]);
  put_sign(out, verdict);
  fprintf(out, "<div class=\"words\">\n<h2>%s</h2>\n", titles[verdict]);
  if (verdict == VERDICT_NONE_SEEN)
    words_of_none(out, &tally);
  else if (verdict == VERDICT_VIOLATION)
    words_of_violation(out, hunt, &tally);
  else
    words_of_doubt(out, hunt);
  put_tags(out, hunt, &tally);
  fprintf(out, "</div>\n");
  if (tally.worst)
    bound_of_violation(out, hunt, tally.worst);
  else if (verdict == VERDICT_NONE_SEEN && tally.least)
    bound_of_none(out, hunt, &tally);
  fprintf(out, "</div>\n");
  put_tiles(out, hunt, &tally);
  fprintf(out, "</section>\n");
}
