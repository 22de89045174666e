/* The guard's truth table: each row holding, and each way in which it can fail. */
#include "policy/decide.h"
#include "tests/policy/rows.h"

enum attested { NO_POOL, ATTESTS_NOTHING, ATTESTS_0, ATTESTS_4 };

#define DAY 20270331 /* the attestation's last day */

static const struct row {
  const char *name;
  bool asserts, accepts; /* the rule */
  int nccl;
  bool overlaps;
  const char *unproved;
  enum attested attested;
  int today;
  bool contradicts;
  enum guard guard; /* GUARD_NONE: refused */
  const char *why;
} rows[] = {
    {"asserted", true, false, 23007, false, "mode_unknown", NO_POOL, DAY, false, GUARD_ASSERTED, "rule"},
    {"asserted, newer NCCL", true, false, 23203, false, "mode_unknown", NO_POOL, DAY, false, GUARD_ASSERTED, "rule"},
    {"asserted although a NIC is in mode 4", true, false, 23007, false, "mode_not_zero", ATTESTS_0, DAY, true,
     GUARD_ASSERTED, "rule"},
    {"asserted, NCCL before 2.30.7", true, false, 23006, false, "mode_unknown", NO_POOL, DAY, false, GUARD_NONE,
     "nccl_before_2_30_7"},
    {"asserted, NCCL not known", true, false, 0, false, "mode_unknown", NO_POOL, DAY, false, GUARD_NONE,
     "nccl_before_2_30_7"},
    {"asserted, shared memory", true, false, 23007, true, "mode_unknown", NO_POOL, DAY, false, GUARD_NONE,
     "shared_memory"},
    {"asserted, NCCL before 2.30.7 and shared memory", true, false, 22907, true, "mode_unknown", NO_POOL, DAY, false,
     GUARD_NONE, "nccl_before_2_30_7"},
    {"not asserted: the facts' word", false, false, 23007, false, "mode_unknown", NO_POOL, DAY, false, GUARD_NONE,
     "mode_unknown"},
    {"proved", false, false, 22907, false, NULL, NO_POOL, DAY, false, GUARD_PROVED, "rule"},
    {"proved with memory that is shared", false, false, 23007, true, NULL, NO_POOL, DAY, false, GUARD_PROVED, "rule"},
    {"proved where the assertion does not hold", true, false, 22907, true, NULL, NO_POOL, DAY, false, GUARD_PROVED,
     "rule"},
    {"proved beside a lapsed attestation", false, false, 23007, false, NULL, ATTESTS_0, DAY + 70, false, GUARD_PROVED,
     "rule"},
    {"not proved: mode 4", false, false, 23007, false, "mode_not_zero", NO_POOL, DAY, true, GUARD_NONE,
     "mode_not_zero"},
    {"not proved: no facts", false, false, 23007, false, "facts_missing", NO_POOL, DAY, false, GUARD_NONE,
     "facts_missing"},
    {"attested", false, false, 22907, false, "facts_missing", ATTESTS_0, DAY - 1, false, GUARD_ATTESTED, "rule"},
    {"attested, last day", false, false, 23007, false, "facts_missing", ATTESTS_0, DAY, false, GUARD_ATTESTED, "rule"},
    {"attested where the assertion does not hold", true, false, 22907, false, "facts_missing", ATTESTS_0, DAY, false,
     GUARD_ATTESTED, "rule"},
    {"attestation lapsed", false, false, 23007, false, "facts_missing", ATTESTS_0, 20270401, false, GUARD_NONE,
     "attestation_lapsed"},
    {"attestation contradicted", false, false, 23007, false, "mode_not_zero", ATTESTS_0, DAY, true, GUARD_NONE,
     "contradicted"},
    {"attestation lapsed and contradicted", false, false, 23007, false, "mode_not_zero", ATTESTS_0, 20270401, true,
     GUARD_NONE, "attestation_lapsed"},
    {"pool attests nothing", false, false, 23007, false, "facts_missing", ATTESTS_NOTHING, DAY, false, GUARD_NONE,
     "facts_missing"},
    {"pool attests mode 4", false, false, 23007, false, "facts_missing", ATTESTS_4, DAY, false, GUARD_NONE,
     "facts_missing"},
    {"asserted before attested in what is told", true, false, 22907, false, "facts_missing", ATTESTS_0, 20270401, false,
     GUARD_NONE, "nccl_before_2_30_7"},
    {"accepted", false, true, 0, true, "mode_not_zero", NO_POOL, DAY, true, GUARD_ACCEPTED, "rule"},
    {"accepted, last in order", true, true, 23007, false, NULL, ATTESTS_0, DAY, false, GUARD_ASSERTED, "rule"},
    {"proved before accepted", false, true, 23007, false, NULL, ATTESTS_0, DAY, false, GUARD_PROVED, "rule"},
    {"attested before accepted", false, true, 23007, false, "mode_unknown", ATTESTS_0, DAY, false, GUARD_ATTESTED,
     "rule"},
    {"accepted where an attestation lapsed", true, true, 22907, true, "mode_unknown", ATTESTS_0, 20270401, false,
     GUARD_ACCEPTED, "rule"},
};

static void test_row(void **state) {
  const struct row *row = *state;
  const struct pool pool = {.name = (char *)"p",
                            .attested_mode = row->attested == ATTESTS_0   ? 0
                                             : row->attested == ATTESTS_4 ? 4
                                                                          : MODE_UNKNOWN,
                            .attested_until = DAY};
  struct rule rule = {.name = (char *)"r",
                      .file = "f",
                      .line = 7,
                      .nccl = {0, INT_MAX},
                      .max_size = UINT64_MAX,
                      .ordering = ORDERING_RELAXED,
                      .va_signals_none = row->asserts,
                      .accept_hazard = row->accepts};
  const struct policy policy = {.rules = &rule, .rule_count = 1};
  const struct host host = {
      .name = "h",
      .section = row->attested == NO_POOL ? NULL : &pool,
      .today = row->today,
      .modes = {.mode = MODE_UNKNOWN, .unproved = row->unproved, .contradicts = row->contradicts}};
  const struct request request = {.flags = 0x17, .nccl = row->nccl, .overlaps_strict = row->overlaps};
  struct decision decision = decide(&request, &host, &policy, false);
  assert_int_equal(decision.guard, row->guard);
  assert_string_equal(decision.why, row->why);
  assert_int_equal(decision.verdict, row->guard == GUARD_NONE ? VERDICT_REFUSED : VERDICT_REWRITTEN);
  assert_int_equal(decision.flags, row->guard == GUARD_NONE ? 0x17 : 0x15);
  assert_int_equal(decision.ordering, ORDERING_RELAXED);
  assert_ptr_equal(decision.rule, &rule);
  assert_int_equal(decision.line, 7);
}

/* What `winord explain` shows for each row by itself. */
static const struct fails_row {
  const char *name;
  enum guard row;
  bool with_rule;
  const char *why;
} fails_rows[] = {
    {"by itself: asserted, default", GUARD_ASSERTED, false, "not_asserted"},
    {"by itself: asserted, rule that says nothing", GUARD_ASSERTED, true, "not_asserted"},
    {"by itself: proved", GUARD_PROVED, true, "facts_stale"},
    {"by itself: attested", GUARD_ATTESTED, true, "not_attested"},
    {"by itself: accepted, default", GUARD_ACCEPTED, false, "not_accepted"},
    {"by itself: accepted, rule that says no", GUARD_ACCEPTED, true, "not_accepted"},
};

static void test_fails(void **state) {
  const struct fails_row *row = *state;
  const struct rule rule = {.ordering = ORDERING_RELAXED};
  const struct host host = {.modes = {.mode = MODE_UNKNOWN, .unproved = "facts_stale"}};
  const struct request request = {.flags = 2, .nccl = 23007};
  assert_string_equal(guard_fails(row->row, row->with_rule ? &rule : NULL, &request, &host), row->why);
}

static const struct default_row {
  const char *name, *unproved, *why;
  enum verdict verdict;
} default_rows[] = {
    {"default = relaxed, not proved", "no_nic", "no_nic", VERDICT_REFUSED},
    {"default = relaxed, proved", NULL, "default", VERDICT_REWRITTEN},
};

static void test_default(void **state) {
  const struct default_row *row = *state;
  const struct policy policy = {.fallback = ORDERING_RELAXED, .fallback_file = "f", .fallback_line = 3};
  const struct host host = {.modes = {.mode = MODE_UNKNOWN, .unproved = row->unproved}};
  const struct request request = {.flags = 2, .nccl = 23007};
  struct decision decision = decide(&request, &host, &policy, false);
  assert_string_equal(decision.why, row->why);
  assert_int_equal(decision.verdict, row->verdict);
  assert_null(decision.rule);
  assert_string_equal(decision.file, "f");
  assert_int_equal(decision.line, 3);
}

int main(void) {
  static struct suite suite;
  ROWS(&suite, rows, test_row);
  ROWS(&suite, fails_rows, test_fails);
  ROWS(&suite, default_rows, test_default);
  return suite_run("guard", &suite);
}
