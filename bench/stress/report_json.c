#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "bench/stress/report.h"
#include "bench/stress/stats.h"

enum { FORMAT_VERSION = 1 };

static json_t *number(uint64_t value) { return json_integer((json_int_t)value); }

static json_t *origin_json(const struct origin *origin) {
  return json_pack("{s:i, s:i, s:i, s:i, s:i}", "source", (int)origin->source, "context", (int)origin->context, "slot",
                   (int)origin->slot, "round", (int)origin->round, "word", (int)origin->index);
}

static json_t *witness_json(const struct witness *witness) {
  return json_pack("{s:s, s:o, s:o, s:o, s:i, s:o, s:o, s:i, s:i}", "outcome", outcome_name(witness->outcome),
                   "time_ns", number(witness->time_ns), "lateness_ns", number(witness->lateness_ns), "block",
                   number(witness->block), "receiver", (int)witness->receiver, "want", origin_json(&witness->want),
                   "got", origin_json(&witness->got), "wrong", (int)witness->wrong, "words", (int)witness->words);
}

static json_t *witnesses_json(const struct outcomes *sum) {
  json_t *array = json_array();
  for (unsigned i = 0; i < sum->witness_count; i++)
    json_array_append_new(array, witness_json(&sum->witness[i]));
  return array;
}

static json_t *classes_json(const struct outcomes *sum) {
  json_t *object = json_object();
  for (int i = 0; i < OUTCOMES; i++)
    json_object_set_new(object, outcome_name((enum outcome)i), number(sum->count[i]));
  return object;
}

static json_t *lateness_json(const struct histogram *histogram) {
  json_t *buckets = json_array();
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
    json_array_append_new(buckets, number(histogram->buckets[i]));
  return json_pack("{s:o, s:o, s:o, s:o}", "log2_ns", buckets, "p50_ns", number(histogram_percentile(histogram, 50)),
                   "p99_ns", number(histogram_percentile(histogram, 99)), "max_ns", number(histogram->max));
}

static json_t *sizes_json(const struct options *options, const struct row *row) {
  json_t *array = json_array();
  for (unsigned i = 0; i < options->size_count; i++)
    json_array_append_new(array, json_pack("{s:o, s:o, s:o}", "bytes", number(options->sizes[i]), "tries",
                                           number(row->by_size[i].tries), "violations",
                                           number(outcome_violations(&row->by_size[i]))));
  return array;
}

static json_t *row_json(const struct hunt *hunt, const struct row *row) {
  const struct outcomes *sum = &row->sum;
  const double confidence = hunt->options.confidence;
  char registered[32];
  json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:f}", "scenario", row->scenario->name,
                             "asked", row->flags & WINDOW_STRICT ? "strict" : "default", "registered",
                             registered_text(row, registered), "expected", expectation_name(row->scenario->expectation),
                             "verdict", verdict_text(row_verdict(row)), "tries", number(sum->tries), "blocks",
                             number(sum->blocks), "blocks_with_violation", number(sum->blocks_with_violation),
                             "violations", number(outcome_violations(sum)), "seconds", row->seconds);
  json_object_set_new(object, "transport_time_ns", number(sum->time_ns));
  json_object_set_new(object, "classes", classes_json(sum));
  json_object_set_new(object, "block_bound",
                      json_real(sum->blocks ? bound_upper(sum->blocks_with_violation, sum->blocks, confidence) : 1));
  json_object_set_new(object, "try_bound_if_independent",
                      json_real(sum->tries ? bound_upper(outcome_violations(sum), sum->tries, confidence) : 1));
  json_object_set_new(object, "lateness", lateness_json(&sum->lateness));
  json_object_set_new(object, "sizes", sizes_json(&hunt->options, row));
  json_object_set_new(object, "witnesses", witnesses_json(sum));
  return object;
}

/* Pattern by size, of the rows that must never show a violation; patterns that ran. */
static json_t *patterns_json(const struct hunt *hunt) {
  json_t *array = json_array();
  for (int pattern = 0; pattern < PATTERNS; pattern++) {
    uint64_t tries = 0;
    json_t *sizes = json_array();
    for (unsigned i = 0; i < hunt->options.size_count; i++) {
      const struct cell cell = hunt_cell(hunt, (enum pattern)pattern, i);
      tries += cell.tries;
      json_array_append_new(sizes, json_pack("{s:o, s:o, s:o}", "bytes", number(hunt->options.sizes[i]), "tries",
                                             number(cell.tries), "violations", number(cell.violations)));
    }
    if (tries)
      json_array_append_new(array,
                            json_pack("{s:s, s:o}", "pattern", pattern_name((enum pattern)pattern), "sizes", sizes));
    else
      json_decref(sizes);
  }
  return array;
}

bool report_json(const char *path, const struct hunt *hunt) {
  const struct options *options = &hunt->options;
  json_t *rows = json_array();
  for (unsigned i = 0; i < hunt->row_count; i++)
    json_array_append_new(rows, row_json(hunt, &hunt->rows[i]));
  const char *mode = getenv("WINORD_FABRIC_MODE"), *fault = getenv("WINORD_FABRIC_FAULT");
  json_t *all =
      json_pack("{s:i, s:s, s:s, s:s, s:o, s:i, s:s, s:i, s:f, s:b, s:s, s:o}", "version", FORMAT_VERSION, "winord",
                WINORD_VERSION, "backend", hunt->backend->name, "transport", hunt->backend->transport, "seed",
                number(options->seed), "ranks", (int)options->ranks, "pattern", pattern_name(options->pattern),
                "tries_per_block", (int)options->tries, "confidence", options->confidence, "interrupted",
                hunt->interrupted, "verdict", verdict_text(hunt_verdict(hunt)), "rows", rows);
  json_object_set_new(all, "patterns", patterns_json(hunt));
  json_object_set_new(all, "fabric_mode", mode ? json_string(mode) : json_null());
  json_object_set_new(all, "fabric_fault", fault ? json_string(fault) : json_null());
  const int failed = !all || json_dump_file(all, path, JSON_INDENT(1));
  const int error = errno;
  json_decref(all);
  errno = error;
  return !failed;
}
