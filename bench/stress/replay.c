#include "bench/stress/replay.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/stress/hunt.h"

enum { FORMAT_VERSION = 1, MISTAKE = 2 };

static int mistake(const char *file, const char *why) {
  fprintf(stderr, "winord-stress: --replay %s: %s\n", file, why);
  return MISTAKE;
}

static uint64_t integer(const json_t *object, const char *key) {
  return (uint64_t)json_integer_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key) {
  const char *value = json_string_value(json_object_get(object, key));
  return value ? value : "";
}

static bool take_sizes(const json_t *row, struct options *options) {
  const json_t *sizes = json_object_get(row, "sizes");
  options->size_count = (unsigned)json_array_size(sizes);
  for (unsigned i = 0; i < options->size_count && i < SIZES_MAX; i++)
    options->sizes[i] = integer(json_array_get(sizes, i), "bytes");
  return options->size_count > 0 && options->size_count <= SIZES_MAX;
}

static bool take_run(const json_t *run, struct options *options) {
  options->seed = integer(run, "seed");
  options->ranks = (unsigned)integer(run, "ranks");
  options->tries = (unsigned)integer(run, "tries_per_block");
  options->pattern = pattern_find(text(run, "pattern"));
  return options->ranks >= 1 && options->ranks <= 64 && options->tries && options->pattern != PATTERNS;
}

/* What the fabric was told then, it is told now. */
static void take_environment(const json_t *run, const char *key, const char *variable) {
  const char *value = json_string_value(json_object_get(run, key));
  if (value)
    setenv(variable, value, 1);
  else
    unsetenv(variable);
}

struct replaying {
  struct hunt hunt;
  unsigned again, all;
};

static bool again(struct replaying *replaying, const struct scenario *scenario, const json_t *witness, char *error) {
  struct outcomes sums[RANKS_LOCAL_MAX] = {0};
  unsigned size_index;
  const struct block block = hunt_block(&replaying->hunt.options, scenario, integer(witness, "block"), &size_index);
  const unsigned receiver = (unsigned)integer(witness, "receiver");
  if (receiver >= replaying->hunt.world.ranks || !replaying->hunt.backend->run(&block, sums, error))
    return false;
  const struct outcomes sum = sums[receiver];
  const bool shown = outcome_violations(&sum) > 0;
  replaying->all++;
  replaying->again += shown;
  printf("%s block %llu rank %u: %s, %" PRIu64 " of %" PRIu64 " tries\n", scenario->name, block.number, receiver,
         shown ? "again" : "not again", outcome_violations(&sum), sum.tries);
  return true;
}

static size_t largest(const struct options *options) {
  size_t bytes = 16;
  for (unsigned i = 0; i < options->size_count; i++)
    bytes = options->sizes[i] > bytes ? options->sizes[i] : bytes;
  return bytes;
}

static bool replay_row(struct replaying *replaying, const json_t *row, char *error) {
  const struct scenario *scenario = scenario_find(text(row, "scenario"));
  const json_t *witnesses = json_object_get(row, "witnesses");
  struct hunt *hunt = &replaying->hunt;
  if (!scenario || !take_sizes(row, &hunt->options)) {
    snprintf(error, ERROR_SIZE, "a row that this winord does not know");
    return false;
  }
  if (!json_array_size(witnesses))
    return true;
  const int flags = strcmp(text(row, "asked"), "strict") == 0 ? WINDOW_STRICT : 0;
  bool good = hunt->backend->open(&hunt->world, largest(&hunt->options), flags, error);
  for (size_t i = 0; good && i < json_array_size(witnesses); i++)
    good = again(replaying, scenario, json_array_get(witnesses, i), error);
  hunt->backend->close();
  return good;
}

static int replay_run(const char *file, const json_t *run, const struct options *options) {
  static struct replaying replaying;
  char error[ERROR_SIZE] = "";
  const json_t *rows = json_object_get(run, "rows");
  replaying.hunt.options = *options;
  replaying.hunt.backend = &fabric_backend;
  if (integer(run, "version") != FORMAT_VERSION)
    return mistake(file, "written by another version, or no file of -J");
  if (json_object_get(run, "backend") && strcmp(text(run, "backend"), fabric_backend.name) != 0)
    return mistake(file, "not of the simulated fabric: what ran on GPUs does not come again from its seed");
  take_environment(run, "fabric_mode", "WINORD_FABRIC_MODE");
  take_environment(run, "fabric_fault", "WINORD_FABRIC_FAULT");
  if (!take_run(run, &replaying.hunt.options))
    return mistake(file, "ranks, pattern or tries_per_block are missing or out of range");
  replaying.hunt.world = (struct world){.ranks = replaying.hunt.options.ranks, .local = replaying.hunt.options.ranks};
  for (size_t i = 0; i < json_array_size(rows); i++)
    if (!replay_row(&replaying, json_array_get(rows, i), error))
      return mistake(file, error);
  printf("# %u of %u violations shown again\n", replaying.again, replaying.all);
  return replaying.again == 0 ? 0 : replaying.again == replaying.all ? 1 : MISTAKE;
}

int replay(const struct options *options) {
  json_error_t error;
  json_t *run = json_load_file(options->replay, 0, &error);
  if (!run)
    return mistake(options->replay, error.text);
  const int status = replay_run(options->replay, run, options);
  json_decref(run);
  return status;
}
