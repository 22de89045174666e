/*
 * The set of numbers seen, against an array.
 */
#include "report/sequence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void in_order_it_is_one_range(void **state) {
  struct sequence sequence = {0};
  (void)state;
  for (uint64_t i = 1; i <= 100000; i++) {
    assert_true(sequence_add(&sequence, i));
  }
  assert_int_equal(1, sequence.count);
  assert_int_equal(0, sequence_missing(&sequence));
  sequence_free(&sequence);
}

static void in_any_order_as_an_array(void **state) {
  enum { MOST = 500 };
  (void)state;
  for (unsigned seed = 1; seed < 40; seed++) {
    struct sequence sequence = {0};
    bool seen[MOST + 1] = {false};
    uint64_t count = 0, last = 0;
    srand(seed);
    for (int i = 0; i < 700; i++) {
      const uint64_t number = (uint64_t)rand() % MOST + 1;
      assert_int_equal(seen[number], sequence_has(&sequence, number));
      assert_int_equal(!seen[number], sequence_add(&sequence, number));
      count += !seen[number];
      seen[number] = true;
      last = number > last ? number : last;
      assert_int_equal(last - count, sequence_missing(&sequence));
    }
    for (size_t i = 1; i < sequence.count; i++) {
      assert_true(sequence.ranges[i - 1].last + 1 < sequence.ranges[i].first);
    }
    sequence_free(&sequence);
  }
}

static void memory_is_bounded(void **state) {
  struct sequence sequence = {0};
  (void)state;
  for (uint64_t i = 1; i <= 100000; i++) {
    assert_true(sequence_add(&sequence, 2 * i));
  }
  assert_int_equal(SEQUENCE_RANGES, sequence.count);
  assert_int_equal(100000 - SEQUENCE_RANGES, sequence.uncounted);
  sequence_free(&sequence);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(in_order_it_is_one_range),
                                     cmocka_unit_test(in_any_order_as_an_array), cmocka_unit_test(memory_is_bounded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
