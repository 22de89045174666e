/* What line coverage showed that no other test runs: order of problems over files, long entries, long paths. */
#include "policy/policy.h"
#include "policy/text.h"
#include "tests/policy/rows.h"

#define TOP "[winord]\nversion = 1\n"

static struct policy *read_two(char folder[64], const char *main_text, const char *part) {
  char path[80];
  snprintf(path, sizeof path, "%s/main.conf", folder_new(folder));
  text_write(folder, "main.conf", main_text);
  text_write(folder, "part.conf", part);
  struct policy *policy = policy_read(path);
  folder_remove(folder);
  assert_non_null(policy);
  return policy;
}

/* The main file's problems stand before an included one's, whenever they are found. */
static void test_order_over_files(void **state) {
  char folder[64];
  (void)state;
  struct policy *policy =
      read_two(folder, TOP "include = part.conf\n[rule a]\nordering = keep\n[rule b]\nordering = keep\n",
               "[rule c]\nordering = loose\n");
  policy_find_unreachable(policy, true);
  assert_true(policy->problem_count >= 2);
  assert_int_equal(policy->problems[0].line, 6);
  assert_non_null(strstr(policy->problems[0].file, "main.conf"));
  assert_non_null(strstr(policy->problems[0].text, "[rule b] can never decide"));
  assert_non_null(strstr(policy->problems[1].file, "part.conf"));
  policy_free(policy);
}

static void test_long_include(void **state) {
  char folder[64], path[4200], deep[4096] = "", text[256];
  (void)state;
  folder_new(folder);
  for (size_t i = 0; i < 4000; i += 2)
    memcpy(deep + i, "./", 3);
  snprintf(path, sizeof path, "%s/%smain.conf", folder, deep);
  snprintf(text, sizeof text, TOP "include = %.150s\n", deep);
  text_write(folder, "main.conf", text);
  struct policy *policy = policy_read(path);
  folder_remove(folder);
  assert_non_null(policy);
  assert_int_equal(policy->error_count, 1);
  assert_string_equal(policy->problems[0].text, "include: the path is too long");
  assert_int_equal(policy->problems[0].line, 3);
  policy_free(policy);
}

static void test_long_item(void **state) {
  const char *cursor = " abcdef  ,\tg \t";
  char item[4];
  (void)state;
  assert_true(next_item(&cursor, item, sizeof item));
  assert_string_equal(item, "abc");
  assert_true(next_item(&cursor, item, sizeof item));
  assert_string_equal(item, "g");
  assert_false(next_item(&cursor, item, sizeof item));
}

static void test_blank_behind_not(void **state) {
  char folder[64];
  (void)state;
  struct policy *policy = read_two(folder, TOP "[rule a]\nflags = ! GIN_ONLY\nordering = keep\n", "");
  assert_int_equal(policy->error_count, 0);
  assert_int_equal(policy->rules[0].flags_clear, 0x04);
  policy_free(policy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_over_files),
      cmocka_unit_test(test_long_include),
      cmocka_unit_test(test_long_item),
      cmocka_unit_test(test_blank_behind_not),
  };
  return cmocka_run_group_tests_name("edges", tests, NULL, NULL);
}
