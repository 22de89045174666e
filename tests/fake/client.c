/*
 * client ROUTE OPERATION...: a program that uses NCCL's windows, and prints what came back and what NCCL got.
 *
 * Routes
 *   plt             calls by name; NCCL is linked (not in client-dl)
 *   handle:PATH     dlopen(PATH), dlsym(handle)
 *   default         dlsym(RTLD_DEFAULT)
 *   global:PATH     dlopen(PATH, RTLD_GLOBAL), dlsym(RTLD_DEFAULT)
 *   deepbind:PATH   dlopen(PATH, RTLD_DEEPBIND), dlsym(handle)
 *   newlm:PATH      dlmopen(LM_ID_NEWLM, PATH), dlsym(handle)
 * Operations, in order: see the table below. The communicator is created before the first.
 */
#define _GNU_SOURCE
#include "fakenccl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static struct {
  ncclResult_t (*init)(ncclComm_t *, int, ncclUniqueId, int);
  ncclResult_t (*destroy)(ncclComm_t);
  ncclResult_t (*abort)(ncclComm_t);
  ncclResult_t (*group_start)(void);
  ncclResult_t (*group_end)(void);
  ncclResult_t (*reg)(ncclComm_t, void *, size_t, ncclWindow_t *, int);
  ncclResult_t (*dereg)(ncclComm_t, ncclWindow_t);
  ncclResult_t (*dev_create)(ncclComm_t, const ncclDevCommRequirements_t *, ncclDevComm_t *);
  ncclResult_t (*dev_destroy)(ncclComm_t, const ncclDevComm_t *);
  int (*last_flags)(void);
  int (*registrations)(void);
} nccl;

static char **arguments;
static int position;
static void *library; /* of the route handle: */
static ncclComm_t comm;
static ncclWindow_t window;
static ncclDevComm_t dev_comm;
static char buffer[1 << 20];

#ifndef NO_NCCL
static void link_time(void) {
  nccl.init = ncclCommInitRank;
  nccl.last_flags = fakeLastFlags;
  nccl.registrations = fakeRegistrations;
}

/* By name at each call, not by address: an address would be bound when the program starts. */
static ncclResult_t reg_by_name(ncclComm_t c, void *buff, size_t size, ncclWindow_t *win, int flags) {
  ncclResult_t result = ncclCommWindowRegister(c, buff, size, win, flags);
  return result;
}
static ncclResult_t dereg_by_name(ncclComm_t c, ncclWindow_t win) {
  ncclResult_t result = ncclCommWindowDeregister(c, win);
  return result;
}
static ncclResult_t dev_create_by_name(ncclComm_t c, const ncclDevCommRequirements_t *reqs, ncclDevComm_t *dev) {
  ncclResult_t result = ncclDevCommCreate(c, reqs, dev);
  return result;
}
static ncclResult_t dev_destroy_by_name(ncclComm_t c, const ncclDevComm_t *dev) {
  ncclResult_t result = ncclDevCommDestroy(c, dev);
  return result;
}
#ifdef END_BY_ADDRESS
#define destroy_by_name ncclCommDestroy
#else
static ncclResult_t destroy_by_name(ncclComm_t c) {
  ncclResult_t result = ncclCommDestroy(c);
  return result;
}
#endif
static ncclResult_t abort_by_name(ncclComm_t c) {
  ncclResult_t result = ncclCommAbort(c);
  return result;
}
static ncclResult_t group_start_by_name(void) {
  ncclResult_t result = ncclGroupStart();
  return result;
}
static ncclResult_t group_end_by_name(void) {
  ncclResult_t result = ncclGroupEnd();
  return result;
}

static void by_name(void) {
  link_time();
  nccl.reg = reg_by_name;
  nccl.dereg = dereg_by_name;
  nccl.destroy = destroy_by_name;
  nccl.abort = abort_by_name;
  nccl.dev_create = dev_create_by_name;
  nccl.dev_destroy = dev_destroy_by_name;
  nccl.group_start = group_start_by_name;
  nccl.group_end = group_end_by_name;
}
#endif

static void by_dlsym(void *handle) {
  *(void **)&nccl.init = dlsym(handle, "ncclCommInitRank");
  *(void **)&nccl.destroy = dlsym(handle, "ncclCommDestroy");
  *(void **)&nccl.abort = dlsym(handle, "ncclCommAbort");
  *(void **)&nccl.group_start = dlsym(handle, "ncclGroupStart");
  *(void **)&nccl.group_end = dlsym(handle, "ncclGroupEnd");
  *(void **)&nccl.reg = dlsym(handle, "ncclCommWindowRegister");
  *(void **)&nccl.dereg = dlsym(handle, "ncclCommWindowDeregister");
  *(void **)&nccl.dev_create = dlsym(handle, "ncclDevCommCreate");
  *(void **)&nccl.dev_destroy = dlsym(handle, "ncclDevCommDestroy");
  *(void **)&nccl.last_flags = dlsym(handle, "fakeLastFlags");
  *(void **)&nccl.registrations = dlsym(handle, "fakeRegistrations");
}

static void *opened(void *handle) {
  if (handle == NULL) {
    printf("client: %s\n", dlerror());
    exit(1);
  }
  return handle;
}

static void route_take(const char *route) {
  const char *path = strchr(route, ':');
  path = path == NULL ? "" : path + 1;
#ifndef NO_NCCL
  if (strcmp(route, "plt") == 0) {
    by_name();
    return;
  }
#endif
  if (strcmp(route, "default") == 0)
    by_dlsym(RTLD_DEFAULT);
  else if (strncmp(route, "handle:", 7) == 0)
    by_dlsym(library = opened(dlopen(path, RTLD_NOW | RTLD_LOCAL)));
  else if (strncmp(route, "global:", 7) == 0) {
    opened(dlopen(path, RTLD_NOW | RTLD_GLOBAL));
    by_dlsym(RTLD_DEFAULT);
  } else if (strncmp(route, "deepbind:", 9) == 0)
    by_dlsym(opened(dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)));
  else if (strncmp(route, "newlm:", 6) == 0)
    by_dlsym(opened(dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL)));
  if (nccl.init == NULL) {
    printf("client: no NCCL by %s\n", route);
    exit(1);
  }
}

static void new_comm(const char *text) {
  ncclUniqueId id = {{0}};
  int rank = 0;
  int nranks = 1;
  if (text != NULL && sscanf(text, "%d/%d", &rank, &nranks) != 2)
    exit(2);
  nccl.init(&comm, nranks, id, rank);
}

/* reg=FLAGS[,SIZE] */
static void op_reg(const char *text) {
  unsigned flags = 0;
  size_t size = sizeof(buffer);
  sscanf(text, "%i,%zu", (int *)&flags, &size);
  if (nccl.reg == NULL) {
    printf("register missing\n");
    return;
  }
  window = (ncclWindow_t)-1L;
  ncclResult_t result = nccl.reg(comm, buffer, size, &window, (int)flags);
  int error = errno;
  printf("register result=%d flags=0x%x win=%s errno=%d\n", (int)result, (unsigned)nccl.last_flags(),
         window == (ncclWindow_t)-1L ? "untouched"
         : window == NULL            ? "null"
                                     : "set",
         error);
}

static void op_nullcomm(const char *text) {
  (void)text;
  ncclWindow_t win = NULL;
  printf("register result=%d\n", (int)nccl.reg(NULL, buffer, sizeof(buffer), &win, 2));
}

static void op_nullwin(const char *text) {
  (void)text;
  printf("register result=%d\n", (int)nccl.reg(comm, buffer, sizeof(buffer), NULL, 2));
}

static void op_dereg(const char *text) {
  (void)text;
  ncclResult_t result = nccl.dereg(comm, window);
  int error = errno;
  printf("deregister result=%d errno=%d\n", (int)result, error);
}

/* devcomm=CONNECTION: the number of enum ncclGinConnectionType */
static void op_devcomm(const char *text) {
  ncclDevCommRequirements_t reqs = {
      .size = sizeof(reqs), .magic = 0xcafebeef, .version = 22907, .ginConnectionType = atoi(text)};
  ncclResult_t result = nccl.dev_create(comm, &reqs, &dev_comm);
  int error = errno;
  printf("devcomm result=%d errno=%d\n", (int)result, error);
}

static void op_nulldevcomm(const char *text) {
  (void)text;
  printf("devcomm result=%d\n", (int)nccl.dev_create(comm, NULL, &dev_comm));
}

/* nodevcomm=CONNECTION: NCCL refuses it, since there is no place for the result */
static void op_nodevcomm(const char *text) {
  ncclDevCommRequirements_t reqs = {
      .size = sizeof(reqs), .magic = 0xcafebeef, .version = 22907, .ginConnectionType = atoi(text)};
  printf("devcomm result=%d\n", (int)nccl.dev_create(comm, &reqs, NULL));
}

static void op_devdestroy(const char *text) {
  (void)text;
  printf("devdestroy result=%d\n", (int)nccl.dev_destroy(comm, &dev_comm));
}

static void op_comm(const char *text) { new_comm(text); }

static void op_destroy(const char *text) {
  (void)text;
  ncclResult_t result = nccl.destroy(comm);
  int error = errno;
  printf("destroy result=%d errno=%d\n", (int)result, error);
}

static void op_abort(const char *text) {
  (void)text;
  ncclResult_t result = nccl.abort(comm);
  int error = errno;
  printf("abort result=%d errno=%d\n", (int)result, error);
}

static void op_group(const char *text) {
  (void)text;
  nccl.group_start();
}

static void op_groupend(const char *text) {
  (void)text;
  nccl.group_end();
  printf("groupend win=%s\n", window == NULL ? "null" : "set");
}

/* grouped=N: N strict symmetric windows, each in a group, one after another, in memory of their own */
static void op_grouped(const char *text) {
  enum { UNIT = 2 << 20 };
  static char memory[2 * UNIT];
  char *unit = memory + (UNIT - (uintptr_t)memory % UNIT) % UNIT;
  for (int i = 0; i < atoi(text); i++) {
    ncclWindow_t win = NULL;
    nccl.group_start();
    nccl.reg(comm, unit, 4096, &win, 3);
    nccl.group_end();
    nccl.dereg(comm, win);
  }
}

/* reopen=PATH: lets the copy go that was opened, and uses this one */
static void op_reopen(const char *text) {
  dlclose(library);
  library = opened(dlopen(text, RTLD_NOW | RTLD_LOCAL));
  by_dlsym(library);
  new_comm("3/16");
  errno = 0;
}

static void op_errno(const char *text) { errno = atoi(text); }

static void *registrations(void *count) {
  for (int i = 0; i < *(int *)count; i++) {
    ncclWindow_t win = NULL;
    nccl.reg(comm, buffer, sizeof(buffer), &win, 2);
    nccl.dereg(comm, win);
  }
  return NULL;
}

static void *register_cancelled(void *unused) {
  int one = 1;
  pthread_cancel(pthread_self()); /* takes place at the first cancellation point */
  registrations(&one);
  return unused;
}

/* cancelled: a thread that is asked to end registers once */
static void op_cancelled(const char *text) {
  pthread_t thread;
  (void)text;
  pthread_create(&thread, NULL, register_cancelled, NULL);
  pthread_join(thread, NULL);
  printf("cancelled registrations=%d\n", nccl.registrations());
}

/* threads=N,COUNT */
static void op_threads(const char *text) {
  pthread_t threads[64];
  int n = 0;
  int count = 0;
  sscanf(text, "%d,%d", &n, &count);
  for (int i = 0; i < n; i++)
    pthread_create(&threads[i], NULL, registrations, &count);
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], NULL);
  printf("threads registrations=%d\n", nccl.registrations());
}

static volatile int stop;

static void *register_until_stop(void *unused) {
  int one = 1;
  while (stop == 0)
    registrations(&one);
  return unused;
}

/* forks=N: forks N times while 8 threads register; each child registers twice and exits. */
static void op_forks(const char *text) {
  pthread_t threads[8];
  int two = 2;
  int failed = 0;
  for (int i = 0; i < 8; i++)
    pthread_create(&threads[i], NULL, register_until_stop, NULL);
  for (int i = 0; i < atoi(text); i++) {
    pid_t pid = fork();
    if (pid == 0) {
      registrations(&two);
      exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    failed += status != 0;
  }
  stop = 1;
  for (int i = 0; i < 8; i++)
    pthread_join(threads[i], NULL);
  printf("forks failed=%d\n", failed);
}

/* fork: the child carries on with the operations; the parent waits for it, then does too. */
static void op_fork(const char *text) {
  (void)text;
  fflush(stdout);
  pid_t pid = fork();
  if (pid != 0)
    waitpid(pid, NULL, 0);
}

/* spawn=PROGRAM: by posix_spawn, which is vfork underneath */
static void op_spawn(const char *text) {
  char *child[] = {(char *)text, NULL};
  pid_t pid = 0;
  int status = -1;
  fflush(stdout);
  if (posix_spawnp(&pid, text, NULL, NULL, child, environ) == 0)
    waitpid(pid, &status, 0);
  printf("spawn status=%d\n", status);
  errno = 0;
}

/* exec: the same program anew, with the route and the operations that are left */
static void op_exec(const char *text) {
  (void)text;
  fflush(stdout);
  arguments[position - 1] = arguments[1];
  arguments[position - 2] = arguments[0];
  execv("/proc/self/exe", arguments + position - 2);
  _exit(3);
}

static void register_at_exit(void) {
  op_reg("2");
  fflush(stdout);
}

static void op_atexit(const char *text) {
  (void)text;
  atexit(register_at_exit);
}

/* closeall: as daemons do, standard output excepted */
static void op_closeall(const char *text) {
  (void)text;
  for (int fd = 0; fd < 1024; fd++) {
    if (fd != STDOUT_FILENO)
      close(fd);
  }
  errno = 0;
}

/* fds: how many descriptors are open */
static void op_fds(const char *text) {
  (void)text;
  int open_count = 0;
  for (int fd = 0; fd < 1024; fd++)
    open_count += fcntl(fd, F_GETFD) >= 0;
  printf("fds %d\n", open_count);
}

/* rlimit=BYTES: no file may grow beyond */
static void op_rlimit(const char *text) {
  struct rlimit limit = {strtoul(text, NULL, 10), RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
}

static void op_touch(const char *text) { fclose(fopen(text, "w")); }

static void op_setenv(const char *text) { putenv((char *)text); }

static void op_uid(const char *text) {
  if (setgid((gid_t)atoi(text)) != 0 || setuid((uid_t)atoi(text)) != 0)
    exit(4);
}

static void op_quit(const char *text) {
  fflush(stdout);
  _exit(atoi(text));
}

static void op_kill(const char *text) {
  fflush(stdout);
  raise(atoi(text));
}

static const struct {
  const char *name;
  void (*run)(const char *text);
} operations[] = {{"reg", op_reg},
                  {"nullcomm", op_nullcomm},
                  {"nullwin", op_nullwin},
                  {"dereg", op_dereg},
                  {"devcomm", op_devcomm},
                  {"nulldevcomm", op_nulldevcomm},
                  {"nodevcomm", op_nodevcomm},
                  {"devdestroy", op_devdestroy},
                  {"comm", op_comm},
                  {"destroy", op_destroy},
                  {"abort", op_abort},
                  {"group", op_group},
                  {"groupend", op_groupend},
                  {"grouped", op_grouped},
                  {"reopen", op_reopen},
                  {"errno", op_errno},
                  {"cancelled", op_cancelled},
                  {"threads", op_threads},
                  {"forks", op_forks},
                  {"fork", op_fork},
                  {"spawn", op_spawn},
                  {"exec", op_exec},
                  {"atexit", op_atexit},
                  {"closeall", op_closeall},
                  {"fds", op_fds},
                  {"rlimit", op_rlimit},
                  {"touch", op_touch},
                  {"setenv", op_setenv},
                  {"uid", op_uid},
                  {"quit", op_quit},
                  {"kill", op_kill}};

static void operate(const char *text) {
  size_t length = strcspn(text, "=");
  const char *value = text[length] == '=' ? text + length + 1 : "";
  for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
    if (strlen(operations[i].name) == length && strncmp(operations[i].name, text, length) == 0) {
      operations[i].run(value);
      return;
    }
  }
  printf("client: no operation %s\n", text);
  exit(2);
}

int main(int argc, char **argv) {
  int error = errno;
  if (argc < 2)
    return 2;
  if (error != 0)
    printf("client: errno is %d at the start\n", error);
  arguments = argv;
  route_take(argv[1]);
  new_comm("3/16");
  position = 2;
  while (position < argc)
    operate(argv[position++]);
  return 0;
}
