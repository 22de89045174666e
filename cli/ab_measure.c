#include "ab.h"
#include "ab_run.h"
#include "command.h"
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Remembers what went wrong, and says it. words is taken. After FAILURES_MAX of them nothing more is run. */
static void fail(struct comparison *comparison, char *words) {
  say("%s", words);
  comparison->failures[comparison->failure_count++] = words;
}

/* WINORD_* of one run; the name is that of its journals. */
static bool set_run(const struct comparison *comparison, int side, const char *name) {
  char *literal = launch_log_literal(comparison->folder), *run = launch_run_id();
  char *log = text_format("%s/%s.%%h.%%p.jsonl", literal, name);
  bool done = launch_set("WINORD_CONF", comparison->sides[side].conf) && launch_set("WINORD_LOG", log) &&
              launch_set("WINORD_RUN", run);
  free(log);
  free(run);
  free(literal);
  return done;
}

/* What is doubtful about a run that counts, said once for each side. */
static void warn_of_journal(struct comparison *comparison, int side, const char *name) {
  const struct registrations *latest = &comparison->sides[side].latest;
  if (comparison->measured > 0) {
    return;
  }
  if (latest->trouble != NULL) {
    say("warning: run %s: %s", name, latest->trouble);
  }
  if (latest->nranks > latest->ranks_seen) {
    say("warning: run %s: the journals hold %zu of %zu ranks: across hosts the environment must travel and"
        " the folder (-o) be a shared one; see winord(1)",
        name, latest->ranks_seen, latest->nranks);
  }
}

/* The value of one run, or 0: it has none, and that was said. */
static double run_side(struct comparison *comparison, int side, size_t number) {
  struct metric metric = {.expression = &comparison->expression};
  struct side *it = &comparison->sides[side];
  char *name = text_format("%s%zu", side_name(side), number);
  int status = set_run(comparison, side, name)
                   ? run_measured(comparison->command, comparison->json ? STDERR_FILENO : STDOUT_FILENO, &metric)
                   : -1;
  bool interrupted = run_interrupted() != 0;
  registrations_free(&it->latest);
  it->latest = registrations_read(comparison->folder, name);
  if (interrupted || status != 0) {
    metric.value = 0;
  }
  if (metric.value > 0) {
    say("run %s%s: %g", name, number ? "" : " (warm-up)", metric.value);
    warn_of_journal(comparison, side, name);
  } else if (!interrupted) {
    fail(comparison, status > 0      ? text_format("run %s failed with status %d", name, status)
                     : status < 0    ? text_format("run %s was not started", name)
                     : metric.odd[0] ? text_format("run %s printed '%s' for the metric, which is no positive number",
                                                   name, metric.odd)
                                     : text_format("run %s printed no metric", name));
  }
  comparison->several = metric.matches > comparison->several ? metric.matches : comparison->several;
  free(name);
  return metric.value;
}

/* Why the latest two runs cannot be compared; NULL: they registered differently. Fresh memory. */
static char *obstacle(const struct comparison *comparison, size_t number) {
  const struct registrations *a = &comparison->sides[0].latest, *b = &comparison->sides[1].latest;
  bool common, differ = registrations_differ(a, b, &common);
  for (int side = 0; side < SIDES; side++) {
    const struct registrations *latest = &comparison->sides[side].latest;
    if (latest->strict + latest->relaxed == 0) {
      return text_format("run %s%zu journalled no window registration (%zu journals): was the shim loaded?",
                         side_name(side), number, latest->files);
    }
  }
  if (!common) {
    return text_format("runs A%zu and B%zu have no registration of the same host, size and request in common", number,
                       number);
  }
  return differ ? NULL
                : text_format("runs A%zu and B%zu registered alike: %zu strict and %zu default windows in A, %zu and"
                              " %zu in B",
                              number, number, a->strict, a->relaxed, b->strict, b->relaxed);
}

static void count_pair(struct comparison *comparison, const double values[SIDES]) {
  for (int side = 0; side < SIDES; side++) {
    const struct registrations *latest = &comparison->sides[side].latest;
    comparison->values[side][comparison->measured] = values[side];
    comparison->sides[side].windows.strict += latest->strict;
    comparison->sides[side].windows.relaxed += latest->relaxed;
    comparison->sides[side].windows.rewritten += latest->rewritten;
    comparison->sides[side].windows.refused += latest->refused;
  }
  comparison->measured++;
}

/* Runs A and B. False: the pair does not count. Number 0 warms up. */
static bool run_pair(struct comparison *comparison, size_t number) {
  double values[SIDES] = {0};
  for (int side = 0; side < SIDES; side++) {
    values[side] = run_side(comparison, side, number);
    if (number == 0) {
      comparison->warm_up[side] = values[side];
    }
    if (values[side] <= 0) {
      return false;
    }
  }
  char *words = obstacle(comparison, number);
  if (words != NULL) {
    comparison->alike = number == 0;
    fail(comparison, words);
    return false;
  }
  if (number > 0) {
    count_pair(comparison, values);
  }
  return true;
}

void comparison_measure(struct comparison *comparison) {
  bool going = run_pair(comparison, 0);
  for (size_t number = 1; going && number <= comparison->pairs && !run_interrupted(); number++) {
    run_pair(comparison, number);
    going = comparison->failure_count < FAILURES_MAX;
  }
  comparison->signal = run_interrupted();
  if (comparison->signal != 0) {
    say("ended by signal %d: %zu pairs were measured", comparison->signal, comparison->measured);
  }
}

void comparison_ratios(const struct comparison *comparison, double *ratios) {
  for (size_t i = 0; i < comparison->measured; i++) {
    double a = comparison->values[0][i], b = comparison->values[1][i];
    ratios[i] = comparison->lower_is_better ? a / b : b / a;
  }
}
