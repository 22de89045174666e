#include <errno.h>
#include <jansson.h>

#include "bench/gpu/results.h"

enum { FORMAT_VERSION = 1 };

static json_t *real_or_null(double value) { return value > 0 ? json_real(value) : json_null(); }

static json_t *row_json(const struct row *row) {
  return json_pack("{s:s, s:s, s:s?, s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:s, s:s}", "part", row->part, "what",
                   row->what, "floor_what", row->floor_what, "unit", row->unit, "bytes",
                   row->bytes ? json_integer((json_int_t)row->bytes) : json_null(), "repetitions",
                   (int)row->repetitions, "measured", real_or_null(row->measured), "floor", real_or_null(row->floor),
                   "ratio", real_or_null(row->ratio), "target", real_or_null(row->target), "target_is",
                   row->at_least ? "at_least" : "at_most", "verdict", row_verdict(row));
}

static json_t *measure_json(const struct measure *measure) {
  static const char *const states[] = {[NOT_RUN] = "not_run", [RAN] = "ran", [FAILED] = "hung"};
  return json_pack("{s:s, s:i, s:o, s:I}", "state", states[measure->state], "repetitions", (int)measure->repetitions,
                   "gb_per_s", real_or_null(measure->gb_per_s), "wrong_words", (json_int_t)measure->wrong);
}

static json_t *cell_json(const struct cell *cell) {
  return json_pack("{s:s, s:I, s:i, s:o, s:o, s:o}", "pattern", pattern_name(cell->pattern), "bytes",
                   (json_int_t)cell->bytes, "pairs", (int)cell->pairs, "lsa_put", measure_json(&cell->of[WAY_LSA]),
                   "gin_put", measure_json(&cell->of[WAY_GIN]), "staged_copy", measure_json(&cell->of[WAY_COPY]));
}

static json_t *results_json(const struct results *results) {
  json_t *rows = json_array(), *cells = json_array(), *notes = json_array();
  for (unsigned i = 0; i < results->row_count; i++)
    json_array_append_new(rows, row_json(&results->rows[i]));
  for (unsigned i = 0; i < results->cell_count; i++)
    json_array_append_new(cells, cell_json(&results->cells[i]));
  for (unsigned i = 0; i < results->note_count; i++)
    json_array_append_new(notes, json_string(results->notes[i]));
  return json_pack("{s:i, s:s, s:s?, s:i, s:i, s:i, s:o, s:o, s:o}", "v", FORMAT_VERSION, "machine", results->machine,
                   "gin", *results->gin ? results->gin : NULL, "ranks", (int)results->ranks, "gpus",
                   (int)results->devices, "timer_ns", (int)results->timer_ns, "notes", notes, "speed", rows, "puts",
                   cells);
}

bool results_write(const struct results *results, const char *path) {
  json_t *json = results_json(results);
  errno = json ? 0 : ENOMEM;
  const bool good = json && json_dump_file(json, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0;
  json_decref(json);
  return good;
}
