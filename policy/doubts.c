/* What `winord check` warns of: a policy that is well-formed and yet may not say what was meant. */
#include "policy/glob.h"
#include "policy/reader.h"

#include <string.h>

enum { SOON_DAYS = 30 };

/* Days since 1970-03-01, in the proleptic Gregorian calendar: years begin in March, so that the leap day comes last. */
static long day_number(int day) {
  long year = day / 10000, month = day / 100 % 100;
  if (month < 3) {
    year--;
    month += 12;
  }
  return year * 365 + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day % 100;
}

static void doubt_attestation(struct policy *policy, const struct pool *pool, int today) {
  if (pool->attested_mode == MODE_UNKNOWN || !pool->attested_until)
    return;
  long left = day_number(pool->attested_until) - day_number(today);
  if (left < 0)
    policy_problem(policy, pool->file, pool->line, true, "the attestation of [pool %s] has lapsed", pool->name);
  else if (left <= SOON_DAYS)
    policy_problem(policy, pool->file, pool->line, true, "the attestation of [pool %s] lapses in %ld days", pool->name,
                   left);
}

static bool hosts_overlap(const struct pool *a, const struct pool *b, const char **first, const char **second) {
  for (size_t i = 0; i < a->hosts.count; i++)
    for (size_t j = 0; j < b->hosts.count; j++)
      if (globs_overlap(*first = a->hosts.items[i], *second = b->hosts.items[j]))
        return true;
  return false;
}

static void doubt_hosts(struct policy *policy, const struct pool *pool) {
  const char *first, *second;
  for (const struct pool *earlier = policy->pools; earlier < pool; earlier++)
    if (hosts_overlap(earlier, pool, &first, &second))
      policy_problem(policy, pool->file, pool->line, true,
                     "hosts of [pool %s] and [pool %s] overlap ('%s' and '%s'); the earlier pool wins", earlier->name,
                     pool->name, first, second);
}

static bool names_a_pool(const struct policy *policy, const struct names *pools, const char *pattern) {
  if (!glob_is_pattern(pattern))
    return names_find(pools, pattern);
  for (size_t i = 0; i < policy->pool_count; i++)
    if (glob_match(pattern, policy->pools[i].name))
      return true;
  return strcmp(pattern, "*") == 0;
}

static void doubt_pool_names(struct policy *policy, const struct rule *rule, const struct names *pools,
                             struct names *reported) {
  for (size_t i = 0; i < rule->pool.count; i++) {
    const char *pattern = rule->pool.items[i];
    struct place first;
    if (!names_a_pool(policy, pools, pattern) &&
        names_add(reported, (struct place){pattern, rule->file, rule->line}, &first) == NAMES_ADDED)
      policy_problem(policy, rule->file, rule->line, true, "[rule %s] names pool '%s', which no section describes",
                     rule->name, pattern);
  }
}

void policy_find_doubts(struct policy *policy, int today) {
  struct names pools = {0}, reported = {0};
  struct place first;
  for (size_t i = 0; i < policy->pool_count; i++) {
    const struct pool *pool = &policy->pools[i];
    names_add(&pools, (struct place){pool->name, pool->file, pool->line}, &first);
    doubt_attestation(policy, pool, today);
    doubt_hosts(policy, pool);
  }
  for (size_t i = 0; i < policy->rule_count; i++) {
    const struct rule *rule = &policy->rules[i];
    doubt_pool_names(policy, rule, &pools, &reported);
    if (rule->accept_hazard)
      policy_problem(policy, rule->file, rule->line, true, "[rule %s] accepts the hazard: the guard is off for it",
                     rule->name);
  }
  names_free(&pools);
  names_free(&reported);
}
