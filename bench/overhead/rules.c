/*
 * rules decide FILE | parse FILE
 *
 * decide   prints what decide() costs when of the rules of FILE only the last one matches, in nanoseconds, and what it costs to
 *          select, once per process, the rules that can match there
 * parse    prints what policy_read and inih alone (ini_parse with an empty handler) cost, and the median of their ratios
 */
#include "bench.h"

#include "policy/decide.h"

#include <ini.h>
#include <stdio.h>
#include <string.h>

enum { DECISIONS = 1001, PARSES = 21 };

static struct policy *read_policy(const char *path) {
  struct policy *policy = policy_read(path);
  if (!policy || policy->error_count || !policy->rule_count)
    fail("%s: %s", path, policy && policy->error_count ? policy->problems[0].text : "no rules");
  return policy;
}

static const struct request request = {.flags = WIN_STRICT_ORDERING,
                                       .size = 1 << 30,
                                       .nccl = 23007,
                                       .gin_connection = GIN_RAIL,
                                       .caller = "/opt/venv/lib/python3.12/site-packages/deep_ep/_C.so"};
static const struct host host = {.name = "h200-10000.cluster.example.org",
                                 .pool = "pool-10000",
                                 .pool_source = "WINORD_POOL",
                                 .modes = {.mode = 0, .source = "mstconfig"},
                                 .today = 20261130,
                                 .exe = "python3.12"};

static void measure_decide(const char *path) {
  static double values[DECISIONS];
  const struct policy *policy = read_policy(path);
  const double clock = clock_cost_ns();
  struct host here = host;
  const double before = now_ns();
  host_select_rules(&here, policy);
  const double selection = now_ns() - before;
  for (int i = 0; i < DECISIONS; i++) {
    const double start = now_ns();
    const struct decision decision = decide(&request, &here, policy, false);
    values[i] = now_ns() - start - clock;
    if (decision.rule != &policy->rules[policy->rule_count - 1])
      fail("%s: rule %s decided", path, decision.rule ? decision.rule->name : "none");
  }
  printf("%.1f\t%.1f\n", median(values, DECISIONS), selection);
}

static int ignore(void *user, const char *section, const char *name, const char *value) {
  (void)user, (void)section, (void)name, (void)value;
  return 1;
}

static double policy_read_ns(const char *path) {
  const double start = now_ns();
  struct policy *policy = read_policy(path);
  const double end = now_ns();
  policy_free(policy);
  return end - start;
}

static double ini_parse_ns(const char *path) {
  const double start = now_ns();
  const int error = ini_parse(path, ignore, NULL);
  const double end = now_ns();
  if (error)
    fail("%s:%d: inih does not take it", path, error);
  return end - start;
}

static void measure_parse(const char *path) {
  double ours[PARSES], inih[PARSES], ratios[PARSES];
  for (int i = 0; i < PARSES; i++) {
    const int inih_first = i & 1;
    if (inih_first)
      inih[i] = ini_parse_ns(path);
    ours[i] = policy_read_ns(path);
    if (!inih_first)
      inih[i] = ini_parse_ns(path);
    ratios[i] = ours[i] / inih[i];
  }
  const double a = median(ours, PARSES), b = median(inih, PARSES);
  printf("%.1f\t%.1f\t%.5f\n", a, b, median(ratios, PARSES));
}

int main(int argc, char **argv) {
  pin();
  if (argc == 3 && strcmp(argv[1], "decide") == 0)
    measure_decide(argv[2]);
  else if (argc == 3 && strcmp(argv[1], "parse") == 0)
    measure_parse(argv[2]);
  else
    fail("usage: rules decide|parse FILE");
  return 0;
}
