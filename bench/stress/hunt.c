#include "bench/stress/hunt.h"

#include <stdio.h>
#include <time.h>

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t largest_size(const struct options *options) {
  size_t largest = 16;
  for (unsigned i = 0; i < options->size_count; i++)
    if (options->sizes[i] > largest)
      largest = options->sizes[i];
  return largest;
}

/* A large payload takes its time: fewer rounds, about the same bytes as 2,000 of 512. */
static unsigned tries_for(const struct options *options, size_t bytes) {
  const size_t most = ((size_t)1 << 20) / bytes;
  const unsigned tries = most < options->tries ? (unsigned)most : options->tries;
  return bytes <= 512 ? options->tries : tries < 8 ? 8 : tries;
}

struct block hunt_block(const struct options *options, const struct scenario *scenario, unsigned long long number,
                        unsigned *size_index) {
  static const size_t offsets[] = {0, 8, 56, 64, 120, 2048, 4088};
  *size_index = (unsigned)(number % options->size_count);
  size_t bytes = options->sizes[*size_index];
  if (scenario->shape == SHAPE_TWO_PUTS && bytes < 16)
    bytes = 16;
  return (struct block){.scenario = scenario,
                        .pattern = options->pattern,
                        .bytes = bytes,
                        .offset = offsets[seed_of(number, 4) % (sizeof offsets / sizeof *offsets)],
                        .tries = tries_for(options, bytes),
                        .number = number,
                        .seed = options->seed};
}

static bool run_block(struct hunt *hunt, struct row *row, unsigned long long number, bool counted, char *error) {
  unsigned size_index;
  const struct block block = hunt_block(&hunt->options, row->scenario, number, &size_index);
  struct outcomes sum = {0};
  for (unsigned i = 0; i < hunt->world.local; i++)
    if (!hunt->backend->run(hunt->world.first + i, &block, &sum, error))
      return false;
  if (!counted)
    return true;
  outcome_merge(&row->sum, &sum);
  sum.witness_count = 0;
  outcome_merge(&row->by_size[size_index], &sum);
  return true;
}

struct pace {
  double start, end; /* of the row, seconds */
  unsigned long long blocks; /* exactly so many, or 0 */
};

static bool goes_on(const struct pace *pace, unsigned long long number) {
  return pace->blocks ? number < pace->blocks : now_seconds() < pace->end;
}

static bool run_row(struct hunt *hunt, struct row *row, const struct pace *pace,
                    void (*progress)(const struct hunt *hunt, double share), const volatile int *stop, char *error) {
  const unsigned warmup = hunt->options.warmup;
  for (unsigned long long number = 0; !(stop && *stop) && (number <= warmup || goes_on(pace, number - warmup));
       number++) {
    if (!run_block(hunt, row, number, number >= warmup, error))
      return false;
    if (progress && number % 16 == 0)
      progress(hunt, 0);
  }
  row->seconds = now_seconds() - pace->start;
  hunt->interrupted |= stop && *stop;
  return true;
}

static void count_windows(struct hunt *hunt, struct row *row) {
  row->windows = hunt->world.local;
  for (unsigned i = 0; i < hunt->world.local; i++) {
    const int relaxed = hunt->backend->registered_relaxed(hunt->world.first + i);
    row->relaxed = relaxed < 0 || row->relaxed < 0 ? -1 : row->relaxed + relaxed;
  }
}

static bool run_flags(struct hunt *hunt, int flags, unsigned rows_in_all, double start,
                      void (*progress)(const struct hunt *hunt, double share), const volatile int *stop, char *error) {
  const struct options *options = &hunt->options;
  const size_t bytes = fabric_window_bytes(options->ranks, largest_size(options));
  bool good = hunt->backend->open(&hunt->world, bytes, flags, error);
  for (unsigned i = 0; good && i < options->chosen_count && !(stop && *stop); i++) {
    struct row *row = &hunt->rows[hunt->row_count++];
    *row = (struct row){.scenario = options->chosen[i], .flags = flags};
    const struct pace pace = {.start = now_seconds(),
                              .end = start + options->seconds * hunt->row_count / rows_in_all,
                              .blocks = options->blocks};
    count_windows(hunt, row);
    good = run_row(hunt, row, &pace, progress, stop, error);
  }
  hunt->backend->close();
  return good;
}

bool hunt_run(struct hunt *hunt, void (*progress)(const struct hunt *hunt, double share), const volatile int *stop,
              char *error) {
  const struct options *options = &hunt->options;
  const unsigned rows = options->chosen_count * (unsigned)(options->ask_strict + options->ask_default);
  const double start = now_seconds();
  hunt->row_count = 0;
  return (!options->ask_strict || run_flags(hunt, WINDOW_STRICT, rows, start, progress, stop, error)) &&
         (!options->ask_default || run_flags(hunt, 0, rows, start, progress, stop, error));
}

enum verdict_kind row_verdict(const struct row *row) {
  const uint64_t violations = outcome_violations(&row->sum);
  if (!row->sum.tries || !outcome_complete(&row->sum))
    return VERDICT_INCONCLUSIVE;
  if (row->scenario->expectation == EXPECT_SEEN)
    return violations ? VERDICT_NONE_SEEN : VERDICT_INCONCLUSIVE;
  if (row->scenario->expectation == EXPECT_NEVER)
    return violations ? VERDICT_VIOLATION : VERDICT_NONE_SEEN;
  return VERDICT_NONE_SEEN;
}

/* A violation stands whatever else is in doubt. */
enum verdict_kind hunt_verdict(const struct hunt *hunt) {
  enum verdict_kind worst = hunt->row_count ? VERDICT_NONE_SEEN : VERDICT_INCONCLUSIVE;
  for (unsigned i = 0; i < hunt->row_count; i++) {
    const enum verdict_kind verdict = row_verdict(&hunt->rows[i]);
    if (verdict == VERDICT_VIOLATION)
      return verdict;
    if (verdict == VERDICT_INCONCLUSIVE)
      worst = verdict;
  }
  return worst;
}
