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
  print_plain(stdout, "shim      %s\n", shim == NULL ? "not found" : shim);
  if (shim != NULL) {
    print_plain(stdout, "          %s\n", loads ? "it loads" : "it does not load");
  }
  free(shim);
  return loads;
}

static void print_environment(void) {
  for (char **entry = environ; *entry != NULL; entry++) {
    if (strncmp(*entry, "WINORD_", 7) == 0 || strncmp(*entry, "LD_PRELOAD=", 11) == 0 ||
        strncmp(*entry, "LD_AUDIT=", 9) == 0) {
      print_plain(stdout, "environ   %s\n", *entry);
    }
  }
}

/* NULL: there is none. */
static struct policy *print_policy(void) {
  const char *path = local_policy_path();
  if (path == NULL) {
    puts("policy    none: neither WINORD_CONF nor /etc/winord.conf");
    return NULL;
  }
  struct policy *policy = policy_read(path);
  char summary[128];
  if (policy != NULL) {
    print_plain(stdout, "policy    %s: %s\n", policy->path, policy_summary(policy, summary, sizeof summary));
    report_problems(policy);
  }
  return policy;
}

static void print_host(const struct local *local) {
  const struct host *host = &local->host;
  const struct facts *facts = local->facts;
  print_plain(stdout, "host      %s\n", host->name);
  if (host->pool != NULL) {
    print_plain(stdout, "pool      %s (%s)\n", host->pool, host->pool_source);
  } else {
    print_plain(stdout, "pool      none%s\n",
                host->pool_mismatch ? ": the one named has hosts that do not hold this host" : "");
  }
  print_plain(stdout, "facts     %s%s%s", facts->path ? facts->path : "", facts->path ? ": " : "",
              facts_status_name(facts->status));
  print_plain(stdout, facts->trouble ? " (%s)\n" : "\n", facts->trouble);
  const char *source;
  int mode = host_mode(host, &source);
  print_plain(stdout, "mode      PCI_ATOMIC_MODE %s%s%s%s, of %zu NICs in the facts\n", mode_text(mode),
              source ? " (" : "", source ? source : "", source ? ")" : "", facts->nic_count);
  char *words = words_text(&host->modes.words);
  if (words[0] != '\0') {
    print_plain(stdout, "          %s\n", words);
  }
  free(words);
  if (host->modes.force_relax) {
    puts("alarm     PCI_WR_ORDERING is force_relax: strict has no effect on this host");
  }
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

/* What the words of a refusal mean for an operator. */
static const struct {
  const char *why, *text;
} refusals[] = {
    {"facts_missing", "nothing is known of its NICs; run 'winord facts --write' as root"},
    {"facts_damaged", "its facts file is broken; run 'winord facts --write' as root"},
    {"facts_stale", "its facts are of another boot; run 'winord facts --write' as root"},
    {"facts_untrusted", "somebody else than root wrote its facts, or may"},
    {"external_plugin", "NCCL's transport is an external plugin"},
    {"no_nic", "no NIC may be used"},
    {"nic_unlisted", "a NIC came after the facts; run 'winord facts --write' as root"},
    {"nic_changed", "a NIC is not the one of the facts; run 'winord facts --write' as root"},
    {"mode_not_zero", "a NIC is in another PCI_ATOMIC_MODE than 0, or will be after the next reset"},
    {"mode_unknown", "a NIC's PCI_ATOMIC_MODE is not known"},
    {"nic_not_mlx5", "a NIC is no mlx5 device"},
    {"bond_incomplete", "a bond's second function is not in the facts"},
    {"attestation_lapsed", "the pool's attestation is over"},
    {"contradicted", "a NIC contradicts the pool's attestation"},
};

static const char *refusal_text(const char *why) {
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    if (strcmp(refusals[i].why, why) == 0) {
      return refusals[i].text;
    }
  }
  return "no row of the guard holds";
}

/* In guests, mlx5 registers relaxed since Linux 6.4 only. Source: Linux commits ed4b0661cce1, bd4ba605c4a9. */
static bool is_old_guest(const struct local *local) {
  const char *hypervisor = local->host.modes.words.hypervisor, *kernel = local->facts->kernel;
  int major, minor;
  return hypervisor != NULL && strcmp(hypervisor, "none") != 0 && kernel != NULL &&
         sscanf(kernel, "%d.%d", &major, &minor) == 2 && (major < 6 || (major == 6 && minor < 4));
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
    print_plain(stdout, "relaxed   would be refused here, because %s: %s (a rule may still assert va-signals = none)",
                decision.why, refusal_text(decision.why));
  } else {
    print_plain(stdout, "relaxed   would be carried out here, because it is %s%s", guard_name(decision.guard),
                decision.guard == GUARD_PROVED
                    ? ": every NIC that may be used is in mode 0, now and after the next reset"
                    : "");
  }
  if (is_old_guest(local)) {
    print_plain(stdout, "; to no effect, for this is a guest of Linux %s, older than 6.4", local->facts->kernel);
  }
  putchar('\n');
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
