#include "policy/decide.h"

#include "policy/guard.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NCCL_STRICT_ORDERING = 22907 }; /* 2.29.7: the first that knows the bit */

int host_mode(const struct host *host, const char **source) {
  const struct pool *pool = host->section;
  *source = NULL;
  /* A zero that is not proved counts as unknown: unproved facts must not steer rules that a proof was meant to. */
  if (host->modes.mode > 0 || (host->modes.mode == 0 && !host->modes.unproved)) {
    *source = host->modes.source;
    return host->modes.mode;
  }
  if (!pool || pool->attested_mode == MODE_UNKNOWN || host->today > pool->attested_until)
    return MODE_UNKNOWN;
  /* Another NIC of this host is known not to be in mode 0: the attestation of mode 0 is not believed. */
  if (pool->attested_mode == 0 && host->modes.contradicts)
    return MODE_UNKNOWN;
  *source = "attested";
  return pool->attested_mode;
}

/* Text that is not known matches an absent key only. */
static bool text_matches(const struct globs *globs, const char *text) {
  return !globs->count || (text && globs_match(globs, text));
}

static bool host_matches(const struct globs *globs, const char *name) {
  return !globs->count || (name && globs_match_host(globs, name));
}

/* Of a list, each entry: a rule for one kind of NIC is no rule for a host that has another kind as well. */
static bool list_matches(const struct globs *globs, const char *list) {
  return !globs->count || (list && globs_match_list(globs, list));
}

static bool nccl_matches(const struct version_range *range, int nccl) {
  bool any = range->low == 0 && range->high == INT_MAX;
  return any || (nccl && nccl >= range->low && nccl <= range->high);
}

static bool bit_matches(unsigned bits, int bit) { return !bits || bits >> bit & 1; }

/* The keys that the facts answer. */
static const char *facts_mismatch(const struct rule *rule, const struct host_words *words) {
  if (!list_matches(&rule->hypervisor, words->hypervisor))
    return "hypervisor";
  if (!list_matches(&rule->gpu, words->gpu))
    return "gpu";
  if (!list_matches(&rule->nic_type, *words->nic_types ? words->nic_types : NULL))
    return "nic-type";
  return list_matches(&rule->path, words->path) ? NULL : "path";
}

/* The keys that never change within a process. */
static const char *host_mismatch(const struct rule *rule, const struct host *host, int mode) {
  if (!bit_matches(rule->modes, mode == MODE_UNKNOWN ? MODE_MAX + 1 : mode))
    return "pci-atomic-mode";
  if (!text_matches(&rule->pool, host->pool))
    return "pool";
  if (!host_matches(&rule->host, host->name))
    return "host";
  if (!text_matches(&rule->exe, host->exe))
    return "exe";
  return facts_mismatch(rule, &host->modes.words);
}

/* The others; numbers first, which cost nothing. */
static const char *request_mismatch(const struct rule *rule, const struct request *request) {
  unsigned flags = (unsigned)request->flags;
  enum asked asked = flags & WIN_STRICT_ORDERING ? ASKED_STRICT : ASKED_DEFAULT;
  if (rule->asked != ASKED_ANY && rule->asked != asked)
    return "asked";
  if (!nccl_matches(&rule->nccl, request->nccl))
    return "nccl";
  if (request->size < rule->min_size)
    return "min-size";
  if (request->size > rule->max_size)
    return "max-size";
  if ((flags & rule->flags_set) != rule->flags_set || flags & rule->flags_clear)
    return "flags";
  if (!bit_matches(rule->gin_connections, (int)request->gin_connection))
    return "gin-connection";
  return text_matches(&rule->caller, request->caller) ? NULL : "caller";
}

const char *rule_mismatch(const struct rule *rule, const struct request *request, const struct host *host) {
  const char *source;
  const char *key = host_mismatch(rule, host, host_mode(host, &source));
  return key ? key : request_mismatch(rule, request);
}

void host_select_rules(struct host *host, const struct policy *policy) {
  const char *source;
  const int mode = host_mode(host, &source);
  const struct rule **rules = policy ? malloc((policy->rule_count + 1) * sizeof(const struct rule *)) : NULL;
  host->rule_count = 0;
  for (size_t i = 0; rules && i < policy->rule_count; i++)
    if (!host_mismatch(&policy->rules[i], host, mode))
      rules[host->rule_count++] = &policy->rules[i];
  host->rules = rules;
}

static const struct rule *first_match(const struct policy *policy, const struct request *request,
                                      const struct host *host, int mode) {
  for (size_t i = 0; host->rules && i < host->rule_count; i++)
    if (!request_mismatch(host->rules[i], request))
      return host->rules[i];
  for (size_t i = 0; !host->rules && i < policy->rule_count; i++)
    if (!host_mismatch(&policy->rules[i], host, mode) && !request_mismatch(&policy->rules[i], request))
      return &policy->rules[i];
  return NULL;
}

static bool holds_host(const struct pool *pool, const char *name) {
  return !pool->hosts.count || (name && globs_match_host(&pool->hosts, name));
}

void host_find_pool(struct host *host, const struct policy *policy, const char *winord_pool,
                    const char *slurm_partition) {
  bool by_winord = winord_pool && *winord_pool;
  const char *named = by_winord ? winord_pool : slurm_partition && *slurm_partition ? slurm_partition : NULL;
  const struct policy *whole = policy && !policy->error_count ? policy : NULL;
  const struct pool *pool = NULL;
  host->pool_mismatch = false;
  if (named) {
    pool = whole ? policy_pool(whole, named) : NULL;
    host->pool_mismatch = pool && !holds_host(pool, host->name);
    host->pool_source = by_winord ? "WINORD_POOL" : "SLURM_JOB_PARTITION";
  } else {
    pool = whole && host->name ? policy_pool_of_host(whole, host->name) : NULL;
    named = pool ? pool->name : NULL;
    host->pool_source = pool ? "hosts" : NULL;
  }
  host->pool = host->pool_mismatch ? NULL : named;
  host->section = host->pool_mismatch ? NULL : pool;
  if (!host->pool)
    host->pool_source = NULL;
}

/* Which word of the policy holds, and where it stands. */
static void choose(struct decision *decision, const struct request *request, const struct host *host,
                   const struct policy *policy, bool strict_on_error) {
  if (!policy) {
    decision->why = "no_policy";
    return;
  }
  if (policy->error_count) {
    decision->why = "policy_error";
    decision->ordering = strict_on_error ? ORDERING_STRICT : ORDERING_KEEP;
    return;
  }
  const struct rule *rule = first_match(policy, request, host, decision->mode);
  decision->rule = rule;
  decision->why = rule ? "rule" : "default";
  decision->ordering = rule ? rule->ordering : policy->fallback;
  decision->file = rule ? rule->file : policy->fallback_file;
  decision->line = rule ? rule->line : policy->fallback_line;
}

static void carry_out(struct decision *decision, const struct request *request, const struct host *host) {
  bool strict = request->flags & WIN_STRICT_ORDERING;
  if (decision->ordering == ORDERING_STRICT && !strict) {
    decision->flags |= WIN_STRICT_ORDERING;
    decision->verdict = VERDICT_REWRITTEN;
  }
  if (decision->ordering != ORDERING_RELAXED || !strict)
    return;
  decision->guard = guard_ask(decision->rule, request, host, &decision->why);
  decision->verdict = decision->guard == GUARD_NONE ? VERDICT_REFUSED : VERDICT_REWRITTEN;
  if (decision->verdict == VERDICT_REWRITTEN)
    decision->flags &= ~WIN_STRICT_ORDERING;
}

static unsigned doubts(const struct decision *decision, const struct request *request, const struct host *host) {
  unsigned warnings = host->pool_mismatch ? WARN_POOL_MISMATCH : 0;
  if (!(decision->flags & WIN_STRICT_ORDERING))
    return warnings;
  if (request->nccl && request->nccl < NCCL_STRICT_ORDERING)
    warnings |= WARN_STRICT_NO_EFFECT;
  if (host->modes.force_relax)
    warnings |= WARN_FORCE_RELAX;
  if (host->gin_proxy)
    warnings |= WARN_PROXY_MR_CACHE;
  return warnings;
}

struct decision decide(const struct request *request, const struct host *host, const struct policy *policy,
                       bool strict_on_error) {
  struct decision decision = {.verdict = VERDICT_PASSED, .ordering = ORDERING_KEEP, .flags = request->flags};
  decision.mode = host_mode(host, &decision.mode_source);
  choose(&decision, request, host, policy, strict_on_error);
  carry_out(&decision, request, host);
  decision.exposed = !(decision.flags & WIN_STRICT_ORDERING) && decision.mode != 0;
  decision.warnings = doubts(&decision, request, host);
  return decision;
}

const char *verdict_name(enum verdict verdict) {
  static const char names[][12] = {"passed", "rewritten", "refused"};
  return names[verdict];
}

const char *warnings_text(unsigned warnings, char *text, size_t size) {
  static const char words[][20] = {"pool_mismatch", "strict_no_effect", "force_relax", "proxy_mr_cache"};
  size_t used = 0;
  if (size)
    text[0] = '\0';
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (warnings >> i & 1 && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "," : "", words[i]);
  return text;
}
