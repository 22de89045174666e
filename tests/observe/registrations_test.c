/* The table of registrations: what it answers of windows and registrations at the edges, full, and used by many threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "observe/registrations.h"

enum { RELAXED = ACCESS_RELAXED_ORDERING, MANY = 16384 };
static const uintptr_t PAGE = 4096;

static char names[MANY + 1]; /* their addresses stand for registrations */

static struct registrations_question ask_from(uintptr_t first, size_t size, uint64_t since, uint64_t until) {
  struct registrations_question q = {.first = first, .last = first + size - 1, .since = since, .until = until};
  winord_registrations_1(&q);
  return q;
}

static struct registrations_question ask(uintptr_t first, size_t size) { return ask_from(first, size, 0, 0); }

static void drop(int name) { registration_drop(registration_take(&names[name])); }

static void nothing_registered(void **state) {
  (void)state;
  const struct registrations_question q = ask(PAGE, PAGE);
  assert_int_equal(q.own.relaxed + q.own.strict + q.earlier.relaxed + q.earlier.strict, 0);
  assert_false(q.own_whole || q.earlier_whole || q.overflow);
}

static void edges(void **state) {
  (void)state;
  registration_add(&names[0], 10 * PAGE, PAGE, RELAXED);
  assert_int_equal(ask(9 * PAGE, PAGE).own.relaxed, 0);
  assert_int_equal(ask(11 * PAGE, PAGE).own.relaxed, 0);
  assert_int_equal(ask(9 * PAGE, PAGE + 1).own.relaxed, 1);
  assert_false(ask(9 * PAGE, PAGE + 1).own_whole);
  assert_int_equal(ask(11 * PAGE - 1, PAGE).own.relaxed, 1);
  assert_true(ask(10 * PAGE, PAGE).own_whole);
  assert_true(ask(10 * PAGE + 5, 1).own_whole);
  drop(0);
  assert_int_equal(ask(10 * PAGE, PAGE).own.relaxed, 0);
}

static void failed_or_unknown(void **state) {
  (void)state;
  const uint64_t made = ask(PAGE, 1).made;
  registration_add(NULL, PAGE, PAGE, 0);
  assert_int_equal(ask(PAGE, 1).made, made);
  assert_null(registration_take(&names[7]));
  registration_keep(NULL);
  registration_drop(NULL);
}

static void segments(void **state) {
  (void)state;
  registration_add(&names[0], 10 * PAGE, PAGE, 0);
  registration_add(&names[2], 12 * PAGE, PAGE, 0);
  assert_false(ask(10 * PAGE, 3 * PAGE).own_whole);
  registration_add(&names[1], 11 * PAGE, PAGE, RELAXED);
  const struct registrations_question q = ask(10 * PAGE, 3 * PAGE);
  assert_true(q.own_whole);
  assert_int_equal(q.own.strict, 2);
  assert_int_equal(q.own.relaxed, 1);
  for (int i = 0; i < 3; i++)
    drop(i);
}

static void earlier_ones(void **state) {
  (void)state;
  registration_add(&names[0], 10 * PAGE, 2 * PAGE, RELAXED);
  const uint64_t since = ask(PAGE, 1).made;
  assert_true(ask_from(10 * PAGE, PAGE, since, 0).earlier_whole);
  assert_false(ask_from(10 * PAGE, PAGE, since, 0).own_whole);
  assert_false(ask_from(10 * PAGE, 3 * PAGE, since, 0).earlier_whole);
  assert_int_equal(ask_from(10 * PAGE, 3 * PAGE, since, 0).earlier.relaxed, 1);
  drop(0);
}

static void without_address(void **state) {
  (void)state;
  const uint64_t since = ask(PAGE, 1).made;
  registration_add(&names[0], 0, PAGE, 0); /* too short for the window */
  registration_add(&names[1], 0, 2 * PAGE, RELAXED);
  struct registrations_question q = ask_from(10 * PAGE, 2 * PAGE, since, 0);
  assert_int_equal(q.nowhere.relaxed, 1);
  assert_int_equal(q.nowhere.strict, 0);
  const uint64_t until = q.made;
  registration_add(&names[2], 0, 2 * PAGE, 0); /* after the call */
  q = ask_from(10 * PAGE, 2 * PAGE, since, until);
  assert_true(q.own_by_call && q.own_whole);
  assert_int_equal(q.own.relaxed, 1);
  assert_int_equal(q.own.strict, 0);
  assert_int_equal(q.nowhere.strict, 1);
  assert_int_equal(ask_from(20 * PAGE, PAGE, since, 0).nowhere.relaxed, 0); /* it is known to be the other window's */
  for (int i = 0; i < 3; i++)
    drop(i);
}

static void ends_of_memory(void **state) {
  (void)state;
  registration_add(&names[0], UINTPTR_MAX - PAGE + 1, PAGE, 0);
  registration_add(&names[1], UINTPTR_MAX - 2 * PAGE + 1, SIZE_MAX, 0); /* longer than memory is */
  assert_true(ask(UINTPTR_MAX - PAGE + 1, PAGE).own_whole);
  assert_int_equal(ask(UINTPTR_MAX - 2 * PAGE + 1, 2 * PAGE).own.strict, 2);
  registration_add(&names[2], PAGE, 0, 0);
  assert_int_equal(ask(PAGE, PAGE).own.strict, 1);
  for (int i = 0; i < 3; i++)
    drop(i);
}

static void *add_and_drop(void *of) {
  const int base = (int)(intptr_t)of;
  for (int i = 0; i < 20000; i++) {
    const int name = base + i % 8;
    registration_add(&names[name], (uintptr_t)(100 + base) * PAGE, PAGE, base % 2 ? RELAXED : 0);
    const struct registrations_question q = ask((uintptr_t)(100 + base) * PAGE, PAGE);
    if (q.own.relaxed + q.own.strict != 1 || !q.own_whole)
      return of;
    drop(name);
  }
  return NULL;
}

static void many_threads(void **state) {
  pthread_t threads[4];
  (void)state;
  for (intptr_t i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, add_and_drop, (void *)(i * 8 + 8)), 0); /* NOLINT */
  for (int i = 0; i < 4; i++) {
    void *failed = NULL;
    assert_int_equal(pthread_join(threads[i], &failed), 0);
    assert_null(failed);
  }
}

static void more_than_fit(void **state) {
  (void)state;
  for (int i = 0; i < MANY; i++)
    registration_add(&names[i], PAGE, PAGE, 0);
  assert_false(ask(PAGE, PAGE).overflow);
  registration_add(&names[MANY], PAGE, PAGE, 0);
  assert_true(ask(PAGE, PAGE).overflow);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_registered), cmocka_unit_test(edges),        cmocka_unit_test(failed_or_unknown),
      cmocka_unit_test(segments),           cmocka_unit_test(earlier_ones), cmocka_unit_test(without_address),
      cmocka_unit_test(ends_of_memory),     cmocka_unit_test(many_threads), cmocka_unit_test(more_than_fit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
