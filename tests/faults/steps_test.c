/* At each call that the shim makes into libc, something happens: a file goes, a process or thread is born, a signal comes. */
#define _GNU_SOURCE
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RELAXED "[winord]\nversion = 1\n[rule all]\nordering = relaxed\naccept-hazard = yes\n"

/* What the files become. */
#define OTHER RELAXED "; and more of it, so that it is longer than before\n"

static struct scenario scenario = {.name = "relaxed", .operations = {"reg=2", "dereg", "reg=2"}, .policy = RELAXED};

/* Happens in a thread, which may then end in the call. */
static struct scenario threaded = {.name = "in a thread", .operations = {"ended", "reg=2"}, .policy = RELAXED};

enum file { NO_FILE, POLICY, FACTS, JOURNAL };
static const char *const files[] = {"", "policy.conf", "facts.ini", "journal"};

static const struct {
  const char *action;
  enum file file;
  const char *text; /* the action's; with a file: its path */
  bool in_thread;
  int every; /* without FAULTS=full: at each step, or at every second or third */
} happenings[] = {
    {"fork", NO_FILE, "", false, 1},           {"elsewhere", NO_FILE, "", false, 1},
    {"follow", NO_FILE, "", false, 2},         {"clone", NO_FILE, "", false, 3},
    {"vfork", NO_FILE, "/bin/true", false, 3}, {"spawn", NO_FILE, "/bin/true", false, 3},
    {"signal", NO_FILE, "", false, 1},         {"cancel", NO_FILE, "", true, 1},
    {"closeall", NO_FILE, "", false, 3},       {"unlink", POLICY, NULL, false, 3},
    {"truncate", POLICY, NULL, false, 3},      {"cut", POLICY, NULL, false, 1},
    {"grow", POLICY, NULL, false, 3},          {"replace", POLICY, NULL, false, 2},
    {"folder", POLICY, NULL, false, 3},        {"unlink", FACTS, NULL, false, 3},
    {"truncate", FACTS, NULL, false, 3},       {"cut", FACTS, NULL, false, 1},
    {"grow", FACTS, NULL, false, 3},           {"replace", FACTS, NULL, false, 2},
    {"rename", JOURNAL, NULL, false, 3},
};
enum { HAPPENINGS = sizeof happenings / sizeof *happenings, NAME = 96 };

static const char *const clocks[] = {"clock=failing", "clock=stopped", "clock=old", "clock=back"};
enum { CLOCKS = sizeof clocks / sizeof *clocks };

/* Steps at the end of the process, which are not counted. */
enum { AT_THE_END = 8 };

static struct outcome without[2], with[2];
static long steps[2];

static struct scenario scenario_of(int happening) {
  struct scenario chosen = happenings[happening].in_thread ? threaded : scenario;
  /* A child that makes no more calls has no end to record. */
  chosen.mute = strcmp(happenings[happening].action, "follow") == 0;
  return chosen;
}

static void make_happen(int happening, long nth) {
  static struct outcome got;
  const struct scenario chosen = scenario_of(happening);
  const int which = happenings[happening].in_thread;
  const struct outcome *const wanted[] = {&without[which], &with[which], NULL};
  char fault[512];
  snprintf(fault, sizeof fault, "step=%ld,%s,%s", nth, happenings[happening].action,
           happenings[happening].file ? in_folder(files[happenings[happening].file]) : happenings[happening].text);
  write_file("policy.conf.new", OTHER);
  write_file("facts.ini.new", facts_of_this_boot());
  run_worker(&chosen, true, fault, &got);
  judge(&chosen, fault, &got, wanted);
}

static void run_row(void **state) {
  const int happening = (int)(intptr_t)*state;
  const char *wanted = getenv("FAULTS");
  const int every = wanted && strcmp(wanted, "full") == 0 ? 1 : happenings[happening].every;
  for (long nth = 1; nth <= steps[happenings[happening].in_thread] + AT_THE_END; nth += every)
    make_happen(happening, nth);
}

/* The clock fails, stands still, is before 1970 or goes back a day at each look; the journal's time stays a time. */
static void run_clock(void **state) {
  static struct scenario clocked = {.name = "clock", .operations = {"reg=2", "fork", "forks=20"}, .policy = RELAXED};
  static struct outcome plain, got;
  const struct outcome *const wanted[] = {&plain, &got, NULL};
  char line[256] = "";
  run_worker(&clocked, false, "none", &plain);
  run_worker(&clocked, true, *state, &got);
  assert_int_equal(got.status, 0);
  judge(&clocked, *state, &got, wanted);
  FILE *journal = fopen(in_folder("journal"), "r");
  assert_non_null(journal);
  while (fgets(line, sizeof line, journal)) {
    int year = 0, month = 0, day = 0, n = 0;
    const char *time = strstr(line, "\"ts\":\"");
    if (time)
      n = sscanf(time, "\"ts\":\"%4d-%2d-%2dT", &year, &month, &day);
    assert_true(!time || (n == 3 && year >= 1970 && month >= 1 && day >= 1));
  }
  fclose(journal);
}

static void prepare(int which) {
  static struct outcome counted;
  const struct scenario *chosen = which ? &threaded : &scenario;
  run_worker(chosen, false, "none", &without[which]);
  run_worker(chosen, true, "none", &with[which]);
  run_worker(chosen, true, "count", &counted);
  const char *at = strstr(counted.err, "steps=");
  steps[which] = at ? atol(at + strlen("steps=")) : 0;
}

static void enough_steps(void **state) {
  (void)state;
  assert_true(steps[0] > 20);
  assert_true(steps[1] > 20);
}

int main(void) {
  static struct CMUnitTest tests[HAPPENINGS + CLOCKS + 1];
  static char names[HAPPENINGS][NAME];
  scenario.facts = threaded.facts = facts_of_this_boot();
  prepare(0);
  prepare(1);
  for (int i = 0; i < HAPPENINGS; i++) {
    snprintf(names[i], NAME, "at each step: %s %s", happenings[i].action, files[happenings[i].file]);
    tests[i] = (struct CMUnitTest){.name = names[i], .test_func = run_row, .initial_state = (void *)(intptr_t)i};
  }
  for (int i = 0; i < CLOCKS; i++)
    tests[HAPPENINGS + i] =
        (struct CMUnitTest){.name = clocks[i], .test_func = run_clock, .initial_state = (void *)clocks[i]};
  tests[HAPPENINGS + CLOCKS] = (struct CMUnitTest)cmocka_unit_test(enough_steps);
  return _cmocka_run_group_tests("at each step", tests, HAPPENINGS + CLOCKS + 1, NULL, NULL);
}
