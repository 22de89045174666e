#include "bench/stress/hunt.h"

#include <math.h>
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

bool hunt_sum(const struct hunt *hunt, const struct block *block, struct outcomes *sum, char *error) {
  struct outcomes sums[RANKS_LOCAL_MAX] = {0};
  if (!hunt->backend->run(block, sums, error))
    return false;
  for (unsigned i = 0; i < hunt->world.local; i++)
    outcome_merge(sum, &sums[i]);
  return true;
}

static bool run_block(struct hunt *hunt, struct row *row, unsigned long long number, bool counted, char *error) {
  unsigned size_index;
  const struct block block = hunt_block(&hunt->options, row->scenario, number, &size_index);
  struct outcomes sum = {0};
  if (!hunt_sum(hunt, &block, &sum, error))
    return false;
  if (!counted)
    return true;
  outcome_merge(&row->sum, &sum);
  sum.witness_count = 0;
  outcome_merge(&row->by_size[size_index], &sum);
  if (row->scenario->expectation == EXPECT_NEVER) {
    struct cell *cell = &hunt->grid.cells[pattern_of_block(block.pattern, number)][size_index];
    cell->tries += sum.tries;
    cell->violations += outcome_violations(&sum);
  }
  return true;
}

struct pace {
  double start, end; /* of the row, seconds */
  unsigned long long blocks; /* exactly so many, or 0 */
};

static bool goes_on(const struct pace *pace, unsigned long long number) {
  return pace->blocks ? number < pace->blocks : now_seconds() < pace->end;
}

/* What ranks in several processes tell each other; each rank has one. */
struct mail {
  uint64_t options; /* a digest: they must agree */
  int done[2], stopped[2]; /* with the row; in turn, so that the last one can still be read */
  unsigned long long batch[2]; /* rank 0's: how many blocks come next */
  int relaxed;
  struct outcomes sum;
  struct {
    uint64_t tries, violations;
  } by_size[SIZES_MAX];
  struct grid grid; /* since the run began */
};
_Static_assert(sizeof(struct mail) <= MAIL_BYTES, "a rank's mail fits");

enum { MEET_MS = 9000 };

/* Where all run the same blocks, another rank may still be in one. */
static int meet_ms(const struct hunt *hunt) {
  return MEET_MS + (hunt->backend->together ? (int)hunt->world.watchdog * 1000 : 0);
}

static bool is_alone(const struct hunt *hunt) { return hunt->world.local == hunt->world.ranks; }

static struct mail *mail_of(const struct hunt *hunt, unsigned rank) {
  return (struct mail *)((char *)hunt->backend->mail() + (size_t)rank * MAIL_BYTES);
}

/* Ranks meet about every second, so that one that died is missed soon. True in *over: all are done, or one was stopped. */
static bool meet_others(struct hunt *hunt, unsigned long long meeting, bool done, bool stopped,
                        unsigned long long *batch, bool *over, char *error) {
  *over = done || stopped;
  if (is_alone(hunt))
    return true;
  struct mail *mine = mail_of(hunt, hunt->world.first);
  mine->done[meeting & 1] = done;
  mine->stopped[meeting & 1] = stopped;
  mine->batch[meeting & 1] = *batch;
  if (!hunt->backend->meet(meet_ms(hunt), error))
    return false;
  *over = true;
  *batch = mail_of(hunt, 0)->batch[meeting & 1];
  const unsigned heard = hunt->backend->together ? 1 : hunt->world.ranks; /* whose word counts on whether all is done */
  for (unsigned rank = 0; rank < hunt->world.ranks; rank++) {
    *over &= rank >= heard || mail_of(hunt, rank)->done[meeting & 1] != 0;
    stopped |= mail_of(hunt, rank)->stopped[meeting & 1] != 0;
  }
  *over |= stopped;
  hunt->interrupted |= stopped;
  return true;
}

/* The next batch of blocks: about a second of them. Ranks that must run the same blocks run as many as rank 0 said. */
static bool run_some(struct hunt *hunt, struct row *row, const struct pace *pace, unsigned long long *number,
                     unsigned long long batch, const volatile int *stop, char *error) {
  const unsigned warmup = hunt->options.warmup;
  const double pause = now_seconds() + 1;
  for (unsigned long long i = 0; batch ? i < batch : now_seconds() < pause; i++, ++*number) {
    if (!batch && ((stop && *stop) || (*number > warmup && !goes_on(pace, *number - warmup))))
      return true;
    if (!run_block(hunt, row, *number, *number >= warmup, error))
      return false;
  }
  return true;
}

/* How many blocks rank 0 says come next: a second's worth by the last batch's pace, within what is left; 0: each as it likes. */
static unsigned long long next_batch(const struct hunt *hunt, const struct pace *pace, unsigned long long number,
                                     unsigned long long last, double seconds) {
  const unsigned warmup = hunt->options.warmup;
  if (!hunt->backend->together || is_alone(hunt))
    return 0;
  const double left = fmin(1, pace->blocks ? 1 : fmax(pace->end - now_seconds(), 0));
  const double fitting = seconds > 0 ? (double)last * left / seconds : 1;
  unsigned long long batch = fitting > 1e6 ? 1000000 : fitting < 1 ? 1 : (unsigned long long)fitting;
  if (number <= warmup && batch > warmup + 1 - number)
    batch = warmup + 1 - number;
  else if (pace->blocks && number + batch > warmup + pace->blocks)
    batch = warmup + pace->blocks - number;
  return batch ? batch : 1;
}

static bool run_row(struct hunt *hunt, struct row *row, const struct pace *pace,
                    void (*progress)(const struct hunt *hunt), const volatile int *stop, char *error) {
  const unsigned warmup = hunt->options.warmup;
  unsigned long long number = 0, meeting = 0, batch = next_batch(hunt, pace, 0, 1, 0);
  bool over = false;
  while (!over) {
    const double start = now_seconds();
    if (!run_some(hunt, row, pace, &number, batch, stop, error))
      return false;
    if (progress)
      progress(hunt);
    const bool stopped = stop && *stop, done = number > warmup && !goes_on(pace, number - warmup);
    batch = next_batch(hunt, pace, number, batch, now_seconds() - start);
    if (!meet_others(hunt, meeting++, done, stopped, &batch, &over, error))
      return false;
    hunt->interrupted |= stopped;
  }
  row->seconds = now_seconds() - pace->start;
  return true;
}

static void post_row(struct hunt *hunt, const struct row *row) {
  struct mail *mail = mail_of(hunt, hunt->world.first);
  mail->relaxed = row->relaxed;
  mail->grid = hunt->grid;
  mail->sum = row->sum;
  for (unsigned i = 0; i < SIZES_MAX; i++) {
    mail->by_size[i].tries = row->by_size[i].tries;
    mail->by_size[i].violations = outcome_violations(&row->by_size[i]);
  }
}

static void take_mail(struct row *row, const struct mail *mail) {
  row->relaxed = row->relaxed < 0 || mail->relaxed < 0 ? -1 : row->relaxed + mail->relaxed;
  row->windows++;
  outcome_merge(&row->sum, &mail->sum);
  for (unsigned i = 0; i < SIZES_MAX; i++) {
    row->by_size[i].tries += mail->by_size[i].tries;
    row->by_size[i].count[OUTCOME_OK] += mail->by_size[i].tries - mail->by_size[i].violations;
  }
}

static void add_grid(struct grid *sum, const struct grid *more) {
  for (int pattern = 0; pattern < PATTERNS; pattern++)
    for (unsigned i = 0; i < SIZES_MAX; i++) {
      sum->cells[pattern][i].tries += more->cells[pattern][i].tries;
      sum->cells[pattern][i].violations += more->cells[pattern][i].violations;
    }
}

/* Rank 0 gets the sum of all. */
static bool gather_row(struct hunt *hunt, struct row *row, char *error) {
  if (is_alone(hunt))
    return true;
  post_row(hunt, row);
  if (!hunt->backend->meet(meet_ms(hunt), error))
    return false;
  hunt->elsewhere = (struct grid){0};
  for (unsigned rank = 1; hunt->world.first == 0 && rank < hunt->world.ranks; rank++) {
    take_mail(row, mail_of(hunt, rank));
    add_grid(&hunt->elsewhere, &mail_of(hunt, rank)->grid);
  }
  return hunt->backend->meet(meet_ms(hunt), error);
}

static uint64_t options_digest(const struct options *options) {
  uint64_t digest = seed_of(options->seed, options->tries);
  digest = seed_of(digest, options->warmup + ((uint64_t)options->blocks << 32));
  digest = seed_of(digest, (uint64_t)options->pattern + (uint64_t)(options->seconds * 1000) * 16);
  for (unsigned i = 0; i < options->size_count; i++)
    digest = seed_of(digest, options->sizes[i]);
  for (unsigned i = 0; i < options->chosen_count; i++)
    digest = seed_of(digest, (uint64_t)(options->chosen[i] - scenarios));
  return digest;
}

static bool check_agreement(struct hunt *hunt, char *error) {
  if (is_alone(hunt))
    return true;
  mail_of(hunt, hunt->world.first)->options = options_digest(&hunt->options);
  if (!hunt->backend->meet(meet_ms(hunt), error))
    return false;
  for (unsigned rank = 1; rank < hunt->world.ranks; rank++)
    if (mail_of(hunt, rank)->options != mail_of(hunt, 0)->options) {
      snprintf(error, ERROR_SIZE, "rank %u was given other options than rank 0", rank);
      return false;
    }
  return true;
}

static void count_windows(struct hunt *hunt, struct row *row) {
  row->windows = hunt->world.local;
  for (unsigned i = 0; i < hunt->world.local; i++) {
    const int relaxed = hunt->backend->registered_relaxed(hunt->world.first + i);
    row->relaxed = relaxed < 0 || row->relaxed < 0 ? -1 : row->relaxed + relaxed;
  }
}

/* The rows that are left share what is left of the time. */
static double row_end(const struct hunt *hunt, double start, unsigned rows_in_all) {
  const double now = now_seconds(), left = start + hunt->options.seconds - now;
  return now + (left > 0 ? left / (rows_in_all - hunt->row_count + 1) : 0);
}

static bool run_flags(struct hunt *hunt, int flags, unsigned rows_in_all, double start,
                      void (*progress)(const struct hunt *hunt), const volatile int *stop, char *error) {
  const struct options *options = &hunt->options;
  bool good = hunt->backend->open(&hunt->world, largest_size(options), flags, error) && check_agreement(hunt, error);
  for (unsigned i = 0; good && i < options->chosen_count && !hunt->interrupted; i++) {
    struct row *row = &hunt->rows[hunt->row_count++];
    *row = (struct row){.scenario = options->chosen[i], .flags = flags};
    const struct pace pace = {
        .start = now_seconds(), .end = row_end(hunt, start, rows_in_all), .blocks = options->blocks};
    count_windows(hunt, row);
    good = run_row(hunt, row, &pace, progress, stop, error) && gather_row(hunt, row, error);
  }
  hunt->backend->close();
  return good;
}

bool hunt_run(struct hunt *hunt, void (*progress)(const struct hunt *hunt), const volatile int *stop, char *error) {
  const struct options *options = &hunt->options;
  const unsigned rows = options->chosen_count * (unsigned)(options->ask_strict + options->ask_default);
  const double start = now_seconds();
  hunt->row_count = 0;
  if (options->ask_strict && !run_flags(hunt, WINDOW_STRICT, rows, start, progress, stop, error))
    return false;
  return !options->ask_default || hunt->interrupted || run_flags(hunt, 0, rows, start, progress, stop, error);
}

struct cell hunt_cell(const struct hunt *hunt, enum pattern pattern, unsigned size) {
  const struct cell *here = &hunt->grid.cells[pattern][size], *there = &hunt->elsewhere.cells[pattern][size];
  return (struct cell){.tries = here->tries + there->tries, .violations = here->violations + there->violations};
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
