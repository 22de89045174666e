/* Unreachable rules, and what `winord check` warns of. */
#include "policy/policy.h"
#include "tests/policy/rows.h"

static struct policy *read_text(const char *text) {
  char folder[64], path[80];
  snprintf(path, sizeof path, "%s/p.conf", folder_new(folder));
  text_write(folder, "p.conf", text);
  struct policy *policy = policy_read(path);
  folder_remove(folder);
  assert_non_null(policy);
  for (size_t i = 0; i < policy->problem_count; i++)
    print_message("%d: %s\n", policy->problems[i].line, policy->problems[i].text);
  assert_int_equal(policy->problem_count, 0);
  return policy;
}

/* Keys of an earlier and of a later rule: can the later one be reached? */
static const struct reach_row {
  const char *name, *earlier, *later;
  bool reachable;
} reach_rows[] = {
    {"reach: earlier without keys", "", "host = a\nasked = strict\n", false},
    {"reach: later without keys", "host = a\n", "", true},
    {"reach: equal", "host = a*\nasked = strict\n", "host = a*\nasked = strict\n", false},
    {"reach: literal inside a glob", "host = a*\n", "host = ab\n", false},
    {"reach: literal outside the glob", "host = a*\n", "host = b\n", true},
    {"reach: glob inside a glob is not judged", "host = a*\n", "host = ab*\n", true},
    {"reach: list inside a list", "host = a*, b\n", "host = ax, b\n", false},
    {"reach: list with one outside", "host = a*, b\n", "host = ax, c\n", true},
    {"reach: pool", "pool = h*\n", "pool = h200\n", false},
    {"reach: other pool", "pool = h200\n", "pool = h100\n", true},
    {"reach: exe", "exe = python*\n", "exe = python3.12\n", false},
    {"reach: other exe", "exe = python*\n", "exe = bash\n", true},
    {"reach: caller", "caller = *deep_ep*\n", "caller = /opt/deep_ep/_C.so\n", false},
    {"reach: other caller", "caller = *deep_ep*\n", "caller = *nccl_ep*\n", true},
    {"reach: asked", "asked = strict\n", "asked = default\n", true},
    {"reach: modes inside", "pci-atomic-mode = 0, unknown\n", "pci-atomic-mode = 0\n", false},
    {"reach: modes outside", "pci-atomic-mode = 0\n", "pci-atomic-mode = 0, 4\n", true},
    {"reach: any mode", "pci-atomic-mode = 0\n", "", true},
    {"reach: sizes inside", "min-size = 1MiB\nmax-size = 8MiB\n", "min-size = 1MiB\nmax-size = 4MiB\n", false},
    {"reach: sizes beyond", "min-size = 1MiB\nmax-size = 8MiB\n", "min-size = 1MiB\n", true},
    {"reach: versions inside", "nccl = >=2.29.7\n", "nccl = >=2.30\n", false},
    {"reach: versions beyond", "nccl = >=2.30\n", "nccl = >=2.29.7\n", true},
    {"reach: unknown version", "nccl = >=0.0.1\n", "", true},
    {"reach: flags fewer", "flags = GIN_ONLY\n", "flags = GIN_ONLY, COLL_SYMMETRIC\n", false},
    {"reach: flags more", "flags = GIN_ONLY, COLL_SYMMETRIC\n", "flags = GIN_ONLY\n", true},
    {"reach: flags clear", "flags = !GIN_ONLY\n", "flags = !GIN_ONLY, 0x10\n", false},
    {"reach: flags set against clear", "flags = !GIN_ONLY\n", "flags = GIN_ONLY\n", true},
    {"reach: connections inside", "gin-connection = full, rail\n", "gin-connection = full\n", false},
    {"reach: connections outside", "gin-connection = full\n", "gin-connection = rail\n", true},
};

static void test_reach(void **state) {
  const struct reach_row *row = *state;
  for (int error = 0; error < 2; error++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "[winord]\nversion = 1\n[rule e]\nordering = keep\n%s[rule l]\nordering = relaxed\naccept-hazard = yes\n%s",
        row->earlier, row->later);
    struct policy *policy = read_text(text);
    policy_find_unreachable(policy, error);
    assert_int_equal(policy->problem_count, !row->reachable);
    assert_int_equal(policy->error_count, error && !row->reachable);
    if (!row->reachable) {
      assert_int_equal(policy->problems[0].line, policy->rules[1].line);
      assert_non_null(strstr(policy->problems[0].text, "[rule l] can never decide: [rule e] in "));
    }
    policy_free(policy);
  }
}

#define POOL "[winord]\nversion = 1\n[pool p]\nhosts = a*\n"
#define RULE "[rule x]\nordering = keep\n"
#define ATTEST(day) POOL "attest-pci-atomic-mode = 0\nattested-by = me\nattested-until = " day "\n"

/* today: 2027-02-15. */
static const struct doubt_row {
  const char *name, *text;
  int line; /* 0: nothing to doubt */
  const char *fragment;
} doubt_rows[] = {
    {"doubt: none", POOL RULE "pool = p\n", 0, NULL},
    {"doubt: pool without section", POOL RULE "pool = p, q\n", 5,
     "[rule x] names pool 'q', which no section describes"},
    {"doubt: pool without section, told once", POOL RULE "pool = q\n[rule y]\nordering = strict\npool = q\n", 5, "'q'"},
    {"doubt: pool pattern", POOL RULE "pool = p*\n", 0, NULL},
    {"doubt: pool pattern without section", POOL RULE "pool = q*\n", 5, "'q*'"},
    {"doubt: any pool", "[winord]\nversion = 1\n" RULE "pool = *\n", 0, NULL},
    {"doubt: hosts overlap", POOL "[pool q]\nhosts = b, *z\n", 5, "[pool p] and [pool q] overlap ('a*' and '*z')"},
    {"doubt: hosts apart", POOL "[pool q]\nhosts = b*\n", 0, NULL},
    {"doubt: hazard accepted", POOL RULE "accept-hazard = yes\n", 5, "[rule x] accepts the hazard"},
    {"doubt: attestation lapsed", ATTEST("2027-02-14"), 3, "attestation of [pool p] has lapsed"},
    {"doubt: attestation lapses today", ATTEST("2027-02-15"), 3, "lapses in 0 days"},
    {"doubt: attestation lapses in 30 days", ATTEST("2027-03-17"), 3, "lapses in 30 days"},
    {"doubt: attestation lapses in 31 days", ATTEST("2027-03-18"), 0, NULL},
};

static void test_doubt(void **state) {
  const struct doubt_row *row = *state;
  struct policy *policy = read_text(row->text);
  policy_find_doubts(policy, 20270215);
  assert_int_equal(policy->error_count, 0);
  assert_int_equal(policy->problem_count, row->line != 0);
  if (row->line) {
    assert_int_equal(policy->problems[0].line, row->line);
    assert_true(policy->problems[0].warning);
    if (!strstr(policy->problems[0].text, row->fragment))
      fail_msg("%s", policy->problems[0].text);
  }
  policy_free(policy);
}

int main(void) {
  static struct suite suite;
  ROWS(&suite, reach_rows, test_reach);
  ROWS(&suite, doubt_rows, test_doubt);
  return suite_run("doubts", &suite);
}
