/* Rules that no request can reach. */
#include "policy/reader.h"

#include <string.h>

/* Text against patterns: a pattern is inside another when they are equal, or when it is plain text that the other matches. */
static bool glob_covers(const char *wide, const char *narrow) {
  return strcmp(wide, narrow) == 0 || (!narrow[strcspn(narrow, "*?[")] && glob_match(wide, narrow));
}

static bool globs_cover(const struct globs *wide, const struct globs *narrow) {
  if (!wide->count)
    return true;
  for (size_t i = 0; i < narrow->count; i++) {
    size_t j = 0;
    while (j < wide->count && !glob_covers(wide->items[j], narrow->items[i]))
      j++;
    if (j == wide->count)
      return false;
  }
  return narrow->count > 0;
}

static bool bits_cover(unsigned wide, unsigned narrow) { return !wide || (narrow && !(narrow & ~wide)); }

static bool numbers_cover(const struct rule *wide, const struct rule *narrow) {
  return (wide->asked == ASKED_ANY || wide->asked == narrow->asked) && wide->min_size <= narrow->min_size &&
         wide->max_size >= narrow->max_size && wide->nccl.low <= narrow->nccl.low &&
         wide->nccl.high >= narrow->nccl.high && !(wide->flags_set & ~narrow->flags_set) &&
         !(wide->flags_clear & ~narrow->flags_clear) && bits_cover(wide->modes, narrow->modes) &&
         bits_cover(wide->gin_connections, narrow->gin_connections);
}

static bool covers(const struct rule *wide, const struct rule *narrow) {
  return numbers_cover(wide, narrow) && globs_cover(&wide->host, &narrow->host) &&
         globs_cover(&wide->pool, &narrow->pool) && globs_cover(&wide->caller, &narrow->caller) &&
         globs_cover(&wide->exe, &narrow->exe) && globs_cover(&wide->hypervisor, &narrow->hypervisor) &&
         globs_cover(&wide->gpu, &narrow->gpu) && globs_cover(&wide->nic_type, &narrow->nic_type) &&
         globs_cover(&wide->path, &narrow->path);
}

void policy_find_unreachable(struct policy *policy, bool error) {
  for (size_t i = 1; i < policy->rule_count; i++) {
    const struct rule *rule = &policy->rules[i], *earlier = policy->rules;
    while (earlier < rule && !covers(earlier, rule))
      earlier++;
    if (earlier < rule)
      policy_problem(policy, rule->file, rule->line, !error,
                     "[rule %s] can never decide: [rule %s] in %s:%d is as wide in every key", rule->name,
                     earlier->name, earlier->file, earlier->line);
  }
}
