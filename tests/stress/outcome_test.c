#include "bench/stress/outcome.h"
#include "tests/policy/rows.h"

static struct witness witness_of(enum outcome outcome, uint64_t lateness_ns, uint64_t block) {
  return (struct witness){.outcome = outcome, .lateness_ns = lateness_ns, .block = block};
}

/* One try of each class, and so many puts posted. */
static struct outcomes one_of_each(uint64_t posted) {
  struct outcomes sum = {.posted = posted, .blocks = 1, .blocks_with_violation = 1, .time_ns = 10, .found_at_end = 2};
  for (int i = 0; i < OUTCOMES; i++) {
    const struct witness witness = witness_of((enum outcome)i, 100, (uint64_t)i);
    outcome_add(&sum, (enum outcome)i, i == OUTCOME_OK ? NULL : &witness);
  }
  return sum;
}

static void test_add(void **state) {
  (void)state;
  const struct outcomes sum = one_of_each(OUTCOMES);
  assert_int_equal(OUTCOMES, sum.tries);
  assert_int_equal(OUTCOMES - 1, outcome_violations(&sum));
  for (int i = 0; i < OUTCOMES; i++)
    assert_int_equal(1, sum.count[i]);
  assert_int_equal(1, histogram_count(&sum.lateness)); /* what healed, alone, was late */
  assert_int_equal(WITNESSES_OF_BLOCK, sum.witness_count);
}

/* Of a block the first, of a run those of its first blocks: nobody reads more, and a replay runs each block once. */
static void test_few_witnesses(void **state) {
  (void)state;
  struct outcomes sum = {0};
  for (unsigned block = 0; block < 2 * WITNESSES; block++) {
    struct outcomes more = {0};
    for (unsigned i = 0; i < 3; i++) {
      const struct witness witness = witness_of(OUTCOME_EARLY, i, block);
      outcome_add(&more, OUTCOME_EARLY, &witness);
    }
    assert_int_equal(WITNESSES_OF_BLOCK, more.witness_count);
    assert_int_equal(0, more.witness[0].lateness_ns);
    outcome_merge(&sum, &more);
  }
  assert_int_equal(WITNESSES, sum.witness_count);
  for (unsigned i = 0; i < WITNESSES; i++)
    assert_int_equal(i / WITNESSES_OF_BLOCK, sum.witness[i].block);
  assert_int_equal(6 * WITNESSES, outcome_violations(&sum));
  assert_int_equal(6 * WITNESSES, histogram_count(&sum.lateness));
}

static void test_merge(void **state) {
  (void)state;
  struct outcomes sum = one_of_each(OUTCOMES);
  const struct outcomes more = one_of_each(OUTCOMES), none = {0};
  outcome_merge(&sum, &more);
  outcome_merge(&sum, &none);
  assert_int_equal(2 * OUTCOMES, sum.tries);
  assert_int_equal(2 * OUTCOMES, sum.posted);
  for (int i = 0; i < OUTCOMES; i++)
    assert_int_equal(2, sum.count[i]);
  assert_int_equal(2, sum.blocks);
  assert_int_equal(2, sum.blocks_with_violation);
  assert_int_equal(20, sum.time_ns);
  assert_int_equal(4, sum.found_at_end);
  assert_int_equal(2, histogram_count(&sum.lateness));
  assert_in_range(sum.witness_count, 1, WITNESSES);
  assert_true(outcome_complete(&sum));
}

static const struct complete_row {
  const char *name;
  uint64_t posted, ok, extra; /* posted; counted as ok besides one of each; tries that are in no class */
  int complete;
} complete_rows[] = {
    {"nothing is complete", 0, 0, 0, 1},
    {"all classes, all posted", OUTCOMES, 1, 0, 1},
    {"a put that nobody looked at", OUTCOMES + 1, 1, 0, 0},
    {"a try more than was posted", OUTCOMES - 1, 1, 0, 0},
    {"a try in no class", OUTCOMES + 1, 1, 1, 0},
};

static void test_complete(void **state) {
  const struct complete_row *row = *state;
  struct outcomes sum = {0};
  if (row->ok)
    sum = one_of_each(row->posted);
  sum.tries += row->extra;
  assert_int_equal(row->complete, outcome_complete(&sum));
}

static void test_names(void **state) {
  (void)state;
  for (int i = 0; i < OUTCOMES; i++)
    for (int j = 0; j < i; j++)
      assert_string_not_equal(outcome_name((enum outcome)i), outcome_name((enum outcome)j));
  assert_string_equal("ok", outcome_name(OUTCOME_OK));
  assert_string_equal("early-signal", outcome_name(OUTCOME_EARLY_SIGNAL));
}

static const struct plain_row {
  const char *name;
  CMUnitTestFunction test;
} plain_rows[] = {
    {"each class counts once", test_add},
    {"few witnesses of many", test_few_witnesses},
    {"merged sums", test_merge},
    {"names of the classes", test_names},
};

static void test_plain(void **state) { ((const struct plain_row *)*state)->test(NULL); }

int main(void) {
  static struct suite suite;
  ROWS(&suite, complete_rows, test_complete);
  ROWS(&suite, plain_rows, test_plain);
  return suite_run("outcome", &suite);
}
