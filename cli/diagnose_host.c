#include "child.h"
#include "command.h"
#include "diagnosis.h"
#include "local.h"
#include "object.h"
#include "report.h"
#include "shim.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static bool print_shim(void) {
  char *shim = shim_find(false);
  bool loads = shim != NULL && object_loads(shim);
  printf("shim      %s\n", shim == NULL ? "not found" : shim);
  if (shim != NULL) {
    printf("          %s\n", loads ? "it loads" : "it does not load");
  }
  free(shim);
  return loads;
}

static void print_environment(void) {
  for (char **entry = environ; *entry != NULL; entry++) {
    if (strncmp(*entry, "WINORD_", 7) == 0 || strncmp(*entry, "LD_PRELOAD=", 11) == 0) {
      printf("environ   %s\n", *entry);
    }
  }
}

/* The policy the shim would read: WINORD_CONF, else /etc/winord.conf where there is one; NULL: none. */
static struct policy *print_policy(void) {
  const char *conf = getenv("WINORD_CONF");
  bool named = conf != NULL && conf[0] != '\0';
  if (!named && access("/etc/winord.conf", F_OK) != 0) {
    puts("policy    none: neither WINORD_CONF nor /etc/winord.conf");
    return NULL;
  }
  struct policy *policy = policy_read(named ? conf : "/etc/winord.conf");
  char summary[128];
  if (policy != NULL) {
    printf("policy    %s: %s\n", policy->path, policy_summary(policy, summary, sizeof summary));
    report_problems(policy);
  }
  return policy;
}

static void print_host(const struct local *local) {
  const struct host *host = &local->host;
  const struct facts *facts = local->facts;
  printf("host      %s\n", host->name);
  if (host->pool != NULL) {
    printf("pool      %s (%s)\n", host->pool, host->pool_source);
  } else {
    printf("pool      none%s\n", host->pool_mismatch ? ": the one named has hosts that do not hold this host" : "");
  }
  printf("facts     %s%s%s", facts->path ? facts->path : "", facts->path ? ": " : "", facts_status_name(facts->status));
  printf(facts->trouble ? " (%s)\n" : "\n", facts->trouble);
  const char *source;
  int mode = host_mode(host, &source);
  printf("mode      PCI_ATOMIC_MODE %s%s%s%s, of %zu NICs in the facts\n", mode_text(mode), source ? " (" : "",
         source ? source : "", source ? ")" : "", facts->nic_count);
}

/* Copies of NCCL that the loader's cache names. */
static void print_cached_copies(void) {
  char *output = NULL, *rest = NULL, *argv[] = {"/sbin/ldconfig", "-p", NULL};
  bool any = false;
  if (command_output(argv, 10, &output) == 0) {
    for (char *line = strtok_r(output, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
      char *path = strstr(line, " => ");
      if (path != NULL && strstr(line, "libnccl.so") != NULL) {
        struct object object;
        object_look(&object, path + 4, true);
        any = object_print(&object) || any;
        free(object.path);
      }
    }
  }
  if (!any) {
    puts("copy      none in the loader's cache (ldconfig -p)");
  }
  free(output);
}

/* What would become of a rule that says relaxed and asserts nothing. */
static void print_relaxed(const struct local *local, const struct policy *policy) {
  if (policy != NULL && policy->error_count > 0) {
    puts("relaxed   would be refused here, because the policy has errors and decides nothing");
    return;
  }
  const struct policy relaxed = {.fallback = ORDERING_RELAXED,
                                 .pools = policy ? policy->pools : NULL,
                                 .pool_count = policy ? policy->pool_count : 0};
  const struct request request = {
      .flags = WIN_STRICT_ORDERING, .size = 1ULL << 30, .nccl = 23007, .gin_connection = GIN_UNKNOWN};
  struct decision decision = decide(&request, &local->host, &relaxed, false);
  if (decision.verdict == VERDICT_REFUSED) {
    printf("relaxed   would be refused here, because %s (a rule may still assert va-signals = none)\n", decision.why);
  } else {
    printf("relaxed   would be carried out here, because it is %s\n", guard_name(decision.guard));
  }
}

int diagnose_host(void) {
  struct local local;
  puts("winord    " WINORD_VERSION);
  bool good = print_shim();
  print_environment();
  struct policy *policy = print_policy();
  good = good && (policy == NULL || policy->error_count == 0);
  local_find(&local);
  local_find_pool(&local, policy);
  print_host(&local);
  print_cached_copies();
  print_relaxed(&local, policy);
  local_free(&local);
  policy_free(policy);
  return good ? STATUS_OK : STATUS_FAILED;
}
