/*
 * register [RANKS]      registers windows of each kind with NCCL, all ranks in this process and on the first GPU, and prints a
 *                       line per registration. RANKS: 1 (default) or 2; 2 needs NCCL_MULTI_RANK_GPU_ENABLE=1.
 * register time PAIRS   registers and deregisters one window of 2 MiB so often; a line of nanoseconds for each pair.
 *
 * It knows nothing of winord: what it prints must be the same with and without.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nccl.h>
#include <nccl_device/host.h>

enum { MAX_RANKS = 2, KINDS = 4, WINDOW_SIZE = 2 << 20, WARM_UP = 50 };

static const struct {
  const char *name;
  int flags;
} kinds[KINDS] = {{"default", NCCL_WIN_DEFAULT},
                  {"strict", NCCL_WIN_STRICT_ORDERING},
                  {"symmetric", NCCL_WIN_COLL_SYMMETRIC},
                  {"strict|symmetric", NCCL_WIN_STRICT_ORDERING | NCCL_WIN_COLL_SYMMETRIC}};

struct rank {
  ncclComm_t comm;
  void *buffers[KINDS];
  ncclWindow_t windows[KINDS];
  ncclDevComm_t devcomm;
  int registered[KINDS], devcomm_created; /* what NCCL returned */
};

static struct rank ranks[MAX_RANKS];
static int rank_count = 1;
static bool failed;

static void check(const char *what, ncclResult_t result) {
  if (result == ncclSuccess)
    return;
  printf("%s: result %d, %s: %s\n", what, result, ncclGetErrorString(result), ncclGetLastError(NULL));
  failed = true;
}

static bool start(void) {
  ncclComm_t comms[MAX_RANKS];
  const int devices[MAX_RANKS] = {0, 0};
  const ncclResult_t result = ncclCommInitAll(comms, rank_count, devices);
  check("ncclCommInitAll", result);
  if (result != ncclSuccess)
    return false;
  for (int i = 0; i < rank_count; i++)
    ranks[i].comm = comms[i];
  return true;
}

static void *allocate(void) {
  void *buffer = NULL;
  check("ncclMemAlloc", ncclMemAlloc(&buffer, WINDOW_SIZE));
  return buffer;
}

/* Of several ranks in one thread, each waits for the others: they must register in one group. */
static void group_start(void) {
  if (rank_count > 1)
    check("ncclGroupStart", ncclGroupStart());
}

static void group_end(void) {
  if (rank_count > 1)
    check("ncclGroupEnd", ncclGroupEnd());
}

static void register_kind(int kind) {
  for (int i = 0; i < rank_count; i++)
    ranks[i].buffers[kind] = allocate();
  group_start();
  for (int i = 0; i < rank_count; i++)
    ranks[i].registered[kind] = ncclCommWindowRegister(ranks[i].comm, ranks[i].buffers[kind], WINDOW_SIZE,
                                                       &ranks[i].windows[kind], kinds[kind].flags);
  if (rank_count > 1)
    printf("in the group: window %s\n", ranks[0].windows[kind] ? "set" : "null");
  group_end();
  for (int i = 0; i < rank_count; i++)
    printf("rank %d asked 0x%x (%s): result %d, window %s\n", i, (unsigned)kinds[kind].flags, kinds[kind].name,
           ranks[i].registered[kind], ranks[i].windows[kind] ? "set" : "null");
}

static void create_devcomms(void) {
  const ncclDevCommRequirements_t requirements = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
  group_start();
  for (int i = 0; i < rank_count; i++)
    ranks[i].devcomm_created = ncclDevCommCreate(ranks[i].comm, &requirements, &ranks[i].devcomm);
  group_end();
  for (int i = 0; i < rank_count; i++)
    printf("rank %d device communicator, no GIN: result %d\n", i, ranks[i].devcomm_created);
}

static void finish(void) {
  for (int i = 0; i < rank_count; i++) {
    if (ranks[i].devcomm_created == ncclSuccess)
      check("ncclDevCommDestroy", ncclDevCommDestroy(ranks[i].comm, &ranks[i].devcomm));
    for (int kind = 0; kind < KINDS; kind++) {
      check("ncclCommWindowDeregister", ncclCommWindowDeregister(ranks[i].comm, ranks[i].windows[kind]));
    }
  }
  for (int i = 0; i < rank_count; i++)
    for (int kind = 0; kind < KINDS; kind++)
      check("ncclMemFree", ncclMemFree(ranks[i].buffers[kind]));
  group_start();
  for (int i = 0; i < rank_count; i++)
    check("ncclCommDestroy", ncclCommDestroy(ranks[i].comm));
  group_end();
}

static void show_kinds(void) {
  for (int kind = 0; kind < KINDS; kind++)
    register_kind(kind);
  create_devcomms();
  finish();
}

static int64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void time_pairs(long pairs) {
  void *buffer = allocate();
  for (long i = -WARM_UP; i < pairs && !failed; i++) {
    ncclWindow_t window = NULL;
    const int64_t began = clock_ns();
    check("ncclCommWindowRegister",
          ncclCommWindowRegister(ranks[0].comm, buffer, WINDOW_SIZE, &window, NCCL_WIN_STRICT_ORDERING));
    const int64_t registered = clock_ns();
    check("ncclCommWindowDeregister", ncclCommWindowDeregister(ranks[0].comm, window));
    const int64_t ended = clock_ns();
    if (i >= 0)
      printf("pair %lld %lld\n", (long long)(registered - began), (long long)(ended - registered));
  }
  check("ncclMemFree", ncclMemFree(buffer));
  check("ncclCommDestroy", ncclCommDestroy(ranks[0].comm));
}

int main(int argc, char **argv) {
  const bool timing = argc == 3 && strcmp(argv[1], "time") == 0;
  const long number = timing ? strtol(argv[2], NULL, 10) : argc == 2 ? strtol(argv[1], NULL, 10) : 1;
  int version = 0;
  if (argc > 3 || (argc == 3 && !timing) || number < 1 || (!timing && number > MAX_RANKS)) {
    fprintf(stderr, "usage: register [1|2] | register time PAIRS\n");
    return 2;
  }
  rank_count = timing ? 1 : (int)number;
  check("ncclGetVersion", ncclGetVersion(&version));
  printf("NCCL %d, built for %d, ranks %d\n", version, NCCL_VERSION_CODE, rank_count);
  if (!start())
    return 1;
  if (timing)
    time_pairs(number);
  else
    show_kinds();
  return failed;
}
