#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/stress/launch.h"
#include "bench/stress/prove.h"
#include "bench/stress/replay.h"
#include "bench/stress/report.h"
#include "bench/stress/report_html.h"
#include "policy/lines.h"

enum { EXIT_INCONCLUSIVE = 2 };

static volatile int stop;

/* The second one ends the program at once. */
static void on_interrupt(int number) {
  stop = 1;
  signal(number, SIG_DFL);
}

static void show_progress(const struct hunt *hunt) {
  const struct row *row = &hunt->rows[hunt->row_count - 1];
  fprintf(stderr, "\r%-23s block %8llu, %llu violations\033[K", row->scenario->name,
          (unsigned long long)row->sum.blocks, (unsigned long long)outcome_violations(&row->sum));
}

static void list(const char *backend) {
  const unsigned bit = backend_bit(backend);
  for (size_t i = 0; i < scenario_count; i++)
    if (scenarios[i].backends & bit)
      printf("%-24s %-8s %s\n", scenarios[i].name, expectation_name(scenarios[i].expectation), scenarios[i].text);
  printf("\npatterns:");
  for (int i = 0; i < PATTERNS; i++)
    printf(" %s", pattern_name((enum pattern)i));
  printf("\n\nfaults:\n");
  prove_list(stdout);
}

static int mistake(const char *what, const char *why) {
  fprintf(stderr, "winord-stress: %s%s%s\n", what, why ? ": " : "", why ? why : "");
  return EXIT_INCONCLUSIVE;
}

/* The table, the verdict and the files; rank 0's alone where there are several processes. */
static int report(const struct hunt *hunt) {
  for (unsigned i = 0; i < hunt->row_count; i++)
    report_row(stdout, hunt, &hunt->rows[i]);
  report_verdict(stdout, hunt);
  if (hunt->options.json && !report_json(hunt->options.json, hunt))
    return mistake(hunt->options.json, strerror(errno));
  if (hunt->options.html && !report_html(hunt->options.html, hunt))
    return mistake(hunt->options.html, strerror(errno));
  return (int)hunt_verdict(hunt);
}

static bool place(struct hunt *hunt, struct launch *launch, char *error) {
  if (!launch_find(launch, error))
    return false;
  hunt->world = (struct world){.ranks = hunt->options.ranks, .local = hunt->options.ranks};
  if (launch->ranks > 1) {
    hunt->options.ranks = launch->ranks;
    if (!hunt->options.seeded) /* all ranks must draw the same */
      hunt->options.seed = fnv1a(FNV_START, launch->job, strlen(launch->job)) >> 16;
    hunt->world = (struct world){.ranks = launch->ranks, .first = launch->rank, .local = 1, .job = launch->job};
  }
  return true;
}

/* Without the destructors of libraries that may still wait for something. */
static _Noreturn void give_up(const char *error) {
  mistake(error, NULL);
  fflush(stdout);
  _exit(EXIT_INCONCLUSIVE);
}

static int hunt(const struct options *options) {
  static struct hunt hunt;
  static struct launch launch;
  char error[ERROR_SIZE] = "";
  hunt.options = *options;
  hunt.backend = backend_find(options->backend, error);
  if (!hunt.backend || !place(&hunt, &launch, error))
    return mistake(error, NULL);
  if (!hunt.options.tries)
    hunt.options.tries = hunt.backend->tries;
  hunt.world.watchdog = hunt.options.watchdog;
  const bool root = hunt.world.first == 0, terminal = root && isatty(STDERR_FILENO) && !options->quiet;
  if (root)
    report_header(stdout, &hunt);
  const bool done = hunt_run(&hunt, terminal ? show_progress : NULL, &stop, error);
  if (terminal)
    fprintf(stderr, "\r\033[K");
  if (!done)
    give_up(error);
  const int status = root ? report(&hunt) : 0;
  if (hunt.backend->finish)
    hunt.backend->finish();
  return status;
}

static int run(int argc, char **argv) {
  struct options options;
  int status;
  if (!options_read(argc, argv, &options, &status))
    return status;
  if (options.list) {
    list(options.backend);
    return 0;
  }
  if (options.mutant)
    setenv("WINORD_FABRIC_FAULT", options.mutant, 1);
  signal(SIGINT, on_interrupt);
  signal(SIGTERM, on_interrupt);
  if (options.prove)
    return prove(&options, &stop);
  if (options.replay)
    return replay(&options);
  return hunt(&options);
}

/* A verdict that nobody can read is none. */
int main(int argc, char **argv) {
  const int status = run(argc, argv);
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  return mistake("standard output", strerror(errno));
}
