#include "command.h"
#include "explanation.h"
#include "report.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* " (assumed)" after what nobody gave. */
static const char *mark(const struct explanation *e, enum input input) { return e->given[input] ? "" : " (assumed)"; }

static void print_policy(const struct policy *policy) {
  char summary[128];
  print_plain(stdout, "policy    %s: %s; digest fnv1a64:%016llx\n", policy->path,
              policy_summary(policy, summary, sizeof summary), (unsigned long long)policy->digest);
}

static void print_pool(const struct explanation *e) {
  const struct host *host = &e->host;
  if (host->pool == NULL && host->pool_mismatch) {
    print_plain(stdout, "pool      none: %s was named, but its hosts do not hold %s\n", e->pool_named, host->name);
  } else if (host->pool == NULL) {
    print_plain(stdout, "pool      none: not named, and no pool's hosts hold %s\n", host->name);
  } else {
    const char *source = e->given[INPUT_POOL] ? "given" : host->pool_source;
    print_plain(stdout, "pool      %s (%s)", host->pool, source);
    print_plain(stdout, host->section ? ", %s:%d\n" : ", no section describes it\n",
                host->section ? host->section->file : "", host->section ? host->section->line : 0);
  }
}

static void print_mode(const struct explanation *e) {
  const struct host *host = &e->host;
  const char *source;
  int mode = host_mode(host, &source);
  print_plain(stdout, "mode      PCI_ATOMIC_MODE %s", mode_text(mode));
  if (source != NULL && strcmp(source, "attested") == 0 && host->section != NULL) {
    int until = host->section->attested_until;
    print_plain(stdout, " (attested by %s", host->section->attested_by ? host->section->attested_by : "nobody named");
    print_plain(stdout, until ? ", until %04d-%02d-%02d)" : ")", until / 10000, until / 100 % 100, until % 100);
  } else if (source != NULL) {
    print_plain(stdout, " (%s)", source);
  }
  print_plain(stdout, "; facts: %s\n", e->facts);
}

static void print_request(const struct explanation *e) {
  const struct request *request = &e->request;
  char *flags = flags_text(request->flags), *size = size_text(request->size), *nccl = version_text(request->nccl);
  const char *asks = request->flags & WIN_STRICT_ORDERING ? "strict" : "default";
  print_plain(stdout, "program   asks %s%s, flags %s, size %s%s\n", asks, mark(e, INPUT_ASKED), flags, size,
              mark(e, INPUT_SIZE));
  print_plain(stdout, "          NCCL %s%s, gin-connection %s%s\n", nccl, mark(e, INPUT_NCCL),
              gin_connection_name(request->gin_connection), mark(e, INPUT_GIN_CONNECTION));
  print_plain(stdout, "          caller %s%s, exe %s%s\n", request->caller ? request->caller : "unknown",
              mark(e, INPUT_CALLER), e->host.exe ? e->host.exe : "unknown", mark(e, INPUT_EXE));
  free(nccl);
  free(size);
  free(flags);
}

static void print_rule(const struct explanation *e, const struct rule *rule) {
  const char *key = rule_mismatch(rule, &e->request, &e->host);
  print_plain(stdout, "rule      %s, %s:%d: ", rule->name, rule->file, rule->line);
  if (key == NULL) {
    print_plain(stdout, "matches, ordering = %s\n", ordering_name(rule->ordering));
    return;
  }
  char *asks = rule_value(key, rule), *here = request_value(key, &e->request, &e->host);
  print_plain(stdout, "no, %s = %s, but here it is %s\n", key, asks, here);
  free(here);
  free(asks);
}

static void print_rules(const struct explanation *e) {
  const struct policy *policy = e->policy;
  for (size_t i = 0; i < policy->rule_count; i++) {
    print_rule(e, &policy->rules[i]);
    if (e->decision.rule == &policy->rules[i]) {
      print_plain(stdout, "          it decides; later rules are not looked at\n");
      return;
    }
  }
  if (policy->fallback_file != NULL) {
    print_plain(stdout, "default   %s, %s:%d: decides, for no rule matches\n", ordering_name(policy->fallback),
                policy->fallback_file, policy->fallback_line);
  } else {
    print_plain(stdout, "default   keep (not written in the policy): no rule matches\n");
  }
}

static void print_guard(const struct explanation *e) {
  for (int row = GUARD_ASSERTED; row <= GUARD_ACCEPTED; row++) {
    const char *fails = guard_fails((enum guard)row, e->decision.rule, &e->request, &e->host);
    print_plain(stdout, "guard     %-8s  %s%s%s\n", guard_name((enum guard)row), fails ? "no: " : "holds",
                fails ? fails : "", e->decision.guard == (enum guard)row ? ", and allows it" : "");
  }
  if (e->decision.guard == GUARD_NONE && e->decision.verdict != VERDICT_REFUSED) {
    print_plain(stdout, "          (not needed here: no strict window is made relaxed)\n");
  }
}

static void print_decision(const struct explanation *e) {
  const struct decision *decision = &e->decision;
  char *in = flags_text(e->request.flags), *out = flags_text(decision->flags), warnings[256];
  warnings_text(decision->warnings, warnings, sizeof warnings);
  print_plain(stdout, "verdict   %s: %s\n", verdict_name(decision->verdict), decision->why);
  print_plain(stdout, "flags     in %s, out %s\n", in, out);
  print_plain(stdout, "window    %s\n", decision->flags & WIN_STRICT_ORDERING ? "strict" : "default (relaxed)");
  print_plain(stdout, "exposure  %s\n",
              decision->exposed ? "possible: a signal in this window can overtake its payload" : "none");
  print_plain(stdout, "warnings  %s\n", warnings[0] ? warnings : "none");
  free(out);
  free(in);
}

void explain_text(const struct explanation *e) {
  print_policy(e->policy);
  print_plain(stdout, "host      %s%s\n", e->host.name, e->given[INPUT_HOST] ? "" : " (this host)");
  print_pool(e);
  print_mode(e);
  char *words = words_text(&e->host.modes.words);
  if (words[0] != '\0') {
    print_plain(stdout, "          %s\n", words);
  }
  free(words);
  print_request(e);
  print_rules(e);
  print_guard(e);
  print_decision(e);
}
