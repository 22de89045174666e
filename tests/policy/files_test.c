/* Policy files as files: odd ones, huge ones, and included ones. */
#include "policy/lines.h"
#include "policy/policy.h"
#include "tests/policy/rows.h"

static struct policy *read_bytes(const void *bytes, size_t size) {
  char folder[64], path[80];
  snprintf(path, sizeof path, "%s/p.conf", folder_new(folder));
  file_write(folder, "p.conf", bytes, size);
  struct policy *policy = policy_read(path);
  folder_remove(folder);
  assert_non_null(policy);
  return policy;
}

static void assert_problem(const struct policy *policy, size_t index, int line, const char *fragment) {
  assert_true(index < policy->problem_count);
  const struct problem *problem = &policy->problems[index];
  if (problem->line != line || !strstr(problem->text, fragment))
    fail_msg("%s:%d: %s", problem->file, problem->line, problem->text);
}

static void assert_unreadable(const char *path, const char *fragment) {
  struct policy *policy = policy_read(path);
  assert_non_null(policy);
  assert_int_equal(policy->error_count, 1);
  assert_string_equal(policy->problems[0].file, path);
  assert_problem(policy, 0, 0, fragment);
  policy_free(policy);
}

static void test_missing(void **state) {
  (void)state;
  assert_unreadable("/nonexistent/winord.conf", "cannot be read: no such file");
}

static void test_below_a_file(void **state) {
  (void)state;
  assert_unreadable("/etc/passwd/winord.conf", "cannot be read: no such file");
}

static void test_directory(void **state) {
  (void)state;
  assert_unreadable("/tmp", "cannot be read: is a directory");
}

static void test_device(void **state) {
  (void)state;
  assert_unreadable("/dev/zero", "cannot be read: is no regular file");
}

static void test_fifo(void **state) {
  (void)state;
  char folder[64], path[80];
  snprintf(path, sizeof path, "%s/fifo", folder_new(folder));
  assert_int_equal(mkfifo(path, 0600), 0);
  alarm(10);
  assert_unreadable(path, "cannot be read: is a FIFO");
  alarm(0);
  folder_remove(folder);
}

static void test_unreadable(void **state) {
  (void)state;
  char folder[64], path[80];
  uid_t user = geteuid();
  snprintf(path, sizeof path, "%s/p.conf", folder_new(folder));
  text_write(folder, "p.conf", "[winord]\nversion = 1\n");
  chmod(path, 0);
  /* root may read everything. */
  if (user == 0)
    assert_int_equal(seteuid(65534), 0);
  assert_unreadable(path, "cannot be read: permission denied");
  assert_int_equal(seteuid(user), 0);
  folder_remove(folder);
}

static void test_too_large(void **state) {
  (void)state;
  char folder[64], path[80];
  snprintf(path, sizeof path, "%s/p.conf", folder_new(folder));
  text_write(folder, "p.conf", "");
  assert_int_equal(truncate(path, (64L << 20) + 1), 0);
  assert_unreadable(path, "cannot be read: is too large");
  folder_remove(folder);
}

static void test_slurp_limit(void **state) {
  (void)state;
  char folder[64], path[80], *text;
  size_t size;
  snprintf(path, sizeof path, "%s/f", folder_new(folder));
  text_write(folder, "f", "12345");
  assert_null(file_slurp(path, 5, &text, &size));
  assert_int_equal(size, 5);
  assert_string_equal(text, "12345");
  free(text);
  assert_string_equal(file_slurp(path, 4, &text, &size), "is too large");
  /* A file that says nothing of its size. */
  assert_null(file_slurp("/proc/self/status", 1 << 20, &text, &size));
  assert_int_equal(strlen(text), size);
  free(text);
  assert_string_equal(file_slurp("/proc/self/status", 10, &text, &size), "is too large");
  folder_remove(folder);
}

static void test_nul_bytes(void **state) {
  (void)state;
  static const char text[] = "[winord]\nversion = 1\n[rule x]\nordering = keep\nho\0st\0 = a\nasked = strict\n\0\n";
  struct policy *policy = read_bytes(text, sizeof text - 1);
  assert_int_equal(policy->error_count, 2);
  assert_problem(policy, 0, 5, "NUL byte");
  assert_problem(policy, 1, 7, "NUL byte");
  assert_int_equal(policy->rules[0].asked, ASKED_STRICT);
  policy_free(policy);
}

/* A line of length characters: "host = aaa...". */
static struct policy *read_long_line(size_t length, const char *ending) {
  char text[1024], host[256] = "";
  memset(host, 'a', length - strlen("host = "));
  snprintf(text, sizeof text, "[winord]\nversion = 1\n[rule x]\nordering = keep\nhost = %s%sasked = strict\n", host,
           ending);
  struct policy *policy = read_bytes(text, strlen(text));
  assert_int_equal(policy->rules[0].asked, ASKED_STRICT);
  return policy;
}

static void test_line_of_199(void **state) {
  (void)state;
  for (int crlf = 0; crlf < 2; crlf++) {
    struct policy *policy = read_long_line(199, crlf ? "\r\n" : "\n");
    assert_int_equal(policy->problem_count, 0);
    assert_int_equal(strlen(policy->rules[0].host.items[0]), 199 - strlen("host = "));
    policy_free(policy);
  }
}

static void test_line_of_200(void **state) {
  (void)state;
  struct policy *policy = read_long_line(200, "\n");
  assert_int_equal(policy->error_count, 1);
  assert_problem(policy, 0, 5, "line of 200 characters; at most 199");
  assert_int_equal(policy->rules[0].host.count, 0);
  policy_free(policy);
}

static void test_long_comment(void **state) {
  (void)state;
  char text[512] = "[winord]\nversion = 1\n;";
  memset(text + strlen(text), 'x', 250);
  struct policy *policy = read_bytes(text, strlen(text));
  assert_int_equal(policy->error_count, 1);
  assert_problem(policy, 0, 3, "line of 251 characters");
  policy_free(policy);
}

/* What follows a section header that is cut must not be taken for the section before it. */
static void test_long_header(void **state) {
  (void)state;
  char text[1024], name[256] = "";
  memset(name, 'y', 250);
  snprintf(text, sizeof text,
           "[winord]\nversion = 1\n[rule x]\nordering = keep\n[rule %s]\nordering = relaxed\n[rule z]\n"
           "ordering = strict\n",
           name);
  struct policy *policy = read_bytes(text, strlen(text));
  assert_int_equal(policy->error_count, 1);
  assert_problem(policy, 0, 5, "line of 257 characters");
  assert_int_equal(policy->rule_count, 2);
  assert_int_equal(policy->rules[0].ordering, ORDERING_KEEP);
  assert_int_equal(policy->rules[1].line, 7);
  policy_free(policy);
}

static void test_endless_line(void **state) {
  (void)state;
  size_t size = 50000000;
  char *text = malloc(size);
  assert_non_null(text);
  memset(text, 'x', size);
  struct policy *policy = read_bytes(text, size);
  free(text);
  assert_int_equal(policy->error_count, 2);
  assert_problem(policy, 0, 0, "no [winord] section");
  assert_problem(policy, 1, 1, "line of 50000000 characters");
  policy_free(policy);
}

static void test_binary(void **state) {
  (void)state;
  enum { SIZE = 1 << 20 };
  unsigned char *bytes = malloc(SIZE);
  unsigned long long random = 88172645463325252ULL;
  assert_non_null(bytes);
  for (size_t i = 0; i < SIZE; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    bytes[i] = (unsigned char)(random >> 32);
  }
  struct policy *policy = read_bytes(bytes, SIZE);
  free(bytes);
  assert_int_equal(policy->problem_count, 101);
  assert_problem(policy, 100, policy->problems[100].line, "more problems; not listed");
  for (size_t i = 1; i < 101; i++)
    assert_true(policy->problems[i - 1].line <= policy->problems[i].line);
  policy_free(policy);
}

static void test_values(void **state) {
  (void)state;
  static const char text[] = "[rule a]\npool = p, q*\nhost = *\npci-atomic-mode = 0, unknown\nasked = strict\n"
                             "nccl = >=2.29.7, <2.31\ncaller = *deep_ep*\nexe = python*\nmin-size = 64MiB\n"
                             "max-size = 1TiB\nflags = !GIN_ONLY, 0x10\ngin-connection = full, rail\n"
                             "ordering = relaxed\nva-signals = none\naccept-hazard = yes\n"
                             "[pool p]\nhosts = a, b\nhosts = c\nattest-pci-atomic-mode = 0\n"
                             "attested-by = fleet-ops, ticket #4711\nattested-until = 2027-03-31\n"
                             "[winord]\nversion = 1\ndefault = strict\n";
  struct policy *policy = read_bytes(text, sizeof text - 1);
  assert_int_equal(policy->problem_count, 0);
  const struct rule *rule = policy->rules;
  assert_string_equal(rule->name, "a");
  assert_int_equal(rule->line, 1);
  assert_string_equal(rule->file, policy->path);
  assert_int_equal(rule->pool.count, 2);
  assert_string_equal(rule->pool.items[1], "q*");
  assert_int_equal(rule->modes, 1 | 1 << 5);
  assert_int_equal(rule->asked, ASKED_STRICT);
  assert_int_equal(rule->nccl.low, 22907);
  assert_int_equal(rule->nccl.high, 23099);
  assert_string_equal(rule->caller.items[0], "*deep_ep*");
  assert_string_equal(rule->exe.items[0], "python*");
  assert_int_equal(rule->min_size, 64 << 20);
  assert_true(rule->max_size == 1ULL << 40);
  assert_int_equal(rule->flags_set, 0x10);
  assert_int_equal(rule->flags_clear, 0x04);
  assert_int_equal(rule->gin_connections, 1 << GIN_FULL | 1 << GIN_RAIL);
  assert_int_equal(rule->ordering, ORDERING_RELAXED);
  assert_true(rule->va_signals_none && rule->accept_hazard);
  const struct pool *pool = policy_pool(policy, "p");
  assert_int_equal(pool->hosts.count, 3);
  assert_int_equal(pool->attested_mode, 0);
  assert_string_equal(pool->attested_by, "fleet-ops, ticket #4711");
  assert_int_equal(pool->attested_until, 20270331);
  assert_null(policy_pool(policy, "q"));
  assert_ptr_equal(policy_pool_of_host(policy, "c.example"), pool);
  assert_null(policy_pool_of_host(policy, "d"));
  assert_int_equal(policy->fallback, ORDERING_STRICT);
  assert_int_equal(policy->fallback_line, 24);
  assert_true(policy->digest == fnv1a(FNV_START, text, sizeof text - 1));
  policy_free(policy);
}

static const char MAIN[] = "[winord]\nversion = 1\ninclude = d/*.conf\n[rule main]\nordering = keep\n";

static struct policy *read_folder(const char *folder) {
  char path[80];
  snprintf(path, sizeof path, "%s/p.conf", folder);
  struct policy *policy = policy_read(path);
  assert_non_null(policy);
  return policy;
}

static void test_include_sorted(void **state) {
  (void)state;
  char folder[64];
  folder_new(folder);
  text_write(folder, "p.conf", MAIN);
  text_write(folder, "d/20.conf", "[rule c]\nordering = keep\n");
  text_write(folder, "d/10.conf", "[rule b]\nordering = keep\n[pool b]\nhosts = b\n");
  text_write(folder, "d/.hidden.conf", "junk\n");
  text_write(folder, "d/other.txt", "junk\n");
  struct policy *policy = read_folder(folder);
  assert_int_equal(policy->problem_count, 0);
  assert_int_equal(policy->file_count, 3);
  assert_int_equal(policy->rule_count, 3);
  assert_string_equal(policy->rules[0].name, "main");
  assert_string_equal(policy->rules[1].name, "b");
  assert_string_equal(policy->rules[2].name, "c");
  assert_string_equal(policy->rules[2].file, policy->files[2]);
  assert_non_null(strstr(policy->files[2], "/d/20.conf"));
  policy_free(policy);
  folder_remove(folder);
}

static void test_include_absolute(void **state) {
  (void)state;
  char folder[64], text[256];
  folder_new(folder);
  snprintf(text, sizeof text, "[winord]\nversion = 1\ninclude = %s/a/b.conf, %s/a/[c].conf\n", folder, folder);
  text_write(folder, "p.conf", text);
  text_write(folder, "a/b.conf", "[rule b]\nordering = keep\n");
  text_write(folder, "a/c.conf", "[rule c]\nordering = keep\n");
  struct policy *policy = read_folder(folder);
  assert_int_equal(policy->problem_count, 0);
  assert_int_equal(policy->rule_count, 2);
  policy_free(policy);
  folder_remove(folder);
}

static void test_include_error_names_its_file(void **state) {
  (void)state;
  char folder[64];
  folder_new(folder);
  text_write(folder, "p.conf", MAIN);
  text_write(folder, "d/a.conf", "[rule a]\nordring = keep\n");
  struct policy *policy = read_folder(folder);
  assert_int_equal(policy->error_count, 2);
  assert_problem(policy, 0, 1, "[rule a] has no ordering");
  assert_problem(policy, 1, 2, "did you mean 'ordering'?");
  assert_string_equal(policy->problems[1].file, policy->files[1]);
  policy_free(policy);
  folder_remove(folder);
}

static void test_include_one_level(void **state) {
  (void)state;
  char folder[64];
  folder_new(folder);
  text_write(folder, "p.conf", MAIN);
  text_write(folder, "d/a.conf", "[winord]\ninclude = x.conf\n");
  struct policy *policy = read_folder(folder);
  assert_int_equal(policy->error_count, 1);
  assert_problem(policy, 0, 1, "[winord] stands in the main file only");
  policy_free(policy);
  folder_remove(folder);
}

static void test_include_duplicate(void **state) {
  (void)state;
  char folder[64];
  folder_new(folder);
  text_write(folder, "p.conf", MAIN);
  text_write(folder, "d/a.conf", "[rule main]\nordering = keep\n");
  struct policy *policy = read_folder(folder);
  assert_int_equal(policy->error_count, 1);
  assert_problem(policy, 0, 1, "duplicate rule 'main'; first in ");
  assert_non_null(strstr(policy->problems[0].text, "p.conf:4"));
  policy_free(policy);
  folder_remove(folder);
}

static void test_include_directory(void **state) {
  (void)state;
  char folder[64];
  folder_new(folder);
  text_write(folder, "p.conf", MAIN);
  text_write(folder, "d/a.conf/x", "");
  struct policy *policy = read_folder(folder);
  assert_int_equal(policy->error_count, 1);
  assert_problem(policy, 0, 3, "d/a.conf: is a directory");
  policy_free(policy);
  folder_remove(folder);
}

static void test_many_rules(void **state) {
  (void)state;
  enum { RULES = 10000 };
  char *text = malloc((size_t)RULES * 64);
  size_t used = (size_t)sprintf(text, "[winord]\nversion = 1\n");
  for (int i = 0; i < RULES; i++)
    used += (size_t)sprintf(text + used, "[rule r%d]\nhost = h%d\nordering = keep\n", i, i);
  struct policy *policy = read_bytes(text, used);
  free(text);
  assert_int_equal(policy->problem_count, 0);
  assert_int_equal(policy->rule_count, RULES);
  assert_string_equal(policy->rules[RULES - 1].name, "r9999");
  policy_free(policy);
}

static const struct case_row {
  const char *name;
  void (*test)(void **state);
} case_rows[] = {
    {"no such file", test_missing},
    {"a file below a file", test_below_a_file},
    {"a directory", test_directory},
    {"a device", test_device},
    {"a FIFO does not block", test_fifo},
    {"permission denied", test_unreadable},
    {"larger than 64 MiB", test_too_large},
    {"file_slurp keeps its limit", test_slurp_limit},
    {"NUL bytes, once per line", test_nul_bytes},
    {"line of 199 characters", test_line_of_199},
    {"line of 200 characters", test_line_of_200},
    {"long comment", test_long_comment},
    {"long header", test_long_header},
    {"50 MB without a newline", test_endless_line},
    {"binary junk", test_binary},
    {"every key's value", test_values},
    {"include: by name, behind the main file", test_include_sorted},
    {"include: absolute paths", test_include_absolute},
    {"include: errors name their file", test_include_error_names_its_file},
    {"include: one level", test_include_one_level},
    {"include: duplicate rule", test_include_duplicate},
    {"include: a directory", test_include_directory},
    {"10,000 rules", test_many_rules},
};

static void test_case(void **state) { ((const struct case_row *)*state)->test(NULL); }

int main(void) {
  static struct suite suite;
  ROWS(&suite, case_rows, test_case);
  return suite_run("policy files", &suite);
}
