#include "bench/stress/prove.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/stress/hunt.h"

/* 12 found: the chance to find none in as many tries again is about e^-12, 6e-6. */
enum { KILLS = 12, KILLS_LEAST = 12, WORKERS = 2, PATIENCE_S = 24 };

/* What each fault must show as. It is for the judge alone: the process that hunts knows no names. */
static const struct {
  const char *name, *text;
  unsigned classes; /* bits of enum outcome */
} mutants[] = {
    {"relaxed-signal", "a strict signal sent with RO", 1 << OUTCOME_EARLY},
    {"other-context", "the signal travels on another context", 1 << OUTCOME_EARLY},
    {"two-paths", "two unordered ways into the host", 1 << OUTCOME_EARLY},
    {"half-lines", "the halves of a 128-byte line arrive apart", 1 << OUTCOME_TORN},
    {"dropped-signal", "a signal is dropped", 1 << OUTCOME_LOST},
    {"duplicated-signal", "a signal counts twice", 1 << OUTCOME_DUPLICATE},
    {"reset-signal", "a signal is zeroed late", 1 << OUTCOME_LOST},
    {"early-completion", "local completion before the source was read", 1 << OUTCOME_FUTURE},
    {"late-read", "the source is read after a flush", 1 << OUTCOME_FUTURE},
    {"wrong-offset", "a payload lands beside its place", 1 << OUTCOME_FOREIGN},
    {"stale-slot", "a payload is dropped, the slot keeps the round before", 1 << OUTCOME_STALE},
    {"counter-wrap", "the signal counts modulo 2^16", 1 << OUTCOME_LOST},
    {"brief", "payload late by less than 1 us", 1 << OUTCOME_EARLY},
    {"rare", "one payload in a million is late", 1 << OUTCOME_EARLY},
    {"payload-lost", "one TLP of a payload is lost", 1 << OUTCOME_STALE | 1 << OUTCOME_TORN},
    {"foreign-payload", "another sender's payload arrives", 1 << OUTCOME_FOREIGN},
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };

/* What a hunting process reports. */
struct finding_of_mutant {
  struct outcomes with, without;
  uint64_t first_kill; /* tries until the first violation */
  double seconds;
  char error[ERROR_SIZE];
};

/* Of work: a busy machine takes longer and finds the same. */
static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void prove_list(FILE *out) {
  for (size_t i = 0; i < MUTANTS; i++)
    fprintf(out, "%-20s %s\n", mutants[i].name, mutants[i].text);
}

/* The scenarios that must never fail, in turn. */
static bool run_number(struct hunt *hunt, unsigned long long number, struct outcomes *sum, char *error) {
  unsigned size_index;
  const struct scenario *scenario = hunt->options.chosen[number % hunt->options.chosen_count];
  const struct block block = hunt_block(&hunt->options, scenario, number / hunt->options.chosen_count, &size_index);
  return hunt_sum(hunt, &block, sum, error);
}

static const volatile int *stopped;

static unsigned long long hunt_fault(struct hunt *hunt, unsigned worker, struct finding_of_mutant *found) {
  const double end = now_seconds() + PATIENCE_S;
  unsigned long long number = worker;
  for (; !*found->error && outcome_violations(&found->with) < KILLS / WORKERS && now_seconds() < end && !*stopped;
       number += WORKERS) {
    const uint64_t before = found->with.tries;
    if (!run_number(hunt, number, &found->with, found->error))
      break;
    if (!found->first_kill && outcome_violations(&found->with))
      found->first_kill = before + (found->with.tries - before + 1) / 2; /* within the block: its middle */
  }
  return number;
}

static void hunt_twice(const struct options *options, const char *fault, unsigned worker,
                       struct finding_of_mutant *found) {
  static struct hunt hunt;
  const double start = now_seconds();
  hunt.options = *options;
  hunt.backend = &fabric_backend;
  hunt.world = (struct world){.ranks = options->ranks, .local = options->ranks};
  setenv("WINORD_FABRIC_MODE", "4", 1); /* AtomicOps: what a relaxed signal needs to overtake */
  setenv("WINORD_FABRIC_FAULT", fault, 1);
  if (!hunt.backend->open(&hunt.world, 4096, WINDOW_STRICT, found->error))
    return;
  const unsigned long long blocks = hunt_fault(&hunt, worker, found);
  unsetenv("WINORD_FABRIC_FAULT");
  for (unsigned long long number = worker; !*found->error && number < blocks && !*stopped; number += WORKERS)
    run_number(&hunt, number, &found->without, found->error);
  hunt.backend->close();
  found->seconds = now_seconds() - start;
}

struct worker {
  pid_t pid;
  int result;
};

static void write_all(int fd, const void *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t written = write(fd, (const char *)bytes + done, size - done);
    if (written <= 0)
      _exit(1);
    done += (size_t)written;
  }
}

static bool start_worker(struct worker *worker, unsigned number, unsigned mutant, const struct options *options) {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  fflush(NULL);
  *worker = (struct worker){.pid = fork(), .result = ends[0]};
  if (worker->pid == 0) {
    static struct finding_of_mutant found;
    hunt_twice(options, mutants[mutant].name, number, &found);
    write_all(ends[1], &found, sizeof found);
    _exit(0);
  }
  close(ends[1]);
  return worker->pid > 0;
}

static bool finish_worker(struct worker *worker, struct finding_of_mutant *found) {
  size_t done = 0;
  ssize_t got;
  while (done < sizeof *found && (got = read(worker->result, (char *)found + done, sizeof *found - done)) > 0)
    done += (size_t)got;
  close(worker->result);
  waitpid(worker->pid, NULL, 0);
  return done == sizeof *found;
}

static uint64_t in_classes(const struct outcomes *sum, unsigned classes) {
  uint64_t count = 0;
  for (int i = 1; i < OUTCOMES; i++)
    if (classes >> i & 1)
      count += sum->count[i];
  return count;
}

static enum outcome commonest(const struct outcomes *sum) {
  int best = 1;
  for (int i = 2; i < OUTCOMES; i++)
    if (sum->count[i] > sum->count[best])
      best = i;
  return (enum outcome)best;
}

/* Killed: found often enough, in a class it must show as, and nothing without it. */
static bool judge(unsigned mutant, const struct finding_of_mutant *found) {
  const uint64_t kills = outcome_violations(&found->with), right = in_classes(&found->with, mutants[mutant].classes);
  const bool killed = !*found->error && right >= KILLS_LEAST && outcome_violations(&found->without) == 0 &&
                      outcome_complete(&found->with) && outcome_complete(&found->without);
  if (*found->error) {
    printf("%-18s %s\n", mutants[mutant].name, found->error);
    return false;
  }
  printf("%-18s %-9s %-10s %10" PRIu64 " %10" PRIu64 " %6" PRIu64 " %9.1e %10" PRIu64 " %7s %6.1f s\n",
         mutants[mutant].name, killed ? "killed" : "MISSED", kills ? outcome_name(commonest(&found->with)) : "-",
         found->first_kill, found->with.tries, right, exp(-(double)right), outcome_violations(&found->without),
         found->with.found_at_end ? "yes" : "no", found->seconds);
  return killed;
}

static struct options prove_options(const struct options *options) {
  struct options chosen = *options;
  if (!chosen.tries)
    chosen.tries = fabric_backend.tries;
  static const size_t sizes[] = {64, 64, 128, 256};
  memcpy(chosen.sizes, sizes, sizeof sizes);
  chosen.size_count = sizeof sizes / sizeof *sizes;
  chosen.chosen_count = 0;
  for (size_t i = 0; i < scenario_count; i++)
    if (scenarios[i].expectation == EXPECT_NEVER && scenarios[i].backends & ON_FABRIC &&
        strcmp(scenarios[i].name, "put+weak") != 0)
      chosen.chosen[chosen.chosen_count++] = &scenarios[i];
  return chosen;
}

static void add_finding(struct finding_of_mutant *sum, const struct finding_of_mutant *more) {
  outcome_merge(&sum->with, &more->with);
  outcome_merge(&sum->without, &more->without);
  if (more->first_kill && (!sum->first_kill || more->first_kill < sum->first_kill))
    sum->first_kill = more->first_kill;
  sum->seconds = fmax(sum->seconds, more->seconds);
  if (*more->error)
    memcpy(sum->error, more->error, sizeof sum->error);
}

static struct finding_of_mutant hunt_mutant(unsigned mutant, const struct options *options) {
  struct worker workers[WORKERS] = {0};
  struct finding_of_mutant sum = {0};
  for (unsigned i = 0; i < WORKERS; i++)
    start_worker(&workers[i], i, mutant, options);
  for (unsigned i = 0; i < WORKERS; i++) {
    struct finding_of_mutant found = {0};
    if (workers[i].pid <= 0 || !finish_worker(&workers[i], &found))
      snprintf(found.error, sizeof found.error, "a process that hunted it died");
    add_finding(&sum, &found);
  }
  return sum;
}

int prove(const struct options *options, const volatile int *stop) {
  const struct options chosen = prove_options(options);
  stopped = stop;
  unsigned ended = 0, killed = 0;
  printf("# each fault planted alone, seed %" PRIu64 "; then the same blocks without it\n", options->seed);
  printf("%-18s %-9s %-10s %10s %10s %6s %9s %10s %7s\n", "# fault", "", "seen as", "first kill", "tries", "kills",
         "to miss", "without it", "at end?");
  for (; ended < MUTANTS && !*stop; ended++) {
    const struct finding_of_mutant found = hunt_mutant(ended, &chosen);
    killed += judge(ended, &found);
    fflush(stdout);
  }
  printf("# killed %u of %u; 'at end?': whether a check after the run, as nccl-tests makes, would have found it\n",
         killed, (unsigned)MUTANTS);
  return killed == MUTANTS ? 0 : 2;
}
