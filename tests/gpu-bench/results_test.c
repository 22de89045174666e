/* What bench-gpu makes of its numbers: medians, verdicts, the mark of a mismatch, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/gpu/results.h"

static void medians(void **state) {
  double odd[] = {9, 1, 5}, even[] = {4, 1, 3, 100}, one[] = {7};
  (void)state;
  assert_float_equal(median_of(odd, 3), 5, 0);
  assert_float_equal(median_of(even, 4), 3.5, 0);
  assert_float_equal(median_of(one, 1), 7, 0);
}

static void verdicts(void **state) {
  static const struct {
    struct row row;
    const char *verdict;
  } cases[] = {
      {{.state = RAN, .ratio = 1.2, .target = 1.2}, "ok"},
      {{.state = RAN, .ratio = 1.201, .target = 1.2}, "OVER"},
      {{.state = RAN, .ratio = 0.9, .target = 0.9, .at_least = true}, "ok"},
      {{.state = RAN, .ratio = 0.899, .target = 0.9, .at_least = true}, "OVER"},
      {{.state = RAN, .ratio = 7}, ""},
      {{.state = FAILED, .ratio = 1, .target = 1.2}, "failed"},
      {{.state = NOT_RUN, .target = 1.2}, "not run"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_string_equal(row_verdict(&cases[i].row), cases[i].verdict);
}

static void wrong_words_or_a_failed_row_are_told(void **state) {
  static struct results results;
  (void)state;
  results = (struct results){0};
  results_cell(&results)->of[WAY_COPY].state = RAN;
  results_row(&results)->state = RAN;
  assert_false(results_wrong(&results));
  results.cells[0].of[WAY_GIN].wrong = 1;
  assert_true(results_wrong(&results));
  results.cells[0].of[WAY_GIN].wrong = 0;
  results.rows[0].state = FAILED;
  assert_true(results_wrong(&results));
}

static void tables_do_not_overflow(void **state) {
  static struct results results;
  (void)state;
  results = (struct results){0};
  for (int i = 0; i < 2 * ROWS_MAX; i++) {
    results_row(&results)->bytes = 1;
    results_cell(&results)->bytes = 1;
    results_note(&results, "%0700d", i);
  }
  assert_int_equal(results.row_count, ROWS_MAX);
  assert_int_equal(results.cell_count, CELLS_MAX);
  assert_int_equal(results.note_count, NOTES_MAX);
}

static void json_says_what_the_table_says(void **state) {
  static struct results results;
  char path[] = "/tmp/winord-results-XXXXXX";
  const int file = mkstemp(path);
  (void)state;
  assert_true(file >= 0);
  close(file);
  results = (struct results){.machine = "a machine", .ranks = 2, .devices = 1, .timer_ns = 32};
  *results_row(&results) = (struct row){.part = "lane", .what = "a lane", .unit = "us", .state = RAN, .measured = 1.5};
  *results_cell(&results) = (struct cell){.pattern = PATTERN_RING,
                                          .bytes = 4096,
                                          .pairs = 2,
                                          .of = {[WAY_LSA] = {RAN, 9, 12.5, 3}, [WAY_GIN] = {FAILED, 0, 0, 0}}};
  assert_true(results_write(&results, path));
  json_t *json = json_load_file(path, 0, NULL);
  const char *pattern, *lsa, *gin, *copy, *verdict;
  json_int_t wrong;
  json_t *floor;
  assert_int_equal(json_unpack(json, "{s:[{s:s, s:o}], s:[{s:s, s:{s:s, s:I}, s:{s:s}, s:{s:s}}]}", "speed", "verdict",
                               &verdict, "floor", &floor, "puts", "pattern", &pattern, "lsa_put", "state", &lsa,
                               "wrong_words", &wrong, "gin_put", "state", &gin, "staged_copy", "state", &copy),
                   0);
  assert_string_equal(verdict, "");
  assert_true(json_is_null(floor));
  assert_string_equal(pattern, "ring");
  assert_string_equal(lsa, "ran");
  assert_string_equal(gin, "hung");
  assert_string_equal(copy, "not_run");
  assert_int_equal(wrong, 3);
  json_decref(json);
  unlink(path);
  assert_false(results_write(&results, "/nowhere/at/all"));
}

static void a_mismatch_is_marked(void **state) {
  static struct results results;
  char path[] = "/tmp/winord-table-XXXXXX", text[4096] = "";
  const int file = mkstemp(path), out = dup(STDOUT_FILENO);
  (void)state;
  assert_true(file >= 0 && out >= 0);
  results = (struct results){.machine = "a machine", .ranks = 2, .devices = 1};
  *results_cell(&results) = (struct cell){.pattern = PATTERN_PAIRS,
                                          .bytes = 4096,
                                          .pairs = 2,
                                          .of = {{RAN, 9, 12.5, 3}, {FAILED, 0, 0, 0}, {RAN, 9, 5, 0}}};
  fflush(stdout);
  dup2(file, STDOUT_FILENO);
  results_print(&results);
  fflush(stdout);
  dup2(out, STDOUT_FILENO);
  assert_true(pread(file, text, sizeof text - 1, 0) > 0);
  close(file);
  close(out);
  unlink(path);
  assert_non_null(strstr(text, " 12.50! "));
  assert_non_null(strstr(text, " hung "));
  assert_non_null(strstr(text, " 5.00  "));
  assert_non_null(strstr(text, " 2.50 "));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(medians),
      cmocka_unit_test(verdicts),
      cmocka_unit_test(wrong_words_or_a_failed_row_are_told),
      cmocka_unit_test(tables_do_not_overflow),
      cmocka_unit_test(json_says_what_the_table_says),
      cmocka_unit_test(a_mismatch_is_marked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
