#include "bench/gpu/results.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row *results_row(struct results *results) {
  return &results->rows[results->row_count < ROWS_MAX ? results->row_count++ : ROWS_MAX - 1];
}

struct cell *results_cell(struct results *results) {
  return &results->cells[results->cell_count < CELLS_MAX ? results->cell_count++ : CELLS_MAX - 1];
}

void results_note(struct results *results, const char *format, ...) {
  va_list arguments;
  if (results->note_count == NOTES_MAX)
    return;
  va_start(arguments, format);
  vsnprintf(results->notes[results->note_count++], NOTE_BYTES, format, arguments);
  va_end(arguments);
}

static int compare(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

double median_of(double *values, unsigned count) {
  qsort(values, count, sizeof *values, compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

const char *row_verdict(const struct row *row) {
  if (row->state != RAN)
    return row->state == FAILED ? "failed" : "not run";
  if (!(row->target > 0))
    return "";
  return (row->at_least ? row->ratio >= row->target : row->ratio <= row->target) ? "ok" : "OVER";
}

bool results_wrong(const struct results *results) {
  for (unsigned i = 0; i < results->row_count; i++)
    if (results->rows[i].state == FAILED)
      return true;
  for (unsigned i = 0; i < results->cell_count; i++)
    for (int way = 0; way < WAYS; way++)
      if (results->cells[i].of[way].wrong)
        return true;
  return false;
}

static const char *value_text(char text[16], const char *unit, double value) {
  if (!(value > 0))
    return "-";
  snprintf(text, 16, strcmp(unit, "us") == 0 ? "%.2f" : strcmp(unit, "/s") == 0 ? "%.0f" : "%.1f", value);
  return text;
}

static void print_row(const struct row *row) {
  char bytes[24] = "-", measured[16], floor[16], ratio[16] = "-", target[16] = "";
  if (row->bytes)
    snprintf(bytes, sizeof bytes, "%zu", row->bytes);
  if (row->ratio > 0)
    snprintf(ratio, sizeof ratio, "%.3f", row->ratio);
  if (row->target > 0)
    snprintf(target, sizeof target, "%s%.1f", row->at_least ? ">=" : "<=", row->target);
  printf("  %-7s %-37s %9s  %-4s %11s %11s %7s  %-6s  %s\n", row->part, row->what, bytes, row->unit,
         value_text(measured, row->unit, row->measured), value_text(floor, row->unit, row->floor), ratio, target,
         row_verdict(row));
}

static void print_rows(const struct results *results) {
  printf("#\n# speed: medians of interleaved repetitions, each ratio against the floor beside it, in this run\n");
  printf("# floors: lane: %s; oracle: without it; verify: a kernel of as many CTAs that reads and sums up\n",
         "payload, fence and flag by hand, answered by fence and flag");
  printf("# %-7s %-37s %9s  %-4s %11s %11s %7s  %-6s  %s\n", "part", "what", "bytes", "unit", "measured", "floor",
         "ratio", "target", "verdict");
  for (unsigned i = 0; i < results->row_count; i++)
    print_row(&results->rows[i]);
}

static void print_measure(const struct measure *measure) {
  char text[24] = "-";
  if (measure->state == RAN)
    snprintf(text, sizeof text, "%.2f%s", measure->gb_per_s, measure->wrong ? "!" : " ");
  printf(" %12s", measure->state == FAILED ? "hung " : text);
}

static void print_ratio(const struct cell *cell, enum way way) {
  const struct measure *put = &cell->of[way], *copy = &cell->of[WAY_COPY];
  if (put->state == RAN && copy->state == RAN && copy->gb_per_s > 0)
    printf(" %9.2f", put->gb_per_s / copy->gb_per_s);
  else
    printf(" %9s", "-");
}

static void print_cell(const struct cell *cell) {
  uint64_t wrong = 0;
  printf("  %-10s %10zu %6u", pattern_name(cell->pattern), cell->bytes, cell->pairs);
  for (int way = 0; way < WAYS; way++) {
    print_measure(&cell->of[way]);
    wrong += cell->of[way].wrong;
  }
  print_ratio(cell, WAY_LSA);
  print_ratio(cell, WAY_GIN);
  printf(" %7llu\n", (unsigned long long)wrong);
}

static void print_cells(const struct results *results) {
  printf("#\n# puts: aggregate GB/s of all pairs (1e9 bytes), median; new payload in every repetition, and every word\n"
         "# checked at every target after it; `!` and #wrong: words that were not as sent\n");
  printf("# %-10s %10s %6s %12s %12s %12s %9s %9s %7s\n", "pattern", "size", "pairs", "lsa put ", "gin put ",
         "staged copy ", "lsa/copy", "gin/copy", "#wrong");
  printf("# %-10s %10s %6s %12s %12s %12s\n", "", "(B)", "", "(GB/s) ", "(GB/s) ", "(GB/s) ");
  if (results->ranks == 2)
    printf("# two ranks: pairs, ring and all are the same, and so are fan-out and bipartite\n");
  for (unsigned i = 0; i < results->cell_count; i++)
    print_cell(&results->cells[i]);
}

void results_print(const struct results *results) {
  printf("# bench-gpu: %s; %u ranks on %u GPU%s; timer of %u ns\n", results->machine, results->ranks, results->devices,
         results->devices == 1 ? "" : "s", results->timer_ns);
  if (*results->gin)
    printf("# GIN: %s\n", results->gin);
  for (unsigned i = 0; i < results->note_count; i++)
    printf("# note: %s\n", results->notes[i]);
  if (results->row_count)
    print_rows(results);
  if (results->cell_count)
    print_cells(results);
}
