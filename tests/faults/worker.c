/*
 * worker FAULT OPERATION...: a program that uses NCCL's windows while something fails under the shim. What it saw goes to
 * standard output at its end: for each call the result, the flags that NCCL got and errno; its descriptors; its signal mask.
 *
 * Faults, in the calls of its first thread only
 *   none
 *   count              at the end, the numbers of steps and allocations go to standard error
 *   list               the numbers of the system calls in the shim go to standard error
 *   call=NUMBER,NTH,ANSWER   the NTH (0: each) such call fails; ANSWER: errno, or short, or empty
 *   memory=NTH[+]      the NTH allocation fails, + and all later ones
 *   step=NTH,ACTION[,TEXT]   before the NTH call into libc an action takes place, see the table below
 *   strict=errno|kill[,shim]   from now on, only the calls that this program needs, or with shim those that the shim needs too
 *   clock=stopped|back|failing|old
 * Operations: reg=FLAGS dereg devcomm destroy, and those that have a line in the table below.
 */
#define _GNU_SOURCE
#include "fakenccl.h"
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static ncclComm_t comm;
static ncclWindow_t window;
static ncclDevComm_t dev_comm;
static char buffer[65536];

static char report[8192];
static size_t reported;

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...) {
  va_list values;
  va_start(values, format);
  int length = vsnprintf(report + reported, sizeof report - reported, format, values);
  va_end(values);
  reported += length > 0 ? (size_t)length : 0;
}

static bool enter(void) {
  const bool before = inject_inside;
  inject_inside = true;
  return before;
}

static void leave(bool before) { inject_inside = before; }

/* Memory. */
static struct {
  long nth, seen;
  bool later;
} starve;

static bool is_short(void) {
  if (!inject_inside || !starve.nth)
    return false;
  const long now = ++starve.seen;
  if (now != starve.nth && !(starve.later && now > starve.nth))
    return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size) { return is_short() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return is_short() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return is_short() ? NULL : __libc_realloc(old, size); }

/* Steps: what the shim calls by these names comes here first. */
static struct {
  bool set;
  long nth, seen;
  void (*act)(const char *text);
  const char *text;
} step;

static void take_step(void) {
  if (!inject_inside || !step.set || ++step.seen != step.nth)
    return;
  const int error = errno;
  inject_inside = false;
  step.act(step.text);
  inject_inside = true;
  errno = error;
}

long syscall(long number, ...) {
  long a[6];
  va_list values;
  va_start(values, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(values, long);
  va_end(values);
  take_step();
  const long answer = inject_seen(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (answer >= 0 || answer < -4095)
    return answer;
  errno = (int)-answer;
  return -1;
}

/* The clock. */
enum clock { CLOCK_RIGHT, CLOCK_STOPPED, CLOCK_BACK, CLOCK_FAILING, CLOCK_OLD };
static enum clock clock_kind;

int clock_gettime(clockid_t id, struct timespec *time) {
  static time_t behind;
  take_step();
  if (clock_kind == CLOCK_FAILING) {
    errno = EPERM;
    return -1;
  }
  inject_raw(SYS_clock_gettime, id, (long)time, 0, 0, 0, 0);
  if (clock_kind == CLOCK_STOPPED)
    *time = (struct timespec){.tv_sec = 1000000000};
  if (clock_kind == CLOCK_BACK)
    time->tv_sec -= behind += 86400;
  if (clock_kind == CLOCK_OLD)
    time->tv_sec = -86401;
  return 0;
}

static void act_fork(const char *text);

/* A fork in the middle of a visit of the loaded objects, once, with a clock that stands still. */
typedef int visit_function(struct dl_phdr_info *info, size_t size, void *data);
static int (*visit_objects)(visit_function *visit, void *data);

int dl_iterate_phdr(visit_function *visit, void *data) {
  static bool forked;
  if (clock_kind == CLOCK_STOPPED && inject_inside && !forked) {
    forked = true;
    inject_inside = false;
    act_fork(NULL);
    inject_inside = true;
  }
  return visit_objects ? visit_objects(visit, data) : 0;
}

/* Calls. */
static int register_once(int flags) {
  ncclWindow_t win = NULL;
  const bool before = enter();
  const ncclResult_t result = ncclCommWindowRegister(comm, buffer, sizeof buffer, &win, flags);
  leave(before);
  return result == ncclSuccess && win ? 0 : 1;
}

static void op_reg(const char *text) {
  window = NULL;
  errno = 7;
  const bool before = enter();
  const ncclResult_t result = ncclCommWindowRegister(comm, buffer, sizeof buffer, &window, atoi(text));
  leave(before);
  const int error = errno;
  tell("register result=%d flags=%d window=%d errno=%d\n", (int)result, fakeLastFlags(), window != NULL, error);
}

static void op_dereg(const char *text) {
  (void)text;
  errno = 7;
  const bool before = enter();
  const ncclResult_t result = ncclCommWindowDeregister(comm, window);
  leave(before);
  const int error = errno;
  tell("deregister result=%d errno=%d\n", (int)result, error);
}

static void op_devcomm(const char *text) {
  ncclDevCommRequirements_t reqs = {.size = sizeof reqs, .magic = 0xcafebeef, .version = 22907, .ginConnectionType = 1};
  (void)text;
  errno = 7;
  const bool before = enter();
  const ncclResult_t result = ncclDevCommCreate(comm, &reqs, &dev_comm);
  leave(before);
  const int error = errno;
  tell("devcomm result=%d errno=%d\n", (int)result, error);
}

static void op_destroy(const char *text) {
  (void)text;
  errno = 7;
  const bool before = enter();
  const ncclResult_t result = ncclCommDestroy(comm);
  leave(before);
  const int error = errno;
  tell("destroy result=%d errno=%d\n", (int)result, error);
}

/* Actions, which take place in the middle of a call. */
static void told(const char *action, int failed) {
  if (failed)
    tell("%s failed=%d\n", action, failed);
}

static int waited(pid_t pid) {
  int status = -1;
  return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static void act_none(const char *text) { (void)text; }

/* The child registers anew. */
static void act_fork(const char *text) {
  (void)text;
  const pid_t pid = fork();
  if (pid == 0)
    exit(register_once(2));
  told("fork", waited(pid));
}

/* The child is what goes on with the call, and with all that follows; the parent takes over its status. */
static void act_follow(const char *text) {
  (void)text;
  const pid_t pid = fork();
  if (pid != 0)
    _exit(waited(pid) == 0 ? 0 : 9);
}

static void act_vfork(const char *text) {
  char *const child[] = {(char *)text, NULL};
  const pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
  if (pid == 0) {
    execve(text, child, environ);
    _exit(1);
  }
  told("vfork", waited(pid));
}

static void act_spawn(const char *text) {
  char *const child[] = {(char *)text, NULL};
  pid_t pid = -1;
  told("spawn", posix_spawn(&pid, text, NULL, NULL, child, environ) != 0 || waited(pid) != 0);
}

/* As a container runtime does it: past libc, so that no handler of fork runs. */
static void act_clone(const char *text) {
  (void)text;
  const pid_t pid = (pid_t)inject_raw(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
  if (pid == 0)
    _exit(register_once(2));
  told("clone", waited(pid));
}

static void *fork_there(void *unused) {
  act_fork(NULL);
  return unused;
}

static void *register_there(void *failed) {
  *(int *)failed = register_once(2);
  return NULL;
}

/* Another thread forks. */
static void act_fork_elsewhere(const char *text) {
  pthread_t thread;
  (void)text;
  told("thread", pthread_create(&thread, NULL, fork_there, NULL) || pthread_join(thread, NULL));
}

static int failed_in_handler;

static void on_signal_register(int signal) {
  const int error = errno;
  (void)signal;
  failed_in_handler += register_once(2);
  errno = error;
}

/* A signal whose handler registers. */
static void act_signal(const char *text) {
  const struct sigaction action = {.sa_handler = on_signal_register};
  (void)text;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  told("handler", failed_in_handler);
}

static void act_cancel(const char *text) {
  (void)text;
  pthread_cancel(pthread_self());
}

static void act_unlink(const char *text) { unlink(text); }

static void act_truncate(const char *text) { told("truncate", truncate(text, 0)); }

static void act_cut(const char *text) {
  struct stat status;
  told("cut", stat(text, &status) != 0 || truncate(text, status.st_size / 2) != 0);
}

static void act_grow(const char *text) {
  const int fd = open(text, O_WRONLY | O_APPEND);
  char more[5000];
  memset(more, ';', sizeof more);
  told("grow", fd < 0 || write(fd, more, sizeof more) != (ssize_t)sizeof more || close(fd) != 0);
}

/* Another one, beside it, takes its name. */
static void act_replace(const char *text) {
  char other[4096];
  snprintf(other, sizeof other, "%s.new", text);
  told("replace", rename(other, text));
}

static void act_folder(const char *text) {
  unlink(text);
  told("folder", mkdir(text, 0755));
}

static void act_closeall(const char *text) {
  (void)text;
  for (int fd = 3; fd < 64; fd++)
    close(fd);
}

static void act_rename(const char *text) {
  char other[4096];
  snprintf(other, sizeof other, "%s.1", text);
  (void)rename(text, other);
}

/* Operations with threads and signals. */
static void *register_many(void *count) {
  uintptr_t failed = 0;
  for (int i = 0; i < *(int *)count; i++)
    failed += (uintptr_t)register_once(2);
  return (void *)failed; /* NOLINT(performance-no-int-to-ptr) */
}

/* threads=N,STACK,COUNT: N threads with stacks of so many bytes register COUNT times each. */
static void op_threads(const char *text) {
  enum { MOST = 1024 };
  static pthread_t threads[MOST];
  int n = 0, count = 0, started = 0;
  size_t stack = 0;
  uintptr_t failed = 0;
  pthread_attr_t attributes;
  sscanf(text, "%d,%zu,%d", &n, &stack, &count);
  pthread_attr_init(&attributes);
  failed += pthread_attr_setstacksize(&attributes, stack) != 0;
  while (started < n && started < MOST && pthread_create(&threads[started], &attributes, register_many, &count) == 0)
    started++;
  for (int i = 0; i < started; i++) {
    void *answer = NULL;
    pthread_join(threads[i], &answer);
    failed += (uintptr_t)answer;
  }
  tell("threads started=%d failed=%lu registrations=%d\n", started, (unsigned long)failed, fakeRegistrations());
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signal) {
  (void)signal;
  alarms = 1;
}

/* storm=COUNT,MICROSECONDS[,register]: so many registrations while SIGALRM comes so often, and its handler registers too. */
static void op_storm(const char *text) {
  int count = 0, every = 0;
  char what[16] = "";
  sscanf(text, "%d,%d,%15s", &count, &every, what);
  struct sigaction action = {.sa_handler = *what ? on_signal_register : on_alarm, .sa_flags = SA_RESTART};
  const struct itimerval often = {.it_interval = {.tv_usec = every}, .it_value = {.tv_usec = every}}, never = {0};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  const uintptr_t failed = (uintptr_t)register_many(&count);
  setitimer(ITIMER_REAL, &never, NULL);
  tell("storm failed=%lu in the handler=%d alarms=%d\n", (unsigned long)failed, failed_in_handler, alarms || *what);
}

static void *in_child_thread(void *text) {
  (void)text;
  op_reg("2");
  return NULL;
}

/* there: another thread registers. */
static void op_there(const char *text) {
  int failed = -1;
  pthread_t thread;
  (void)text;
  told("there", pthread_create(&thread, NULL, register_there, &failed) || pthread_join(thread, NULL) || failed);
}

/* ended: a thread registers, in which the fault takes place, and which may end in it. */
static void op_ended(const char *text) {
  pthread_t thread;
  (void)text;
  pthread_create(&thread, NULL, in_child_thread, NULL);
  pthread_join(thread, NULL);
}

static volatile bool stop;

static void *register_until_stop(void *unused) {
  while (!stop)
    (void)register_once(2);
  return unused;
}

/* forks=N: so many forks while four threads register; each child registers. */
static void op_forks(const char *text) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, register_until_stop, NULL);
  for (int i = 0; i < atoi(text); i++)
    act_fork(NULL);
  stop = true;
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

/* fork: the child registers, and ends well. */
static void op_fork(const char *text) { act_fork(text); }

static void op_block(const char *text) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, atoi(text));
  told("block", sigprocmask(SIG_BLOCK, &set, NULL));
}

static void op_chdir(const char *text) { told("chdir", chdir(text)); }
static void op_chroot(const char *text) { told("chroot", chroot(text) != 0 || chdir("/") != 0); }

struct named {
  const char *name;
  void (*run)(const char *text);
};

static const struct named operations[] = {
    {"reg", op_reg},         {"dereg", op_dereg}, {"devcomm", op_devcomm},
    {"destroy", op_destroy}, {"there", op_there}, {"threads", op_threads},
    {"storm", op_storm},     {"ended", op_ended}, {"fork", op_fork},
    {"block", op_block},     {"chdir", op_chdir}, {"chroot", op_chroot},
    {"forks", op_forks},     {NULL, NULL},
};

static const struct named actions[] = {
    {"none", act_none},
    {"fork", act_fork},
    {"follow", act_follow},
    {"vfork", act_vfork},
    {"spawn", act_spawn},
    {"clone", act_clone},
    {"elsewhere", act_fork_elsewhere},
    {"signal", act_signal},
    {"cancel", act_cancel},
    {"unlink", act_unlink},
    {"truncate", act_truncate},
    {"cut", act_cut},
    {"grow", act_grow},
    {"replace", act_replace},
    {"folder", act_folder},
    {"closeall", act_closeall},
    {"rename", act_rename},
    {NULL, NULL},
};

/* Text up to one of the ends; the row of that name. */
static const struct named *look_up(const struct named *table, const char *text, const char *ends) {
  const size_t length = strcspn(text, ends);
  while (table->name && (strlen(table->name) != length || strncmp(table->name, text, length) != 0))
    table++;
  if (table->name)
    return table;
  dprintf(STDERR_FILENO, "worker: what is %s?\n", text);
  _exit(2);
}

static int answer_of(const char *text) {
  return strcmp(text, "short") == 0 ? INJECT_SHORT : strcmp(text, "empty") == 0 ? INJECT_EMPTY : atoi(text);
}

static void set_call(const char *text) {
  long number = 0, nth = 0;
  char answer[16] = "";
  if (sscanf(text, "%ld,%ld,%15s", &number, &nth, answer) != 3 || !inject_install(number, nth, answer_of(answer)))
    _exit(77);
}

static void set_strict(const char *text) {
  if (!inject_strict(strncmp(text, "kill", 4) == 0, strstr(text, ",shim") != NULL))
    _exit(77);
}

static void set_list(const char *text) {
  (void)text;
  if (!inject_install(-1, 0, INJECT_LIST))
    _exit(77);
}

static void set_memory(const char *text) {
  starve.nth = atol(text);
  starve.later = strchr(text, '+') != NULL;
}

static void set_step(const char *text) {
  const char *action = strchr(text, ','), *more = action ? strchr(action + 1, ',') : NULL;
  step.nth = atol(text);
  step.act = action ? look_up(actions, action + 1, ",")->run : act_none;
  step.text = more ? more + 1 : "";
  step.set = true;
}

static bool counting;

static void set_count(const char *text) {
  (void)text;
  counting = true;
  step.act = act_none;
  step.set = true;
  starve.nth = LONG_MAX;
}

static void set_clock(const char *text) {
  static const char *const words[] = {"right", "stopped", "back", "failing", "old"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], text) == 0)
      clock_kind = (enum clock)i;
}

static const struct named faults[] = {{"none", act_none},   {"count", set_count},   {"list", set_list},
                                      {"call", set_call},   {"memory", set_memory}, {"step", set_step},
                                      {"clock", set_clock}, {"strict", set_strict}, {NULL, NULL}};

static const char *value_of(const char *text) {
  const char *equals = strchr(text, '=');
  return equals ? equals + 1 : "";
}

static void tell_state(void) {
  int descriptors = 0, blocked = 0;
  sigset_t mask;
  for (int fd = 0; fd < 64; fd++)
    descriptors += fcntl(fd, F_GETFD) >= 0;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  for (int signal = 1; signal < 65; signal++)
    blocked += sigismember(&mask, signal) == 1;
  tell("descriptors=%d blocked=%d\n", descriptors, blocked);
}

int main(int argc, char **argv) {
  ncclUniqueId id = {{0}};
  if (argc < 2)
    return 2;
  *(void **)&visit_objects = dlsym(RTLD_NEXT, "dl_iterate_phdr");
  ncclCommInitRank(&comm, 16, id, 3);
  look_up(faults, argv[1], "=")->run(value_of(argv[1]));
  for (int i = 2; i < argc; i++)
    look_up(operations, argv[i], "=")->run(value_of(argv[i]));
  tell_state();
  if (counting)
    dprintf(STDERR_FILENO, "steps=%ld allocations=%ld\n", step.seen, starve.seen);
  (void)inject_raw(SYS_write, STDOUT_FILENO, (long)report, (long)reported, 0, 0, 0);
  (void)enter();
  return 0;
}
