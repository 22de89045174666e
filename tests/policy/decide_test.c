#include "policy/decide.h"
#include "tests/policy/rows.h"

static struct policy *read_text(const char *text) {
  char folder[64], path[80];
  snprintf(path, sizeof path, "%s/p.conf", folder_new(folder));
  text_write(folder, "p.conf", text);
  struct policy *policy = policy_read(path);
  folder_remove(folder);
  assert_non_null(policy);
  return policy;
}

static const struct host usual_host = {.name = "h200-17.example.org",
                                       .pool = "h200-dgxc",
                                       .modes = {.mode = 0, .source = "mstconfig"},
                                       .today = 20270101,
                                       .exe = "python3.12"};
static const struct request usual_request = {.flags = 0x02 | 0x08 | 0x100,
                                             .size = 1 << 20,
                                             .nccl = 22907,
                                             .gin_connection = GIN_FULL,
                                             .caller = "/opt/deep_ep/_C.so"};

/* One key of a rule against the usual host and request; the key on which it fails, or NULL. */
static const struct key_row {
  const char *name, *keys, *mismatch;
} key_rows[] = {
    {"no key", "", NULL},
    {"pool: literal", "pool = h200-dgxc\n", NULL},
    {"pool: glob", "pool = h100*, h200*\n", NULL},
    {"pool: other", "pool = h100\n", "pool"},
    {"host: node name", "host = h200-17.example.org\n", NULL},
    {"host: first label", "host = h200-1[0-9]\n", NULL},
    {"host: other", "host = h200-18\n", "host"},
    {"pci-atomic-mode: 0", "pci-atomic-mode = 0\n", NULL},
    {"pci-atomic-mode: list", "pci-atomic-mode = 4, 0\n", NULL},
    {"pci-atomic-mode: other", "pci-atomic-mode = 1, 2, 3, 4\n", "pci-atomic-mode"},
    {"pci-atomic-mode: unknown", "pci-atomic-mode = unknown\n", "pci-atomic-mode"},
    {"asked: strict", "asked = strict\n", NULL},
    {"asked: default", "asked = default\n", "asked"},
    {"nccl: >= same", "nccl = >=2.29.7\n", NULL},
    {"nccl: >= next", "nccl = >=2.29.8\n", "nccl"},
    {"nccl: > same", "nccl = >2.29.7\n", "nccl"},
    {"nccl: > before", "nccl = >2.29.6\n", NULL},
    {"nccl: <= same", "nccl = <=2.29.7\n", NULL},
    {"nccl: <= before", "nccl = <=2.29.6\n", "nccl"},
    {"nccl: < same", "nccl = <2.29.7\n", "nccl"},
    {"nccl: < next", "nccl = <2.30\n", NULL},
    {"nccl: = same", "nccl = =2.29.7\n", NULL},
    {"nccl: = with a blank", "nccl = = 2.29.7\n", NULL},
    {"nccl: = other", "nccl = =2.29\n", "nccl"},
    {"nccl: between", "nccl = >=2.29, <2.30\n", NULL},
    {"nccl: two lines", "nccl = >=2.29\nnccl = <2.29.5\n", "nccl"},
    {"caller: glob", "caller = *deep_ep*\n", NULL},
    {"caller: other", "caller = *nccl_ep*\n", "caller"},
    {"exe: glob", "exe = python*\n", NULL},
    {"exe: other", "exe = all_reduce_perf\n", "exe"},
    {"min-size: same", "min-size = 1MiB\n", NULL},
    {"min-size: one more", "min-size = 1048577\n", "min-size"},
    {"max-size: same", "max-size = 1MiB\n", NULL},
    {"max-size: one less", "max-size = 1048575\n", "max-size"},
    {"flags: set", "flags = CFT_COUNTED\n", NULL},
    {"flags: set, by number", "flags = 0x100, 0x8\n", NULL},
    {"flags: not set", "flags = GIN_ONLY\n", "flags"},
    {"flags: clear", "flags = !GIN_ONLY\n", NULL},
    {"flags: not clear", "flags = !CFT_COUNTED\n", "flags"},
    {"gin-connection: same", "gin-connection = full\n", NULL},
    {"gin-connection: list", "gin-connection = rail, full\n", NULL},
    {"gin-connection: other", "gin-connection = rail, unknown\n", "gin-connection"},
    {"every key",
     "pool = h200-dgxc\nhost = h200-*\npci-atomic-mode = 0\nasked = strict\nnccl = >=2.29.7\n"
     "caller = *deep_ep*\nexe = python*\nmin-size = 1KiB\nmax-size = 1GiB\nflags = !GIN_ONLY\n"
     "gin-connection = full\n",
     NULL},
};

static void test_key(void **state) {
  const struct key_row *row = *state;
  char text[1024];
  snprintf(text, sizeof text, "[winord]\nversion = 1\n[rule x]\nordering = relaxed\n%s", row->keys);
  struct policy *policy = read_text(text);
  assert_int_equal(policy->problem_count, 0);
  const char *mismatch = rule_mismatch(policy->rules, &usual_request, &usual_host);
  struct decision decision = decide(&usual_request, &usual_host, policy, false);
  if (row->mismatch)
    assert_string_equal(mismatch, row->mismatch);
  else
    assert_null(mismatch);
  assert_ptr_equal(decision.rule, row->mismatch ? NULL : policy->rules);
  assert_string_equal(decision.why, row->mismatch ? "default" : "rule");
  policy_free(policy);
}

/* What is not known matches an absent key only, but for the words that mean it. */
static const struct unknown_row {
  const char *name, *keys, *mismatch;
} unknown_rows[] = {
    {"unknown: no key", "", NULL},
    {"unknown: pool", "pool = *\n", "pool"},
    {"unknown: host", "host = *\n", "host"},
    {"unknown: exe", "exe = *\n", "exe"},
    {"unknown: caller", "caller = *\n", "caller"},
    {"unknown: nccl at most", "nccl = <2.30\n", "nccl"},
    {"unknown: nccl at least", "nccl = >=2.0\n", "nccl"},
    {"unknown: mode", "pci-atomic-mode = unknown\n", NULL},
    {"unknown: mode 0", "pci-atomic-mode = 0\n", "pci-atomic-mode"},
    {"unknown: connection", "gin-connection = unknown\n", NULL},
    {"unknown: connection full", "gin-connection = full\n", "gin-connection"},
};

static void test_unknown(void **state) {
  const struct unknown_row *row = *state;
  static const struct host host = {.modes = {.mode = MODE_UNKNOWN}};
  static const struct request request = {.flags = 2, .gin_connection = GIN_UNKNOWN};
  char text[256];
  snprintf(text, sizeof text, "[winord]\nversion = 1\n[rule x]\nordering = relaxed\n%s", row->keys);
  struct policy *policy = read_text(text);
  assert_int_equal(policy->problem_count, 0);
  const char *mismatch = rule_mismatch(policy->rules, &request, &host);
  if (row->mismatch)
    assert_string_equal(mismatch, row->mismatch);
  else
    assert_null(mismatch);
  policy_free(policy);
}

#define TOP "[winord]\nversion = 1\n"

/* What is carried out. Facts prove mode 0 unless said otherwise. */
static const struct outcome_row {
  const char *name, *policy; /* NULL: none */
  int flags;
  const char *unproved;
  bool strict_on_error;
  enum verdict verdict;
  int flags_out;
  const char *why;
  int line;
} outcome_rows[] = {
    {"no policy, strict", NULL, 2, NULL, false, VERDICT_PASSED, 2, "no_policy", 0},
    {"no policy, default", NULL, 0, NULL, true, VERDICT_PASSED, 0, "no_policy", 0},
    {"empty policy", TOP, 2, NULL, false, VERDICT_PASSED, 2, "default", 0},
    {"default = keep", TOP "default = keep\n", 2, NULL, false, VERDICT_PASSED, 2, "default", 3},
    {"default = strict", TOP "default = strict\n", 0, NULL, false, VERDICT_REWRITTEN, 2, "default", 3},
    {"default = relaxed", TOP "default = relaxed\n", 2, NULL, false, VERDICT_REWRITTEN, 0, "default", 3},
    {"keep, strict asked", TOP "[rule x]\nordering = keep\n", 2, NULL, false, VERDICT_PASSED, 2, "rule", 3},
    {"keep, default asked", TOP "[rule x]\nordering = keep\n", 0, NULL, false, VERDICT_PASSED, 0, "rule", 3},
    {"strict, default asked", TOP "[rule x]\nordering = strict\n", 0, NULL, false, VERDICT_REWRITTEN, 2, "rule", 3},
    {"strict is carried out without any proof", TOP "[rule x]\nordering = strict\n", 0, "facts_missing", false,
     VERDICT_REWRITTEN, 2, "rule", 3},
    {"strict, strict asked", TOP "[rule x]\nordering = strict\n", 2, NULL, false, VERDICT_PASSED, 2, "rule", 3},
    {"relaxed, strict asked", TOP "[rule x]\nordering = relaxed\n", 2, NULL, false, VERDICT_REWRITTEN, 0, "rule", 3},
    {"relaxed, default asked: the guard is not asked", TOP "[rule x]\nordering = relaxed\n", 0, "facts_missing", false,
     VERDICT_PASSED, 0, "rule", 3},
    {"relaxed, refused", TOP "[rule x]\nordering = relaxed\n", 2, "facts_missing", false, VERDICT_REFUSED, 2,
     "facts_missing", 3},
    {"other bits are not touched by relaxed", TOP "[rule x]\nordering = relaxed\n", INT_MIN | 0x7ffffff7, NULL, false,
     VERDICT_REWRITTEN, INT_MIN | 0x7ffffff5, "rule", 3},
    {"other bits are not touched by strict", TOP "[rule x]\nordering = strict\n", INT_MIN | 0x55, NULL, false,
     VERDICT_REWRITTEN, INT_MIN | 0x57, "rule", 3},
    {"first rule decides",
     TOP "[rule a]\nasked = default\nordering = strict\n[rule b]\nordering = keep\n"
         "[rule c]\nordering = relaxed\n",
     2, NULL, false, VERDICT_PASSED, 2, "rule", 6},
    {"a refused rule does not fall through",
     TOP "[rule a]\nordering = relaxed\n[rule b]\nordering = relaxed\n"
         "accept-hazard = yes\n",
     2, "no_nic", false, VERDICT_REFUSED, 2, "no_nic", 3},
    {"broken policy", TOP "[rule x]\nordering = relax\n", 2, NULL, false, VERDICT_PASSED, 2, "policy_error", 0},
    {"broken policy, strict on error", TOP "[rule x]\nordering = relax\n", 1, NULL, true, VERDICT_REWRITTEN, 3,
     "policy_error", 0},
    {"broken policy, strict on error, strict asked", TOP "[rule x]\nordering = relax\n", 2, NULL, true, VERDICT_PASSED,
     2, "policy_error", 0},
    {"a warning does not break a policy", TOP "include = none*.conf\n[rule x]\nordering = strict\n", 0, NULL, false,
     VERDICT_REWRITTEN, 2, "rule", 4},
};

static void test_outcome(void **state) {
  const struct outcome_row *row = *state;
  struct policy *policy = row->policy ? read_text(row->policy) : NULL;
  struct host host = usual_host;
  struct request request = usual_request;
  host.modes.unproved = row->unproved;
  request.flags = row->flags;
  struct decision decision = decide(&request, &host, policy, row->strict_on_error);
  assert_int_equal(decision.verdict, row->verdict);
  assert_int_equal(decision.flags, row->flags_out);
  assert_string_equal(decision.why, row->why);
  assert_int_equal(decision.line, row->line);
  if (policy && row->line)
    assert_string_equal(decision.file, policy->path);
  else
    assert_null(decision.file);
  policy_free(policy);
}

/* The host's mode: from the facts, else attested. */
static const struct mode_row {
  const char *name;
  int facts, attested, today;
  bool contradicts;
  int mode;
  const char *source, *unproved;
} mode_rows[] = {
    {"mode: facts", 0, MODE_UNKNOWN, 20270101, false, 0, "mstconfig", NULL},
    {"mode: facts 0 that are not proved", 0, MODE_UNKNOWN, 20270101, false, MODE_UNKNOWN, NULL, "nic_unlisted"},
    {"mode: facts 0 that are not proved, attested", 0, 0, 20270101, false, 0, "attested", "nic_unlisted"},
    {"mode: facts 4 that are no proof either", 4, MODE_UNKNOWN, 20270101, true, 4, "mstconfig", "mode_not_zero"},
    {"mode: facts before attestation", 4, 0, 20270101, true, 4, "mstconfig", NULL},
    {"mode: attested", MODE_UNKNOWN, 0, 20270101, false, 0, "attested", NULL},
    {"mode: attested 4", MODE_UNKNOWN, 4, 20270101, false, 4, "attested", NULL},
    {"mode: attested, last day", MODE_UNKNOWN, 0, 20270331, false, 0, "attested", NULL},
    {"mode: attestation lapsed", MODE_UNKNOWN, 0, 20270401, false, MODE_UNKNOWN, NULL, NULL},
    {"mode: attestation contradicted", MODE_UNKNOWN, 0, 20270101, true, MODE_UNKNOWN, NULL, NULL},
    {"mode: nothing known", MODE_UNKNOWN, MODE_UNKNOWN, 20270101, false, MODE_UNKNOWN, NULL, NULL},
};

static void test_mode(void **state) {
  const struct mode_row *row = *state;
  const struct pool pool = {.attested_mode = row->attested, .attested_until = 20270331};
  struct host host = usual_host;
  host.section = &pool;
  host.today = row->today;
  host.modes = (struct host_modes){
      .mode = row->facts, .source = "mstconfig", .unproved = row->unproved, .contradicts = row->contradicts};
  struct decision decision = decide(&usual_request, &host, NULL, false);
  assert_int_equal(decision.mode, row->mode);
  if (row->source)
    assert_string_equal(decision.mode_source, row->source);
  else
    assert_null(decision.mode_source);
  const struct request relaxed = {.flags = 0};
  assert_int_equal(decide(&relaxed, &host, NULL, false).exposed, row->mode != 0);
  assert_false(decision.exposed);
}

static const struct warning_row {
  const char *name;
  int flags, nccl;
  bool mismatch, force_relax, proxy;
  const char *words;
} warning_rows[] = {
    {"warning: none", 2, 22907, false, false, false, ""},
    {"warning: NCCL before 2.29.7", 2, 22906, false, false, false, "strict_no_effect"},
    {"warning: NCCL not known", 2, 0, false, false, false, ""},
    {"warning: force_relax", 2, 22907, false, true, false, "force_relax"},
    {"warning: proxy", 2, 22907, false, false, true, "proxy_mr_cache"},
    {"warning: pool", 2, 22907, true, false, false, "pool_mismatch"},
    {"warning: all", 2, 22809, true, true, true, "pool_mismatch,strict_no_effect,force_relax,proxy_mr_cache"},
    {"warning: relaxed window", 0, 22809, true, true, true, "pool_mismatch"},
};

static void test_warning(void **state) {
  const struct warning_row *row = *state;
  struct host host = usual_host;
  char text[80], small[8];
  host.pool_mismatch = row->mismatch;
  host.modes.force_relax = row->force_relax;
  host.gin_proxy = row->proxy;
  const struct request request = {.flags = row->flags, .nccl = row->nccl};
  struct decision decision = decide(&request, &host, NULL, false);
  assert_string_equal(warnings_text(decision.warnings, text, sizeof text), row->words);
  warnings_text(decision.warnings, small, sizeof small);
  assert_int_equal(strncmp(small, row->words, sizeof small - 1), 0);
}

static const struct pool_row {
  const char *name, *winord, *slurm;
  const char *pool, *source;
  bool section, mismatch;
} pool_rows[] = {
    {"pool by hosts", NULL, NULL, "p", "hosts", true, false},
    {"pool by hosts, empty variables", "", "", "p", "hosts", true, false},
    {"pool by WINORD_POOL", "open", "q", "open", "WINORD_POOL", true, false},
    {"pool by SLURM_JOB_PARTITION", "", "open", "open", "SLURM_JOB_PARTITION", true, false},
    {"pool that no section describes", "batch", NULL, "batch", "WINORD_POOL", false, false},
    {"pool whose hosts hold the host", "p", NULL, "p", "WINORD_POOL", true, false},
    {"pool whose hosts do not hold the host", "q", "p", NULL, NULL, false, true},
    {"partition whose hosts do not hold the host", NULL, "q", NULL, NULL, false, true},
};

static void test_pool(void **state) {
  const struct pool_row *row = *state;
  struct policy *policy = read_text(TOP "[pool q]\nhosts = h100-*\n[pool p]\nhosts = h200-17\n[pool open]\n");
  assert_int_equal(policy->problem_count, 0);
  struct host host = usual_host;
  host_find_pool(&host, policy, row->winord, row->slurm);
  assert_int_equal(host.pool_mismatch, row->mismatch);
  assert_int_equal(host.section != NULL, row->section);
  if (row->pool) {
    assert_string_equal(host.pool, row->pool);
    assert_string_equal(host.pool_source, row->source);
  } else {
    assert_null(host.pool);
    assert_null(host.pool_source);
  }
  if (host.section)
    assert_string_equal(host.section->name, row->pool);
  policy_free(policy);
}

static const struct no_policy_row {
  const char *name, *text;
} no_policy_rows[] = {
    {"pool without a policy", NULL},
    {"pool of a broken policy", TOP "[pool p]\nhosts = h200-*\nhots = x\n"},
};

static void test_no_policy(void **state) {
  const struct no_policy_row *row = *state;
  struct policy *policy = row->text ? read_text(row->text) : NULL;
  struct host host = usual_host;
  host_find_pool(&host, policy, NULL, NULL);
  assert_null(host.pool);
  host_find_pool(&host, policy, "p", NULL);
  assert_string_equal(host.pool, "p");
  assert_null(host.section);
  assert_false(host.pool_mismatch);
  policy_free(policy);
}

int main(void) {
  static struct suite suite;
  ROWS(&suite, key_rows, test_key);
  ROWS(&suite, unknown_rows, test_unknown);
  ROWS(&suite, outcome_rows, test_outcome);
  ROWS(&suite, mode_rows, test_mode);
  ROWS(&suite, warning_rows, test_warning);
  ROWS(&suite, pool_rows, test_pool);
  ROWS(&suite, no_policy_rows, test_no_policy);
  return suite_run("decide", &suite);
}
