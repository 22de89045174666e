/* The metric in a stream of output, in whatever pieces it comes. */
#include "cli/ab_metric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* The metric of this output, given in pieces of so many bytes. */
static struct metric taken(const char *expression, const char *output, size_t size, size_t piece) {
  static struct line line;
  static regex_t compiled;
  char *why;
  assert_true(metric_compile(&compiled, expression, &why));
  struct metric metric = {.expression = &compiled};
  for (size_t at = 0; at < size; at += piece) {
    metric_take(&metric, &line, output + at, size - at < piece ? size - at : piece);
  }
  metric_end(&metric, &line);
  regfree(&compiled);
  return metric;
}

static void same_in_all_pieces(void **state) {
  (void)state;
  static const struct {
    const char *expression, *output;
    double value;
    size_t matches;
    const char *odd;
  } cases[] = {
      {"bw ([0-9.]+)", "bw 1.5\nbw 2.5\n", 2.5, 2, ""},
      {"bw ([0-9.]+)", "bw 1.5\rbw 2.5\rdone", 2.5, 2, ""}, /* a progress bar */
      {"bw ([0-9.]+)", "bw 1 bw 2 bw 3", 3, 3, ""}, /* of a line all, and a last line without end */
      {"^bw ([0-9.]+)", "bw 1bw 2", 1, 1, ""}, /* ^ is the line's, not the rest's */
      {"bw ([^ ]+)", "bw 7\nbw fast\n", 7, 1, "fast"},
      {"bw ([^ ]+)", "bw -3\nbw 0\nbw nan\nbw inf\nbw 1e400\n", 0, 0, "1e400"},
      {"bw (.*)", "bw 12 GB/s\n", 0, 0, "12 GB/s"}, /* a unit within the group is no number */
      {"bw (.*) *", "bw 1.25e3 \n", 1250, 1, ""},
      {"x|bw ([0-9]+)", "x\n", 0, 0, "nothing"}, /* a match without the group */
      {"([0-9]*)", "a5\n", 5, 1, ""}, /* empty matches come to an end */
      {"bw ([0-9]+)", "", 0, 0, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (size_t piece = 1; piece <= 20; piece++) {
      const char *output = cases[i].output;
      struct metric metric = taken(cases[i].expression, output, strlen(output), piece);
      assert_true(metric.value == cases[i].value);
      assert_int_equal(cases[i].matches, metric.matches);
      assert_string_equal(cases[i].odd, metric.odd);
    }
  }
}

static void nul_bytes_and_long_lines(void **state) {
  (void)state;
  static char output[300000];
  static const char middle[] = "\nbw 41\0\nbw 42", end[] = "\nbw 43\n";
  memset(output, 'x', sizeof output);
  memcpy(output + 100000, middle, sizeof middle - 1);
  memcpy(output + sizeof output - sizeof end, end, sizeof end);
  struct metric metric = taken("bw ([0-9]+)", output, sizeof output, 4096);
  assert_true(metric.value == 43);
  assert_int_equal(3, metric.matches);
}

static void expressions(void **state) {
  (void)state;
  static const char *const bad[] = {"(", "bw [0-9]+", "a{2,1}(x)", ""};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    regex_t compiled;
    char *why = NULL;
    assert_false(metric_compile(&compiled, bad[i], &why));
    assert_true(why != NULL && why[0] != '\0');
    free(why);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_in_all_pieces),
      cmocka_unit_test(nul_bytes_and_long_lines),
      cmocka_unit_test(expressions),
  };
  cmocka_set_message_output(CM_OUTPUT_TAP);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
