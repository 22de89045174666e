#include "policy/guard.h"

enum {
  NCCL_WINDOWS_APART = 23007
}; /* 2.30.7: windows of one allocation no longer share the first one's registration */

typedef bool check_test(const struct rule *rule, const struct request *request, const struct host *host);

static bool not_asserted(const struct rule *rule, const struct request *request, const struct host *host) {
  (void)request, (void)host;
  return !rule || !rule->va_signals_none;
}

static bool nccl_before_2_30_7(const struct rule *rule, const struct request *request, const struct host *host) {
  (void)rule, (void)host;
  return request->nccl < NCCL_WINDOWS_APART;
}

static bool shared_memory(const struct rule *rule, const struct request *request, const struct host *host) {
  (void)rule, (void)host;
  return request->overlaps_strict;
}

static bool unproved(const struct rule *rule, const struct request *request, const struct host *host) {
  (void)rule, (void)request;
  return host->modes.unproved;
}

static bool not_attested(const struct rule *rule, const struct request *request, const struct host *host) {
  (void)rule, (void)request;
  return !host->section || host->section->attested_mode != 0;
}

static bool attestation_lapsed(const struct rule *rule, const struct request *request, const struct host *host) {
  (void)rule, (void)request;
  return host->today > host->section->attested_until;
}

static bool contradicted(const struct rule *rule, const struct request *request, const struct host *host) {
  (void)rule, (void)request;
  return host->modes.contradicts;
}

static bool not_accepted(const struct rule *rule, const struct request *request, const struct host *host) {
  (void)request, (void)host;
  return !rule || !rule->accept_hazard;
}

/* The guard: a row holds when none of its checks does. Checks of a row stand together, in the order in which they are told. */
static const struct check {
  enum guard row;
  char why[20]; /* empty: the facts' own word */
  check_test *fails;
} checks[] = {
    {GUARD_ASSERTED, "not_asserted", not_asserted},   {GUARD_ASSERTED, "nccl_before_2_30_7", nccl_before_2_30_7},
    {GUARD_ASSERTED, "shared_memory", shared_memory}, {GUARD_PROVED, "", unproved},
    {GUARD_ATTESTED, "not_attested", not_attested},   {GUARD_ATTESTED, "attestation_lapsed", attestation_lapsed},
    {GUARD_ATTESTED, "contradicted", contradicted},   {GUARD_ACCEPTED, "not_accepted", not_accepted},
};

const char *guard_fails(enum guard row, const struct rule *rule, const struct request *request,
                        const struct host *host) {
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
    if (checks[i].row == row && checks[i].fails(rule, request, host))
      return *checks[i].why ? checks[i].why : host->modes.unproved;
  return NULL;
}

/* The row whose failure explains the refusal. */
static enum guard counted_on(const struct rule *rule, const struct request *request, const struct host *host) {
  if (!not_asserted(rule, request, host))
    return GUARD_ASSERTED;
  return not_attested(rule, request, host) ? GUARD_PROVED : GUARD_ATTESTED;
}

enum guard guard_ask(const struct rule *rule, const struct request *request, const struct host *host,
                     const char **why) {
  for (enum guard row = GUARD_ASSERTED; row <= GUARD_ACCEPTED; row++)
    if (!guard_fails(row, rule, request, host))
      return row;
  *why = guard_fails(counted_on(rule, request, host), rule, request, host);
  return GUARD_NONE;
}

const char *guard_name(enum guard guard) {
  static const char names[][12] = {"", "asserted", "proved", "attested", "accepted"};
  return guard == GUARD_NONE ? NULL : names[guard];
}
