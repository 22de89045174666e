/*
 * observed OPERATION...: two ranks on the first GPU, a thread each, do these in order; a line each for what NCCL returned.
 *   reg:N:FLAGS   a window over buffer N (0 to 7) of 2 MiB; FLAGS as 0x02
 *   devcomm       a device communicator with GIN to all ranks
 *   dereg:N       the last window of buffer N
 * Needs NCCL_MULTI_RANK_GPU_ENABLE=1. It knows nothing of winord.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nccl.h>
#include <nccl_device/host.h>

enum { RANKS = 2, BUFFERS = 8, WINDOW_SIZE = 2 << 20 };

static char **operations;
static ncclComm_t comms[RANKS];
static pthread_barrier_t together;
static int failures;

struct rank {
  int number;
  void *buffers[BUFFERS];
  ncclWindow_t windows[BUFFERS];
  ncclDevComm_t devcomm;
  bool has_devcomm;
};

static void report(const struct rank *rank, const char *operation, ncclResult_t result, const char *more) {
  if (result != ncclSuccess)
    __atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
  printf("rank %d %s: result %d%s%s\n", rank->number, operation, result, more,
         result == ncclSuccess ? "" : ncclGetLastError(NULL));
  fflush(stdout);
}

static void do_register(struct rank *rank, const char *operation) {
  unsigned buffer = 0, flags = 0;
  if (sscanf(operation, "reg:%u:%x", &buffer, &flags) != 2 || buffer >= BUFFERS)
    exit(2);
  ncclResult_t result = ncclSuccess;
  if (rank->buffers[buffer] == NULL)
    result = ncclMemAlloc(&rank->buffers[buffer], WINDOW_SIZE);
  if (result == ncclSuccess)
    result = ncclCommWindowRegister(comms[rank->number], rank->buffers[buffer], WINDOW_SIZE, &rank->windows[buffer],
                                    (int)flags);
  report(rank, operation, result, rank->windows[buffer] != NULL ? " window" : " no window ");
}

static void do_devcomm(struct rank *rank, const char *operation) {
  ncclDevCommRequirements_t requirements = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
  requirements.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
  requirements.ginContextCount = 1;
  requirements.ginSignalCount = 1;
  const ncclResult_t result = ncclDevCommCreate(comms[rank->number], &requirements, &rank->devcomm);
  rank->has_devcomm = result == ncclSuccess;
  report(rank, operation, result, " ");
}

static void do_deregister(struct rank *rank, const char *operation) {
  const int buffer = operation[6] - '0';
  if (buffer < 0 || buffer >= BUFFERS)
    exit(2);
  report(rank, operation, ncclCommWindowDeregister(comms[rank->number], rank->windows[buffer]), " ");
  rank->windows[buffer] = NULL;
}

static void do_operation(struct rank *rank, const char *operation) {
  if (strncmp(operation, "reg:", 4) == 0)
    do_register(rank, operation);
  else if (strcmp(operation, "devcomm") == 0)
    do_devcomm(rank, operation);
  else if (strncmp(operation, "dereg:", 6) == 0)
    do_deregister(rank, operation);
  else
    exit(2);
}

static void *run(void *data) {
  struct rank *rank = data;
  for (char **operation = operations; *operation != NULL; operation++) {
    pthread_barrier_wait(&together);
    do_operation(rank, *operation);
  }
  pthread_barrier_wait(&together);
  if (rank->has_devcomm)
    ncclDevCommDestroy(comms[rank->number], &rank->devcomm);
  pthread_barrier_wait(&together);
  ncclCommDestroy(comms[rank->number]);
  return NULL;
}

static void describe(void) {
  ncclCommProperties_t properties = NCCL_COMM_PROPERTIES_INITIALIZER;
  if (ncclCommQueryProperties(comms[0], &properties) == ncclSuccess)
    printf("GIN type %d (2: proxy, 3: GDAKI), LSA teams %d, host RMA %d\n", (int)properties.ginType,
           properties.nLsaTeams, properties.hostRmaSupport);
}

int main(int argc, char **argv) {
  static struct rank ranks[RANKS];
  const int devices[RANKS] = {0};
  pthread_t threads[RANKS];
  int version = 0;
  operations = argv + 1;
  ncclGetVersion(&version);
  const ncclResult_t result = ncclCommInitAll(comms, RANKS, devices);
  printf("NCCL %d, %d operations, communicators: result %d\n", version, argc - 1, result);
  if (result != ncclSuccess)
    return 1;
  describe();
  pthread_barrier_init(&together, NULL, RANKS);
  for (int i = 0; i < RANKS; i++) {
    ranks[i].number = i;
    pthread_create(&threads[i], NULL, run, &ranks[i]);
  }
  for (int i = 0; i < RANKS; i++)
    pthread_join(threads[i], NULL);
  return failures != 0;
}
