#include "process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "comms.h"
#include "copies.h"
#include "effect.h"
#include "linker.h"
#include "records.h"

#define DEFAULT_POLICY "/etc/winord.conf"

/* Above this the search for unreachable rules, which is quadratic, is left to `winord check`. */
enum { RULES_SEARCHED = 1000 };

static struct process process;
static process_lock lock;
static _Atomic pid_t entered;
static bool read_once;

const char *process_variable(const char *name) {
  const char *value = secure_getenv(name);
  return value && *value ? value : NULL;
}

static const char *first_variable(const char *const *names) {
  const char *value = NULL;
  for (; !value && *names; names++)
    value = process_variable(*names);
  return value;
}

static bool is_set(const char *name, const char *to) {
  const char *value = process_variable(name);
  return value && strcmp(value, to) == 0;
}

/* "true" and "yes" mean what they say: a dry run that is none would be the worst reading. */
static bool is_on(const char *name) { return process_variable(name) && !is_set(name, "0"); }

/* Out of memory, a pool or a job of no name, but not none. */
static const char *kept(const char *text) {
  const char *copy = text ? strdup(text) : NULL;
  return text && !copy ? "" : copy;
}

static const char *read_exe(void) {
  char path[PATH_MAX];
  /* Run as an argument of the dynamic linker, the program has no base of it, and /proc/self/exe is the linker. */
  const char *argument = getauxval(AT_BASE) ? NULL : (const char *)getauxval(AT_EXECFN);
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (argument)
    return strdup(argument);
  if (length <= 0)
    return NULL;
  path[length] = '\0';
  return strdup(path);
}

static const char *file_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

/* Where the clock tells nothing, a day after which no attestation holds. */
static int today(void) {
  enum { LAST_DAY = 99991231 };
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0 || now.tv_sec < 0)
    return LAST_DAY;
  const struct utc utc = utc_of(now.tv_sec);
  return utc.year * 10000 + utc.month * 100 + utc.day;
}

struct host process_host(void) {
  struct host host = process.host;
  host.today = today();
  if (host.today != process.host.today)
    host.rules = NULL; /* they were chosen by the mode of that day */
  return host;
}

static void read_names(void) {
  const struct facts *facts = process.facts;
  if (facts && facts->status == FACTS_CURRENT && facts->hostname)
    snprintf(process.node, sizeof process.node, "%s", facts->hostname);
  else if (gethostname(process.node, sizeof process.node - 1) != 0)
    process.node[0] = '\0';
  snprintf(process.label, sizeof process.label, "%.*s", (int)strcspn(process.node, "."), process.node);
}

static bool plugin_named(const char *name) {
  const char *value = process_variable(name);
  return value && strcmp(value, "none") != 0;
}

/* NCCL also loads a plugin that nobody named, when one of these is in its library path. */
static bool is_plugin(const struct object *object, void *user) {
  static const char *const prefixes[] = {"libnccl-net", "libnccl-gin", "libnccl-rma"};
  const char *name = file_name(object->name);
  (void)user;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  return false;
}

static bool has_external_plugin(void) {
  return plugin_named("NCCL_NET_PLUGIN") || plugin_named("NCCL_GIN_PLUGIN") || plugin_named("NCCL_RMA_PLUGIN") ||
         objects_any(is_plugin, NULL);
}

static const struct policy *read_policy(void) {
  const char *path = process_variable("WINORD_CONF");
  if (!path)
    path = access(DEFAULT_POLICY, F_OK) == 0 ? DEFAULT_POLICY : NULL;
  if (!path)
    return NULL;
  struct policy *policy = policy_read(path);
  if (!policy) {
    static struct problem problem = {.text = (char *)"cannot be read: out of memory"};
    static struct policy unread = {.problems = &problem, .problem_count = 1, .error_count = 1};
    problem.file = process_variable("WINORD_CONF") ? "WINORD_CONF" : DEFAULT_POLICY;
    return &unread;
  }
  if (policy->rule_count <= RULES_SEARCHED)
    policy_find_unreachable(policy, false);
  return policy;
}

static bool any_asserts(const struct policy *policy) {
  for (size_t i = 0; policy && i < policy->rule_count; i++)
    if (policy->rules[i].va_signals_none)
      return true;
  return false;
}

static void read_host(void) {
  process.host = (struct host){.name = process.node, .today = today(), .exe = file_name(process.exe)};
  process.host.gin_proxy = is_set("NCCL_GIN_TYPE", "2");
  if (process.facts)
    process.host.modes = facts_modes(process.facts, process_variable("NCCL_IB_HCA"), has_external_plugin(), "");
  else
    process.host.modes = (struct host_modes){.mode = MODE_UNKNOWN, .unproved = "facts_missing"};
  host_find_pool(&process.host, process.policy, process.pool, process.partition);
  host_select_rules(&process.host, process.policy);
}

static void read_environment(void) {
  static const char *const jobs[] = {"SLURM_JOB_ID", "TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE", NULL};
  static const char *const steps[] = {"SLURM_STEP_ID", "TORCHELASTIC_RESTART_COUNT", NULL};
  const char *on_error = process_variable("WINORD_ON_ERROR");
  process.disabled = is_on("WINORD_DISABLE");
  process.dry_run = is_on("WINORD_DRY_RUN");
  process.strict_on_error = on_error && strcmp(on_error, "strict") == 0;
  process.on_error_odd = on_error && !process.strict_on_error && strcmp(on_error, "keep") != 0;
  process.pool = kept(process_variable("WINORD_POOL"));
  process.partition = kept(process_variable("SLURM_JOB_PARTITION"));
  process.run = kept(process_variable("WINORD_RUN"));
  process.job = kept(first_variable(jobs));
  process.step = kept(first_variable(steps));
}

static bool names_observer(const char *path) { return path && strcmp(file_name(path), "libwinord-verbs.so") == 0; }

static void read_all(void) {
  read_environment();
  if (process.disabled)
    return;
  process.exe = read_exe();
  process.facts = facts_read(process_variable("WINORD_FACTS"), "");
  read_names();
  process.log = journal_path(process_variable("WINORD_LOG"));
  process.observing = process.log && names_observer(process_variable("NCCL_IBVERBS_LIB"));
  process.policy = read_policy();
  process.asserts = any_asserts(process.policy);
  read_host();
}

static void begin(pid_t pid) {
  memset(&process.count, 0, sizeof process.count);
  if (!read_once) {
    linker_survive_fork();
    if (auditing)
      linker_enter(); /* no fork meanwhile: our libc's malloc is not prepared for it by the program's */
    read_all();
    if (auditing)
      linker_leave();
  }
  read_once = true;
  memset(process.noticed, 0, sizeof process.noticed);
  if (process.observing)
    effect_forget();
  if (!process.disabled)
    record_start(&process);
  atomic_store(&entered, pid);
}

/* A signal handler makes a call while its own thread is just entering: it passes, as if we were not there, and unrecorded. */
static struct process *pass_by(void) {
  static struct process passing = {.disabled = true};
  atomic_fetch_add(&process.count.sequence, 1);
  atomic_fetch_add(&process.count.lost, 1);
  return &passing;
}

struct process *process_enter(void) {
  const pid_t pid = process_id_read();
  if (atomic_load(&entered) == pid)
    return &process;
  if (!process_lock_take(&lock))
    return pass_by();
  if (atomic_load(&entered) != pid)
    begin(pid);
  process_lock_release(&lock);
  return &process;
}

struct process *process_entered(void) {
  const pid_t by = atomic_load(&entered);
  return by && by == process_id_read() ? &process : NULL;
}
