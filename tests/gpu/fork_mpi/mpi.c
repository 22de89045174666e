#include "mpi.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_MOST = 8, PART_MOST = 4096 };

/* What all processes see. */
static struct shared {
  pthread_barrier_t meeting;
  char parts[RANKS_MOST][PART_MOST]; /* what each rank tells, between two meetings */
} * shared;

static int own_rank, ranks;

static void meet(void) { pthread_barrier_wait(&shared->meeting); }

int MPI_Init(int *argc, char ***argv) {
  (void)argc, (void)argv;
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  meet();
  return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  (void)comm;
  *rank = own_rank;
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  (void)comm;
  *size = ranks;
  return MPI_SUCCESS;
}

int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int count, MPI_Datatype type,
                  MPI_Comm comm) {
  (void)send_count, (void)send_type, (void)comm;
  if (send != MPI_IN_PLACE || type != MPI_BYTE || count < 0 || count > PART_MOST)
    return MPI_ERR_OTHER;
  const size_t part = (size_t)count;
  memcpy(shared->parts[own_rank], (char *)receive + own_rank * part, part);
  meet();
  for (int r = 0; r < ranks; r++)
    memcpy((char *)receive + r * part, shared->parts[r], part);
  meet();
  return MPI_SUCCESS;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  (void)comm;
  if (type != MPI_BYTE || count < 0 || count > PART_MOST)
    return MPI_ERR_OTHER;
  if (own_rank == root)
    memcpy(shared->parts[root], data, (size_t)count);
  meet();
  memcpy(data, shared->parts[root], (size_t)count);
  meet();
  return MPI_SUCCESS;
}

static int share(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return -1;
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  return pthread_barrier_init(&shared->meeting, &attributes, (unsigned)ranks) ? -1 : 0;
}

/* Ends those that run. */
static void kill_all(const pid_t *pids) {
  for (int r = 0; r < ranks; r++)
    if (pids[r] > 0)
      kill(pids[r], SIGKILL);
}

static void forget(pid_t *pids, pid_t pid) {
  for (int r = 0; r < ranks; r++)
    if (pids[r] == pid)
      pids[r] = 0;
}

/* Waits for all; the first that fails takes the others, who may wait for it, with it. Returns whether one failed. */
static int wait_for_all(pid_t *pids) {
  int failed = 0, status;
  for (pid_t pid; (pid = wait(&status)) > 0;) {
    forget(pids, pid);
    if (status != 0 && !failed) {
      failed = 1;
      kill_all(pids);
    }
  }
  return failed;
}

int main(int argc, char *argv[]) {
  const char *wanted = getenv("FORK_MPI_RANKS");
  pid_t pids[RANKS_MOST] = {0};
  ranks = wanted ? atoi(wanted) : 2;
  if (ranks < 1 || ranks > RANKS_MOST || share() != 0) {
    fprintf(stderr, "fork_mpi: FORK_MPI_RANKS is 1 to %d\n", RANKS_MOST);
    return 2;
  }
  for (own_rank = 0; own_rank < ranks; own_rank++) {
    pids[own_rank] = fork();
    if (pids[own_rank] == 0)
      exit(client_main(argc, argv));
    if (pids[own_rank] < 0) {
      perror("fork_mpi");
      kill_all(pids);
      return 2;
    }
  }
  return wait_for_all(pids);
}
