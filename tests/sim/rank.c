/*
 * rank [OPTION...] ACTION: ranks of one communicator on the simulated NCCL, each a process (or a thread, with -t). One line a rank,
 * on standard output: what came of it.
 *   -n N     ranks [4]; -k: the last one is killed instead of acting; -m: the last one is never started; -d: rank 0 comes twice;
 *   -o       the last rank says there is one rank more; -t: threads
 *   barrier  meets at ten barriers
 *   shared   writes its part of the shared memory and reads everybody's
 *   leave    the last rank destroys its communicator, the others wait for it
 *   late     the last rank does not come to the barrier in time
 *   window FLAGS   (one rank) registers windows, and says which is relaxed
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/fabric/fabric.h"
#include "bench/fabric/nccl.h"

enum { RANKS_MOST = 64, BARRIERS = 10, TIMEOUT_MS = 8000, SHORT_MS = 300, BYTES = 4096 };

static struct {
  int ranks;
  bool kill, missing, twice, other_number, threads;
  const char *action;
} options = {.ranks = 4, .action = ""};

static ncclUniqueId id;

static bool is_last(int rank) { return rank == options.ranks - 1; }

static int say(int rank, const char *what) {
  char line[640];
  const int length = snprintf(line, sizeof line, "rank %d: %s\n", rank, what);
  return write(STDOUT_FILENO, line, (size_t)length) == length ? 0 : 1;
}

static int barriers(ncclComm_t comm, int count, int timeout_ms) {
  int missing = 0;
  for (int i = 0; i < count && missing == 0; i++)
    missing = fabricBarrier(comm, timeout_ms);
  return missing;
}

static int share(ncclComm_t comm, int rank) {
  size_t bytes;
  char *memory = fabricShared(comm, &bytes);
  const size_t part = FABRIC_SHARED_BYTES;
  int sum = 0;
  for (size_t i = 0; i < part; i++)
    sum += memory[(size_t)rank * part + i] != 0;
  memset(memory + (size_t)rank * part, rank + 1, part);
  if (barriers(comm, 1, TIMEOUT_MS) != 0)
    return say(rank, ncclGetLastError(comm));
  for (size_t i = 0; i < bytes; i++)
    sum += memory[i] != (char)(i / part + 1);
  return say(rank, bytes == part * (size_t)options.ranks && sum == 0 ? "shared" : "not shared");
}

static int act(ncclComm_t comm, int rank) {
  if (strcmp(options.action, "shared") == 0)
    return share(comm, rank);
  const bool leave = strcmp(options.action, "leave") == 0, late = strcmp(options.action, "late") == 0;
  if (leave && is_last(rank))
    return 0;
  if (late && is_last(rank))
    usleep(SHORT_MS * 3000);
  const int missing = barriers(comm, BARRIERS, late ? SHORT_MS : TIMEOUT_MS);
  if (missing == 0)
    return say(rank, "met");
  char text[600];
  snprintf(text, sizeof text, "%d, %s", missing, ncclGetLastError(comm));
  return say(rank, text);
}

static int be(int rank) {
  ncclComm_t comm = NULL;
  const int number = options.ranks + (options.other_number && is_last(rank));
  const ncclResult_t result = ncclCommInitRank(&comm, number, id, rank);
  if (result != ncclSuccess) {
    char text[600];
    snprintf(text, sizeof text, "%s: %s", ncclGetErrorString(result), ncclGetLastError(comm));
    return say(rank, comm ? "failed, but has a communicator" : text);
  }
  if (options.kill && is_last(rank)) {
    usleep(100000);
    raise(SIGKILL);
  }
  const int failed = act(comm, rank);
  return ncclCommDestroy(comm) == ncclSuccess ? failed : 1;
}

static void *be_thread(void *rank) { return (void *)(intptr_t)be((int)(intptr_t)rank); } /* NOLINT */

static int run_threads(int count) {
  pthread_t threads[RANKS_MOST];
  for (intptr_t i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, be_thread, (void *)i) != 0) /* NOLINT(performance-no-int-to-ptr) */
      return 1;
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

/* The children stay zombies until all have ended: that must not look like life. */
static int run_processes(int count) {
  pid_t children[RANKS_MOST + 1];
  for (int i = 0; i < count + options.twice; i++) {
    children[i] = fork();
    if (children[i] == 0)
      _exit(be(options.twice && i > 0 ? i - 1 : i));
    if (options.twice && i < 2)
      usleep(200000);
  }
  for (int i = 0; i < count + options.twice; i++)
    waitpid(children[i], NULL, 0);
  return 0;
}

static int windows(int flags) {
  static char buffer[BYTES * 3];
  char *aligned = buffer + (BYTES - ((uintptr_t)buffer & (BYTES - 1)));
  ncclComm_t comm;
  ncclWindow_t window, grouped = NULL, unaligned = NULL;
  int version;
  if (ncclCommInitRank(&comm, 1, id, 0) != ncclSuccess || ncclGetVersion(&version) != ncclSuccess ||
      ncclCommWindowRegister(comm, aligned, BYTES, &window, flags) != ncclSuccess || ncclGroupStart() != ncclSuccess ||
      ncclCommWindowRegister(comm, aligned, BYTES, &grouped, flags) != ncclSuccess)
    return say(0, ncclGetLastError(NULL));
  const bool before = grouped != NULL;
  if (ncclGroupEnd() != ncclSuccess)
    return say(0, ncclGetLastError(NULL));
  const int refused = ncclCommWindowRegister(comm, aligned + 8, BYTES, &unaligned, flags);
  printf("%d %s %s %d %d\n", version, fabricWindowRelaxed(window) ? "relaxed" : "strict",
         fabricWindowRelaxed(grouped) ? "relaxed" : "strict", before, refused);
  return ncclCommWindowDeregister(comm, window) != ncclSuccess || ncclCommDestroy(comm) != ncclSuccess;
}

int main(int argc, char **argv) {
  int option;
  while ((option = getopt(argc, argv, "n:kmdot")) != -1)
    switch (option) {
    case 'n': options.ranks = (int)strtol(optarg, NULL, 10); break;
    case 'k': options.kill = true; break;
    case 'm': options.missing = true; break;
    case 'd': options.twice = true; break;
    case 'o': options.other_number = true; break;
    case 't': options.threads = true; break;
    default: return 2;
    }
  if (optind >= argc || options.ranks < 1 || options.ranks > RANKS_MOST)
    return 2;
  const char *action = argv[optind];
  if (ncclGetUniqueId(&id) != ncclSuccess)
    return say(-1, ncclGetLastError(NULL));
  if (strcmp(action, "window") == 0)
    return windows((int)strtol(argv[optind + 1], NULL, 0));
  options.action = action;
  const int count = options.ranks - options.missing;
  return options.threads ? run_threads(count) : run_processes(count);
}
