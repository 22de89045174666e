/* Memory is short at each allocation that is made in the shim, libc's own among them: one of them, or all from there on. */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct scenario scenarios[] = {
    {.name = "relaxed, with include and pools",
     .operations = {"reg=2", "reg=1", "dereg", "devcomm", "destroy"},
     .policy =
         "[winord]\nversion = 1\ninclude = conf.d/*.conf\n[rule one]\ncaller = *none*, *nobody*\nnccl = >=2.29.7\n"
         "ordering = strict\n[rule all]\nordering = relaxed\naccept-hazard = yes\n",
     .included =
         "[pool a]\nhosts = host-*, *\nattest-pci-atomic-mode = 0\nattested-by = me\nattested-until = 2099-01-01\n"},
    {.name = "errors in the policy",
     .operations = {"reg=2"},
     .policy = "[winord]\nversion = 1\nfirst = 1\n[rule one]\nordering = odd\n[rule one]\n",
     .on_error = "keep"},
    {.name = "no policy, relative journal", .operations = {"reg=2", "dereg"}, .log = "journal"},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios, MOST = 400, NAME = 96 };

struct row {
  int scenario;
  long nth;
  char name[NAME];
};

static struct outcome without[SCENARIOS], with[SCENARIOS];

static void starve(const struct row *row, const char *later) {
  static struct outcome got;
  const struct outcome *const wanted[] = {&without[row->scenario], &with[row->scenario], NULL};
  char fault[64];
  snprintf(fault, sizeof fault, "memory=%ld%s", row->nth, later);
  run_worker(&scenarios[row->scenario], true, fault, &got);
  judge(&scenarios[row->scenario], fault, &got, wanted);
}

static void run_row(void **state) {
  starve(*state, "");
  starve(*state, "+");
}

static long allocations(int scenario) {
  static struct outcome counted;
  run_worker(&scenarios[scenario], true, "count", &counted);
  const char *at = strstr(counted.err, "allocations=");
  return at ? atol(at + strlen("allocations=")) : 0;
}

/* One more than are made before the end: the end may need some. */
static size_t fill(struct CMUnitTest *tests, struct row *rows) {
  size_t count = 0;
  for (int s = 0; s < SCENARIOS; s++)
    for (long nth = 1; nth <= allocations(s) + 1 && count < MOST - 1; nth++) {
      struct row *row = &rows[count];
      *row = (struct row){.scenario = s, .nth = nth};
      snprintf(row->name, sizeof row->name, "%s: allocation %ld", scenarios[s].name, nth);
      tests[count++] = (struct CMUnitTest){.name = row->name, .test_func = run_row, .initial_state = row};
    }
  return count;
}

static void enough_rows(void **state) {
  (void)state;
  for (int i = 0; i < SCENARIOS; i++)
    assert_true(allocations(i) > 2);
}

int main(void) {
  static struct CMUnitTest tests[MOST];
  static struct row rows[MOST];
  scenarios[0].facts = facts_of_this_boot();
  for (int i = 0; i < SCENARIOS; i++) {
    run_worker(&scenarios[i], false, "none", &without[i]);
    run_worker(&scenarios[i], true, "none", &with[i]);
  }
  size_t count = fill(tests, rows);
  tests[count++] = (struct CMUnitTest)cmocka_unit_test(enough_rows);
  return _cmocka_run_group_tests("short of memory", tests, count, NULL, NULL);
}
