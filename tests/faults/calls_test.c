/* Every system call that the shim makes fails in every way; each row is a call and an answer, for each time it is made. */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

#define POLICY(ordering)                                                                                               \
  "[winord]\nversion = 1\ninclude = conf.d/*.conf\n[rule all]\nordering = " ordering "\naccept-hazard = yes\n"

enum { CALLS = 24, WAYS = 16, NAME = 96 };

/* Each of these bytes is six in a record. */
static char many_controls[1001];

static struct scenario scenarios[] = {
    {.name = "keep",
     .operations = {"reg=2", "reg=0", "dereg", "devcomm", "destroy"},
     .policy = POLICY("keep"),
     .included = "[pool a]\nhosts = *\n"},
    {.name = "relaxed, no facts",
     .operations = {"reg=2", "reg=3", "dereg"},
     .policy = POLICY("relaxed"),
     .included = "[pool a]\nhosts = *\n"},
    {.name = "strict on error",
     .operations = {"reg=0", "reg=1"},
     .policy = POLICY("strict"),
     .included = "[pool a]\nhosts = *\n",
     .facts = "[facts]\nversion = 1\n",
     .on_error = "strict"},
    {.name = "no policy, relative journal", .operations = {"reg=2", "dereg"}, .log = "journal"},
    {.name = "journal on stderr", .operations = {"reg=2", "dereg"}, .policy = POLICY("keep"), .log = "stderr"},
    {.name = "long records on stderr",
     .operations = {"block=13", "reg=2"},
     .policy = POLICY("keep"),
     .log = "stderr",
     .run = many_controls},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* With FAULTS=full all of them, else those up to the NULL. */
static const struct {
  const char *name, *argument;
} ways[] = {
    {"EIO", "5"},       {"EINTR", "4"}, {"EAGAIN", "11"}, {"ENOENT", "2"},  {"EPIPE", "32"},  {"short", "short"},
    {"empty", "empty"}, {NULL, NULL},   {"EMFILE", "24"}, {"ENOSPC", "28"}, {"EACCES", "13"}, {"ELOOP", "40"},
    {"ENOMEM", "12"},   {"EPERM", "1"}, {"ENOSYS", "38"}, {"EFBIG", "27"},
};

/* The calls that are known to be made; a new one has to be thought about, and entered here. */
static const struct {
  long number;
  const char *name;
  int every; /* which fail: 1 each in turn, and all; 2 every other, whose partner then cannot fail, and all; 0 all only */
  bool speaks; /* without it, nothing can be said on stderr */
  bool transfers; /* short and empty mean something */
} calls[] = {
    {SYS_getpid, "getpid", 0, false, false},
    {SYS_gettid, "gettid", 1, false, false},
    {SYS_readlink, "readlink", 1, false, true},
    {SYS_getrandom, "getrandom", 1, false, false},
    {SYS_brk, "brk", 1, false, false},
    {SYS_mmap, "mmap", 1, false, false},
    {SYS_munmap, "munmap", 1, false, false},
    {SYS_access, "access", 1, false, false},
    {SYS_getcwd, "getcwd", 1, false, false},
    {SYS_uname, "uname", 1, false, false},
    {SYS_openat, "openat", 1, false, false},
    {SYS_fstat, "fstat", 1, false, false},
    {SYS_newfstatat, "newfstatat", 1, false, false},
    {SYS_read, "read", 1, false, true},
    {SYS_getdents64, "getdents64", 1, false, false},
    {SYS_close, "close", 1, false, false},
    {SYS_ppoll, "ppoll", 1, true, false},
    {SYS_rt_sigprocmask, "rt_sigprocmask", 2, true, false},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait", 1, false, false},
    {SYS_writev, "writev", 1, true, true},
    {SYS_pwritev2, "pwritev2", 1, false, false},
    {SYS_rt_sigpending, "rt_sigpending", 1, false, false},
};
enum { KNOWN = sizeof calls / sizeof *calls, ALL_WAYS = sizeof ways / sizeof *ways };

struct row {
  int scenario, call, way;
  char name[NAME];
};

static struct outcome without[SCENARIOS], with[SCENARIOS];
static int made[SCENARIOS][KNOWN];
static char unknown[256];

static int known(long number) {
  for (int i = 0; i < KNOWN; i++)
    if (calls[i].number == number)
      return i;
  return -1;
}

static void list_calls(int scenario) {
  static struct outcome listed;
  run_worker(&scenarios[scenario], true, "list", &listed);
  for (const char *line = listed.err; *line; line += strcspn(line, "\n") + 1) {
    const long number = *line == '{' ? -1 : atol(line);
    const int call = known(number);
    if (call >= 0)
      made[scenario][call]++;
    else if (*line != '{' && strncmp(line, "winord: ", 8) != 0)
      snprintf(unknown + strlen(unknown), sizeof unknown - strlen(unknown), " %ld", number);
  }
}

static void run_fault(const struct row *row, int nth, const struct outcome *const *wanted) {
  static struct outcome got;
  struct scenario scenario = scenarios[row->scenario];
  char fault[64];
  snprintf(fault, sizeof fault, "call=%ld,%d,%s", calls[row->call].number, nth, ways[row->way].argument);
  scenario.mute = nth == 0 && calls[row->call].speaks;
  run_worker(&scenario, true, fault, &got);
  judge(&scenario, fault, &got, wanted);
}

static void run_row(void **state) {
  const struct row *row = *state;
  const struct outcome *const wanted[] = {&without[row->scenario], &with[row->scenario], NULL};
  const int every = calls[row->call].every;
  /* A read that is always interrupted never ends, as in any program. */
  if (calls[row->call].number != SYS_read || strcmp(ways[row->way].name, "EINTR") != 0)
    run_fault(row, 0, wanted);
  for (int nth = 1; every && nth <= made[row->scenario][row->call]; nth += every)
    run_fault(row, nth, wanted);
}

/* Only the program's own calls are permitted; all others fail, or end the process. */
static void run_strict(void **state) {
  static struct outcome got;
  for (int i = 0; i < SCENARIOS; i++) {
    struct scenario scenario = scenarios[i];
    const struct outcome *const wanted[] = {&without[i], &with[i], NULL};
    scenario.mute = !strstr(*state, "shim");
    run_worker(&scenario, true, *state, &got);
    judge(&scenario, *state, &got, wanted);
  }
}

static void all_known(void **state) {
  (void)state;
  assert_string_equal(unknown, "");
  for (int i = 0; i < SCENARIOS; i++)
    assert_true(made[i][known(SYS_writev)] + made[i][known(SYS_pwritev2)] > 2);
}

static size_t fill(struct CMUnitTest *tests, struct row *rows) {
  const char *wanted = getenv("FAULTS");
  const bool full = wanted && strcmp(wanted, "full") == 0;
  size_t count = 0;
  for (int s = 0; s < SCENARIOS; s++)
    for (int c = 0; c < KNOWN; c++)
      for (int w = 0; w < ALL_WAYS && (ways[w].name || full); w++) {
        if (!ways[w].name)
          continue;
        const bool is_errno = *ways[w].argument < 'a';
        if (!made[s][c] || !(is_errno || calls[c].transfers))
          continue;
        struct row *row = &rows[count];
        *row = (struct row){.scenario = s, .call = c, .way = w};
        snprintf(row->name, sizeof row->name, "%s: %s %s", scenarios[s].name, calls[c].name, ways[w].name);
        tests[count++] = (struct CMUnitTest){.name = row->name, .test_func = run_row, .initial_state = row};
      }
  return count;
}

int main(void) {
  static char *const strict[] = {"strict=errno", "strict=errno,shim", "strict=kill,shim"};
  enum { STRICT = sizeof strict / sizeof *strict, MOST = SCENARIOS * KNOWN * ALL_WAYS + STRICT + 1 };
  static struct CMUnitTest tests[MOST];
  static struct row rows[MOST];
  memset(many_controls, 1, sizeof many_controls - 1);
  scenarios[0].facts = scenarios[4].facts = facts_of_this_boot();
  for (int i = 0; i < SCENARIOS; i++) {
    run_worker(&scenarios[i], false, "none", &without[i]);
    run_worker(&scenarios[i], true, "none", &with[i]);
    list_calls(i);
  }
  size_t count = fill(tests, rows);
  for (int i = 0; i < STRICT; i++)
    tests[count++] = (struct CMUnitTest){.name = strict[i], .test_func = run_strict, .initial_state = strict[i]};
  tests[count++] = (struct CMUnitTest)cmocka_unit_test(all_known);
  return _cmocka_run_group_tests("every system call of the shim", tests, count, NULL, NULL);
}
