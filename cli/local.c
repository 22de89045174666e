#include "local.h"
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether NCCL would load a transport that is not its own. Source: NCCL env.rst, NCCL_NET_PLUGIN. */
static bool external_plugin(void) {
  static const char *const names[] = {"NCCL_NET_PLUGIN", "NCCL_GIN_PLUGIN", "NCCL_RMA_PLUGIN"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *value = getenv(names[i]);
    if (value != NULL && value[0] != '\0' && strcmp(value, "none") != 0) {
      return true;
    }
  }
  return false;
}

void local_find(struct local *local) {
  memset(local, 0, sizeof *local);
  const char *path = getenv("WINORD_FACTS"), *gin = getenv("NCCL_GIN_TYPE");
  local->facts = facts_read(path && path[0] ? path : NULL, "");
  if (local->facts == NULL) {
    say("out of memory");
    exit(STATUS_FAILED);
  }
  if (local->facts->status == FACTS_CURRENT && local->facts->hostname != NULL) {
    snprintf(local->name, sizeof local->name, "%s", local->facts->hostname);
  } else {
    gethostname(local->name, sizeof local->name - 1);
  }
  local->host.name = local->name;
  local->host.modes = facts_modes(local->facts, getenv("NCCL_IB_HCA"), external_plugin(), "");
  local->host.today = today_utc();
  local->host.gin_proxy = gin != NULL && strcmp(gin, "2") == 0; /* NCCL_GIN_TYPE_PROXY */
}

void local_free(struct local *local) { facts_free(local->facts); }

void local_find_pool(struct local *local, const struct policy *policy) {
  host_find_pool(&local->host, policy, getenv("WINORD_POOL"), getenv("SLURM_JOB_PARTITION"));
}

const char *local_policy_path(void) {
  static const char usual[] = "/etc/winord.conf";
  const char *conf = getenv("WINORD_CONF");
  if (conf != NULL && conf[0] != '\0') {
    return conf;
  }
  return access(usual, F_OK) == 0 ? usual : NULL;
}

const char *facts_status_name(enum facts_status status) {
  static const char *const names[] = {"none", "missing", "damaged", "stale", "current"};
  return names[status];
}
