#include <stdlib.h>

#include "bench/stress/page.h"
#include "bench/stress/report.h"

static const char *const meanings[OUTCOMES] = {
    [OUTCOME_EARLY] = "an older round's words at first; the right ones came later",
    [OUTCOME_STALE] = "an older round's words that never healed",
    [OUTCOME_FUTURE] = "a newer round's words: the source was overwritten before the put read it",
    [OUTCOME_TORN] = "two rounds within one aligned unit of 128 bytes",
    [OUTCOME_FOREIGN] = "words of another source, slot or place, or of nobody",
    [OUTCOME_LOST] = "the signal never came",
    [OUTCOME_DUPLICATE] = "the signal counts more than was ever sent",
    [OUTCOME_EARLY_SIGNAL] = "the signal stood there before its put was posted"};

static void put_cell(FILE *out, uint64_t value) {
  char text[NUMBER_SIZE];
  fprintf(out, "<td class=\"n\">%s</td>", count_text(value, text));
}

/* What was wanted, and what stood there instead where that differs. */
static void put_pair(FILE *out, unsigned want, unsigned got, bool wrong) {
  if (wrong && want != got)
    fprintf(out, "<td class=\"n differs\">%u, got %u</td>", want, got);
  else
    fprintf(out, "<td class=\"n\">%u</td>", want);
}

static void put_round(FILE *out, const struct witness *witness) {
  const int ahead = rounds_ahead(witness->got.round, witness->want.round);
  fprintf(out, "<td class=\"n\">%u</td>", witness->want.round);
  if (!witness->wrong)
    fprintf(out, "<td class=\"n\">–</td><td>–</td>");
  else if (ahead)
    fprintf(out, "<td class=\"n\">%u</td><td>%d %s</td>", witness->got.round, abs(ahead),
            ahead < 0 ? "older" : "newer");
  else
    fprintf(out, "<td class=\"n\">%u</td><td>the same</td>", witness->got.round);
}

static void put_witness(FILE *out, const struct witness *witness) {
  const struct origin *want = &witness->want, *got = &witness->got;
  const bool wrong = witness->wrong != 0;
  fprintf(out, "<tr class=\"witness\"><td>%s</td>", outcome_name(witness->outcome));
  put_cell(out, witness->time_ns);
  put_cell(out, witness->block);
  put_cell(out, witness->receiver);
  put_pair(out, want->source, got->source, wrong);
  put_pair(out, want->context, got->context, wrong);
  put_pair(out, want->slot, got->slot, wrong);
  put_round(out, witness);
  put_pair(out, want->index, got->index, wrong);
  fprintf(out, "<td class=\"n\">%u of %u</td>", witness->wrong, witness->words);
  if (witness->lateness_ns)
    put_cell(out, witness->lateness_ns);
  else
    fprintf(out, "<td class=\"n\">–</td>");
  fprintf(out, "</tr>\n");
}

static void put_group(FILE *out, const struct row *row) {
  char text[NUMBER_SIZE], registered[32];
  fprintf(out, "<tr class=\"group\"><th colspan=\"13\" scope=\"rowgroup\">");
  page_text(out, row->scenario->name);
  fprintf(out, " <span class=\"soft\">&#160;asked %s, registered %s; ", asked_text(row),
          registered_text(row, registered));
  if (outcome_violations(&row->sum) > row->sum.witness_count)
    fprintf(out, "%u of %s", row->sum.witness_count, count_text(outcome_violations(&row->sum), text));
  else
    fprintf(out, "all %u", row->sum.witness_count);
  fprintf(out, " violations</span></th></tr>\n");
  for (unsigned i = 0; i < row->sum.witness_count; i++)
    put_witness(out, &row->sum.witness[i]);
}

/* Of rows that show a violation, or of the others. */
static void put_table(FILE *out, const struct hunt *hunt, bool violations) {
  fprintf(out,
          "<div class=\"wide\"><table class=\"witnesses\">\n<thead><tr><th>Class</th><th class=\"n\">Seen at, ns</th>"
          "<th class=\"n\">Block</th><th class=\"n\">Receiver</th><th class=\"n\">Source</th><th class=\"n\">Context"
          "</th><th class=\"n\">Slot</th><th class=\"n\">Round wanted</th><th class=\"n\">got</th><th>which is</th>"
          "<th class=\"n\">Word</th><th class=\"n\">Wrong words</th><th class=\"n\">Late, ns</th></tr></thead>\n"
          "<tbody>\n");
  for (unsigned i = 0; i < hunt->row_count; i++)
    if (hunt->rows[i].sum.witness_count && row_is_violation(&hunt->rows[i]) == violations)
      put_group(out, &hunt->rows[i]);
  fprintf(out, "</tbody></table></div>\n");
}

static unsigned count_witnesses(const struct hunt *hunt, bool violations) {
  unsigned count = 0;
  for (unsigned i = 0; i < hunt->row_count; i++)
    if (row_is_violation(&hunt->rows[i]) == violations)
      count += hunt->rows[i].sum.witness_count;
  return count;
}

static void put_classes(FILE *out, const struct hunt *hunt) {
  bool seen[OUTCOMES] = {false};
  for (unsigned i = 0; i < hunt->row_count; i++)
    for (unsigned j = 0; j < hunt->rows[i].sum.witness_count; j++)
      seen[hunt->rows[i].sum.witness[j].outcome] = true;
  fprintf(out, "<dl class=\"classes\">\n");
  for (int i = 1; i < OUTCOMES; i++)
    if (seen[i])
      fprintf(out, "<dt>%s</dt><dd>%s</dd>\n", outcome_name((enum outcome)i), meanings[i]);
  fprintf(out, "</dl>\n");
}

void page_witnesses(FILE *out, const struct hunt *hunt) {
  const unsigned bad = count_witnesses(hunt, true), others = count_witnesses(hunt, false);
  if (!bad && !others)
    return;
  fprintf(
      out,
      "<section>\n<h2>Witnesses</h2>\n<p class=\"soft\">At most %d of a row, decoded from the first "
      "wrong word, from the tail. Time is the transport's, within the block. Rounds count modulo 2<sup>20</sup>.</p>\n",
      WITNESSES);
  if (bad)
    put_table(out, hunt, true);
  if (others) {
    fprintf(out, "<details><summary>Witnesses of controls: %u</summary>\n", others);
    put_table(out, hunt, false);
    fprintf(out, "</details>\n");
  }
  put_classes(out, hunt);
  fprintf(out, "</section>\n");
}
