#include "bench/stress/report.h"

#include <inttypes.h>

#include "bench/stress/stats.h"

const char *registered_text(const struct row *row, char text[32]) {
  if (row->relaxed < 0)
    return "unknown";
  if (row->relaxed == 0)
    return "strict";
  if ((unsigned)row->relaxed == row->windows)
    return "relaxed";
  snprintf(text, 32, "%d of %u relaxed", row->relaxed, row->windows);
  return text;
}

const char *verdict_text(enum verdict_kind verdict) {
  static const char *const texts[] = {"ok", "VIOLATION", "inconclusive"};
  return texts[verdict];
}

void report_header(FILE *out, const struct hunt *hunt) {
  const struct options *options = &hunt->options;
  fprintf(out, "# winord-stress: backend %s (%s), ranks %u, pattern %s, seed %" PRIu64 "\n", hunt->backend->name,
          hunt->backend->transport, options->ranks, pattern_name(options->pattern), options->seed);
  fprintf(out, "# payload of a round");
  for (unsigned i = 0; i < options->size_count; i++)
    fprintf(out, " %zu", options->sizes[i]);
  fprintf(out, " bytes; a block draws its stress anew; lateness is this transport's\n#\n");
  fprintf(out, "# %-23s %-8s %-10s %10s %8s %10s %9s %9s  %-8s %s\n", "scenario", "asked", "registered", "tries",
          "blocks", "violations", "late p50", "late max", "expected", "verdict");
}

void report_row(FILE *out, const struct hunt *hunt, const struct row *row) {
  char registered[32];
  const struct outcomes *sum = &row->sum;
  (void)hunt;
  fprintf(out, "  %-23s %-8s %-10s %10" PRIu64 " %8" PRIu64 " %10" PRIu64, row->scenario->name,
          row->flags & WINDOW_STRICT ? "strict" : "default", registered_text(row, registered), sum->tries, sum->blocks,
          outcome_violations(sum));
  if (histogram_count(&sum->lateness))
    fprintf(out, " %6" PRIu64 " ns %6" PRIu64 " ns", histogram_percentile(&sum->lateness, 50), sum->lateness.max);
  else
    fprintf(out, " %9s %9s", "-", "-");
  fprintf(out, "  %-8s %s\n", expectation_name(row->scenario->expectation), verdict_text(row_verdict(row)));
}

static void print_bounds(FILE *out, const struct hunt *hunt, const struct outcomes *sum) {
  const double confidence = hunt->options.confidence;
  fprintf(out, "  blocks with a violation: %" PRIu64 " of %" PRIu64 ", probability below %.3g (%g %% confidence)%s\n",
          sum->blocks_with_violation, sum->blocks, bound_upper(sum->blocks_with_violation, sum->blocks, confidence),
          confidence * 100, sum->blocks < 1000 ? "; fewer than 1,000 blocks: a short run" : "");
  fprintf(out, "  per try, if tries were independent: below %.3g\n",
          bound_upper(outcome_violations(sum), sum->tries, confidence));
}

/* How long it takes to say more. */
static void print_budget(FILE *out, const struct hunt *hunt, const struct row *row) {
  const double wanted = 1e-4;
  const uint64_t blocks = tries_needed(wanted, hunt->options.confidence);
  if (outcome_violations(&row->sum) == 0 && row->sum.blocks && row->sum.blocks < blocks)
    fprintf(out, "  a bound of %g takes %" PRIu64 " blocks without one: about %.0f s of this row\n", wanted, blocks,
            row->seconds / (double)row->sum.blocks * (double)blocks);
}

static void print_classes(FILE *out, const struct outcomes *sum) {
  fprintf(out, " ");
  for (int i = 1; i < OUTCOMES; i++)
    if (sum->count[i])
      fprintf(out, " %s %" PRIu64, outcome_name((enum outcome)i), sum->count[i]);
  fprintf(out, "\n");
}

static void print_origin(FILE *out, const struct origin *origin) {
  fprintf(out, "source %u context %u slot %u round %u word %u", origin->source, origin->context, origin->slot,
          origin->round, origin->index);
}

static void print_witness(FILE *out, const struct witness *witness) {
  fprintf(out, "  witness: %s at %" PRIu64 " ns, block %" PRIu64 ", rank %u, %u of %u words; wanted ",
          outcome_name(witness->outcome), witness->time_ns, witness->block, witness->receiver, witness->wrong,
          witness->words);
  print_origin(out, &witness->want);
  if (witness->wrong) {
    fprintf(out, ", got ");
    print_origin(out, &witness->got);
  }
  if (witness->lateness_ns)
    fprintf(out, ", healed after %" PRIu64 " ns", witness->lateness_ns);
  fprintf(out, "\n");
}

static void report_observation(FILE *out, const struct hunt *hunt, const struct row *row) {
  const struct outcomes *sum = &row->sum;
  const uint64_t violations = outcome_violations(sum);
  fprintf(out, "Observation %s%s %s %" PRIu64 " %" PRIu64 "\n", row->scenario->name,
          row->flags & WINDOW_STRICT ? "" : " (default)", violations ? "Sometimes" : "Never", violations,
          sum->tries - violations);
  if (!outcome_complete(sum))
    fprintf(out, "  the classes do not add up (%" PRIu64 " tries, %" PRIu64 " posted): no verdict\n", sum->tries,
            sum->posted);
  if (violations)
    print_classes(out, sum);
  print_bounds(out, hunt, sum);
  print_budget(out, hunt, row);
  if (violations && row->scenario->expectation == EXPECT_NEVER) {
    for (unsigned i = 0; i < sum->witness_count && i < 3; i++)
      print_witness(out, &sum->witness[i]);
    histogram_print(&sum->lateness, out);
  }
}

void report_verdict(FILE *out, const struct hunt *hunt) {
  static const char *const texts[] = {
      "no violation seen. That bounds how often one can happen under this stress; it does not show that none can",
      "VIOLATION: data came after its signal, or not at all",
      "inconclusive: see the rows above; a detector control that is not seen, or too little was run"};
  fprintf(out, "#\n");
  for (unsigned i = 0; i < hunt->row_count; i++)
    report_observation(out, hunt, &hunt->rows[i]);
  fprintf(out, "%s# verdict: %s\n", hunt->interrupted ? "# interrupted\n" : "", texts[hunt_verdict(hunt)]);
}
