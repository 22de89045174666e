#include "check_hosts.h"
#include "command.h"
#include "values.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As `winord explain` assumes it, and as unknown. */
static const struct request assumed = {.nccl = 23007, .size = 1ULL << 30, .gin_connection = GIN_UNKNOWN};

static void *more(void *array, size_t count, size_t size) {
  void *longer = realloc(array, count * size);
  if (longer == NULL) {
    say("out of memory");
    exit(STATUS_FAILED);
  }
  return longer;
}

/* The rule as if every program fitted it. */
static struct rule for_any_program(const struct rule *rule) {
  struct rule any = *rule;
  any.asked = ASKED_ANY;
  any.nccl = (struct version_range){0, INT_MAX};
  any.min_size = 0;
  any.max_size = UINT64_MAX;
  any.flags_set = any.flags_clear = any.gin_connections = 0;
  any.exe = any.caller = (struct globs){0};
  return any;
}

char *program_keys(const struct rule *rule) {
  const struct {
    const char *key;
    bool set;
  } keys[] = {{"nccl", rule->nccl.low != 0 || rule->nccl.high != INT_MAX},
              {"caller", rule->caller.count > 0},
              {"exe", rule->exe.count > 0},
              {"min-size", rule->min_size != 0},
              {"max-size", rule->max_size != UINT64_MAX},
              {"flags", rule->flags_set != 0 || rule->flags_clear != 0},
              {"gin-connection", rule->gin_connections != 0}};
  char *text = text_copy("");
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    if (keys[i].set) {
      char *longer = text_format("%s%s%s", text, text[0] ? ", " : "", keys[i].key);
      free(text);
      text = longer;
    }
  }
  return text;
}

static struct host as_host(const struct fleet_host *it, const struct policy *policy, int today) {
  struct host host = {.name = it->name, .today = today};
  bool zero = it->mode_given && it->mode == 0, other = it->mode > 0;
  host.modes = (struct host_modes){.mode = it->mode,
                                   .source = it->mode_given ? "given" : NULL,
                                   .unproved = zero    ? NULL
                                               : other ? "mode_not_zero"
                                                       : "mode_unknown",
                                   .contradicts = other,
                                   .words = {.hypervisor = it->hypervisor, .gpu = it->gpu, .path = it->path}};
  snprintf(host.modes.words.nic_types, sizeof host.modes.words.nic_types, "%s", it->nic_type ? it->nic_type : "");
  host_find_pool(&host, policy, it->pool, NULL);
  return host;
}

/* Whether the rule, where a program fits it, comes before what is decided for this request. */
static bool comes_first(const struct policy *policy, size_t index, const struct decision *decision, bool strict) {
  enum asked asked = policy->rules[index].asked;
  return (decision->rule == NULL || &policy->rules[index] < decision->rule) &&
         (asked == ASKED_ANY || (asked == ASKED_STRICT) == strict);
}

/* The rules that fit this host and wait for a program; no_rule. */
static void find_depends(const struct policy *policy, const struct host *host, struct outcome *outcome) {
  outcome->no_rule = true;
  for (size_t i = 0; i < policy->rule_count; i++) {
    const struct rule *rule = &policy->rules[i], any = for_any_program(rule);
    if (rule_mismatch(&any, &assumed, host) != NULL) {
      continue;
    }
    outcome->no_rule = false;
    if (comes_first(policy, i, &outcome->decisions[0], true) || comes_first(policy, i, &outcome->decisions[1], false)) {
      outcome->depends = more(outcome->depends, outcome->depend_count + 1, sizeof(const struct rule *));
      outcome->depends[outcome->depend_count++] = rule;
    }
  }
}

static struct outcome find_outcome(const struct policy *policy, const struct fleet_host *it, int today) {
  struct host host = as_host(it, policy, today);
  struct outcome outcome = {.pool = host.pool, .section = host.section, .pool_source = host.pool_source};
  outcome.pool_source = host.pool && it->pool ? "given" : host.pool_source;
  outcome.pool_mismatch = host.pool_mismatch ? it->pool : NULL;
  for (int i = 0; i < 2; i++) {
    struct request request = assumed;
    request.flags = i == 0 ? WIN_STRICT_ORDERING : 0;
    outcome.decisions[i] = decide(&request, &host, policy, false);
  }
  find_depends(policy, &host, &outcome);
  return outcome;
}

static bool same_text(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

static bool same_decision(const struct decision *a, const struct decision *b) {
  return a->verdict == b->verdict && a->flags == b->flags && a->rule == b->rule && a->guard == b->guard &&
         a->mode == b->mode && same_text(a->why, b->why) && same_text(a->mode_source, b->mode_source);
}

static bool same_rules(const struct outcome *a, const struct outcome *b) {
  bool same = a->depend_count == b->depend_count;
  if (a->depends == NULL || b->depends == NULL) {
    return same;
  }
  for (size_t i = 0; same && i < a->depend_count; i++) {
    same = a->depends[i] == b->depends[i];
  }
  return same;
}

static bool same_outcome(const struct outcome *a, const struct outcome *b) {
  return same_text(a->pool, b->pool) && same_text(a->pool_mismatch, b->pool_mismatch) &&
         same_text(a->pool_source, b->pool_source) && same_decision(&a->decisions[0], &b->decisions[0]) &&
         same_decision(&a->decisions[1], &b->decisions[1]) && a->no_rule == b->no_rule && same_rules(a, b);
}

/* The group of what this host gets; outcome is taken. */
static struct outcome *find_group(struct outcomes *all, const struct outcome *outcome) {
  for (size_t i = 0; i < all->count; i++) {
    if (same_outcome(&all->items[i], outcome)) {
      free(outcome->depends);
      return &all->items[i];
    }
  }
  all->items = more(all->items, all->count + 1, sizeof *all->items);
  all->items[all->count] = *outcome;
  return &all->items[all->count++];
}

static void add_name(struct outcome *group, const char *name) {
  if ((group->count & (group->count - 1)) == 0) { /* 0, 1, 2, 4, ...: the room doubles */
    group->names = more(group->names, group->count ? 2 * group->count : 1, sizeof *group->names);
  }
  group->names[group->count++] = name;
}

static void outcomes_free(struct outcomes *all) {
  for (size_t i = 0; i < all->count; i++) {
    free(all->items[i].depends);
    free(all->items[i].names);
  }
  free(all->items);
}

int check_hosts(const struct policy *policy, const char *path, bool json) {
  struct fleet fleet;
  bool good = fleet_read(path, &fleet);
  struct outcomes all = {.policy = policy, .hosts = fleet.count};
  int today = today_utc();
  for (size_t i = 0; good && i < fleet.count; i++) {
    struct outcome outcome = find_outcome(policy, &fleet.hosts[i], today);
    add_name(find_group(&all, &outcome), fleet.hosts[i].name);
  }
  if (good) {
    (json ? outcomes_json : outcomes_text)(&all);
  }
  outcomes_free(&all);
  fleet_free(&fleet);
  return good ? STATUS_OK : STATUS_FAILED;
}
