#include "bench/stress/gpu/session.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool cuda_failed(cudaError_t result, const char *what, char *error) {
  if (result != cudaSuccess)
    snprintf(error, ERROR_SIZE, "%s: %s", what, cudaGetErrorString(result));
  return result != cudaSuccess;
}

bool nccl_failed(struct gpu_rank *rank, ncclResult_t result, const char *what, char *error) {
  if (result == ncclSuccess)
    return false;
  const char *why = ncclGetLastError(rank ? rank->comm : NULL);
  snprintf(error, ERROR_SIZE, "%s: %s%s%.300s", what, ncclGetErrorString(result), why && *why ? ": " : "",
           why ? why : "");
  return true;
}

/* A call of one rank, in a thread that may outlive the wait for it. */
struct calling {
  struct session *session;
  struct gpu_rank *rank;
  session_call *call;
  pthread_t thread;
  bool good;
  char error[ERROR_SIZE];
};

static void *call_in_thread(void *argument) {
  struct calling *calling = argument;
  calling->good = !cuda_failed(cudaSetDevice(calling->rank->device), "cudaSetDevice", calling->error) &&
                  calling->call(calling->session, calling->rank, calling->error);
  return NULL;
}

static bool wait_for(struct calling *calling, const char *what, const struct timespec *end, char *error) {
  if (pthread_timedjoin_np(calling->thread, NULL, end) == 0)
    return true;
  calling->session->abandoned = true;
  snprintf(error, ERROR_SIZE, "rank %u still waits in %s: is one of the %u ranks missing, or not able to go on?",
           calling->rank->rank, what, calling->session->world.ranks);
  return false;
}

/* What is abandoned is not freed: its thread still uses it. */
bool session_each(struct session *session, session_call *call, const char *what, unsigned seconds, char *error) {
  struct calling *calling = calloc(session->world.local, sizeof *calling);
  struct timespec end;
  bool good = calling != NULL;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += seconds;
  for (unsigned i = 0; good && i < session->world.local; i++) {
    calling[i] = (struct calling){.session = session, .rank = &session->ranks[i], .call = call};
    good = pthread_create(&calling[i].thread, NULL, call_in_thread, &calling[i]) == 0;
  }
  if (!good) {
    snprintf(error, ERROR_SIZE, "%s: no memory, or no more threads", what);
    session->abandoned = true;
    return false;
  }
  for (unsigned i = 0; i < session->world.local; i++)
    if (!wait_for(&calling[i], what, &end, error))
      return false;
  for (unsigned i = 0; i < session->world.local && good; i++) {
    good = calling[i].good;
    if (!good)
      snprintf(error, ERROR_SIZE, "rank %u: %.480s", calling[i].rank->rank, calling[i].error);
  }
  free(calling);
  return good;
}

static void version_text(int version, char text[32]) {
  snprintf(text, 32, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
}

void session_set_up_cuda(void) {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
}

bool session_describe(char *text, size_t size, char *error) {
  struct cudaDeviceProp device;
  char runtime[32], built[32];
  int version = 0, count = 0;
  if (nccl_failed(NULL, ncclGetVersion(&version), "ncclGetVersion", error))
    return false;
  version_text(version, runtime);
  version_text(devcomm_version(), built);
  if (version < devcomm_version()) {
    snprintf(error, ERROR_SIZE,
             "the NCCL found is %s, older than %s, which this program was built with: name the folder "
             "of a newer libnccl.so.2 in LD_LIBRARY_PATH",
             runtime, built);
    return false;
  }
  if (cuda_failed(cudaGetDeviceCount(&count), "no GPU can be used", error) ||
      cuda_failed(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties", error))
    return false;
  snprintf(text, size, "NCCL %s on %d x %s", runtime, count, device.name);
  return true;
}

/* Where this rank is among those of its host. */
static unsigned local_rank(unsigned rank) {
  static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "LOCAL_RANK"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (getenv(names[i]))
      return (unsigned)strtoul(getenv(names[i]), NULL, 10);
  return rank;
}

static bool is_alone(const struct session *session) { return session->world.local == session->world.ranks; }

/*
 * NCCL's own bootstrap: an address of rank 0 in NCCL_COMM_ID, of which each rank makes the same id. torchrun leaves rank 0's
 * host; its own port is taken, the next one is as good as any.
 */
static bool find_root(char *error) {
  const char *address = getenv("MASTER_ADDR"), *port = getenv("MASTER_PORT");
  const char *ranks = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const char *job = getenv("PMIX_NAMESPACE") ? getenv("PMIX_NAMESPACE") : getenv("OMPI_MCA_ess_base_jobid");
  char root[300];
  if (getenv("NCCL_COMM_ID"))
    return true;
  if (address && port)
    snprintf(root, sizeof root, "%.200s:%lu", address, strtoul(port, NULL, 10) % 65535 + 1);
  else if (ranks && here && job && strcmp(ranks, here) == 0) {
    unsigned hash = 5381;
    for (; *job; job++)
      hash = hash * 33 + (unsigned char)*job;
    snprintf(root, sizeof root, "127.0.0.1:%u", 20000 + hash % 12000);
  } else {
    snprintf(error, ERROR_SIZE,
             "the ranks cannot find each other: set NCCL_COMM_ID=HOST:PORT, an address of rank 0's host and a "
             "free port, for all of them");
    return false;
  }
  setenv("NCCL_COMM_ID", root, 1);
  return true;
}

static ncclUniqueId unique_id;

static bool join(struct session *session, struct gpu_rank *rank, char *error) {
  return !cuda_failed(cudaStreamCreateWithFlags(&rank->stream, cudaStreamNonBlocking), "cudaStreamCreate", error) &&
         !cuda_failed(cudaStreamCreateWithFlags(&rank->exchange, cudaStreamNonBlocking), "cudaStreamCreate", error) &&
         !nccl_failed(rank, ncclCommInitRank(&rank->comm, (int)session->world.ranks, unique_id, (int)rank->rank),
                      "ncclCommInitRank", error) &&
         !cuda_failed(cudaMalloc(&rank->mail, (size_t)MAIL_BYTES * session->world.ranks), "cudaMalloc", error);
}

static bool connect_ranks(struct session *session, char *error) {
  int count = 0;
  if (session->world.local > LOCAL_RANKS_MAX) {
    snprintf(error, ERROR_SIZE, "more than %d ranks in one process", LOCAL_RANKS_MAX);
    return false;
  }
  if (!is_alone(session) && !find_root(error))
    return false;
  if (cuda_failed(cudaGetDeviceCount(&count), "no GPU can be used", error) ||
      nccl_failed(NULL, ncclGetUniqueId(&unique_id), "ncclGetUniqueId", error))
    return false;
  for (unsigned i = 0; i < session->world.local; i++) {
    const unsigned rank = session->world.first + i;
    session->ranks[i] =
        (struct gpu_rank){.rank = rank, .device = (int)((is_alone(session) ? i : local_rank(rank)) % (unsigned)count)};
  }
  session->mail = calloc(session->world.ranks, MAIL_BYTES);
  session->connected = session->mail && session_each(session, join, "ncclCommInitRank", JOIN_S, error);
  return session->connected;
}

static size_t window_bytes;
static int window_flags;
static struct session_wants wanted;

static bool add_window(struct session *session, struct gpu_rank *rank, char *error) {
  (void)session;
  if (nccl_failed(rank, ncclMemAlloc(&rank->memory, window_bytes), "ncclMemAlloc", error) ||
      cuda_failed(cudaMemset(rank->memory, 0, window_bytes), "cudaMemset", error) ||
      cuda_failed(cudaDeviceSynchronize(), "cudaMemset", error) ||
      nccl_failed(rank,
                  ncclCommWindowRegister(rank->comm, rank->memory, window_bytes, &rank->window,
                                         window_flags | NCCL_WIN_COLL_SYMMETRIC),
                  "ncclCommWindowRegister", error))
    return false;
  if (!rank->window)
    snprintf(error, ERROR_SIZE,
             "ncclCommWindowRegister gave no window: this NCCL or this host has no symmetric memory");
  return rank->window != NULL;
}

static bool add_devcomm(struct session *session, struct gpu_rank *rank, char *error) {
  (void)session;
  return !nccl_failed(rank, devcomm_create(rank->comm, &wanted, &rank->devcomm), "ncclDevCommCreate", error);
}

static bool can_do(struct session *session, const struct session_wants *wants, char *error) {
  struct abilities *has = &session->abilities;
  if (nccl_failed(&session->ranks[0], comm_abilities(session->ranks[0].comm, has), "ncclCommQueryProperties", error))
    return false;
  const char *lacks = NULL;
  if (!has->device_api && (wants->gin || wants->peers))
    lacks = "no device API (symmetric memory)";
  else if (wants->gin && !has->gin)
    lacks = "no GIN: no NIC that it can use, and no plugin in NCCL_RMA_PLUGIN";
  else if (wants->host_rma && !has->host_rma)
    lacks = "no host RMA (ncclPutSignal)";
  else if (wants->peers && has->lsa_teams > 1)
    lacks = "ranks that cannot load from each other's memory: no NVLink between them, or peer access is denied";
  if (lacks)
    snprintf(error, ERROR_SIZE, "this communicator has %s", lacks);
  return !lacks;
}

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value && *value && strcmp(value, "0") != 0;
}

bool session_open(struct session *session, const struct world *world, size_t bytes, int flags,
                  const struct session_wants *wants, char *error) {
  session->world = *world;
  if (!session->connected && !connect_ranks(session, error))
    return false;
  if (!can_do(session, wants, error))
    return false;
  window_bytes = (bytes + NCCL_WIN_REQUIRED_ALIGNMENT - 1) / NCCL_WIN_REQUIRED_ALIGNMENT * NCCL_WIN_REQUIRED_ALIGNMENT;
  window_flags = flags;
  wanted = *wants;
  const bool devcomm = wants->gin || wants->peers, first = is_set("WINORD_STRESS_WINDOW_FIRST");
  return (!devcomm || first || session_each(session, add_devcomm, "ncclDevCommCreate", JOIN_S, error)) &&
         session_each(session, add_window, "ncclCommWindowRegister", JOIN_S, error) &&
         (!devcomm || !first || session_each(session, add_devcomm, "ncclDevCommCreate", JOIN_S, error));
}

static bool drop(struct session *session, struct gpu_rank *rank, char *error) {
  (void)session;
  (void)error;
  if (rank->window)
    ncclCommWindowDeregister(rank->comm, rank->window);
  if (rank->devcomm)
    devcomm_destroy(rank->comm, rank->devcomm);
  if (rank->memory)
    ncclMemFree(rank->memory);
  rank->window = NULL;
  rank->devcomm = NULL;
  rank->memory = NULL;
  return true;
}

void session_close(struct session *session) {
  char error[ERROR_SIZE];
  if (session->connected && !session->abandoned)
    session_each(session, drop, "ncclCommWindowDeregister", JOIN_S, error);
}

static bool leave(struct session *session, struct gpu_rank *rank, char *error) {
  (void)session;
  (void)error;
  cudaFree(rank->mail);
  return ncclCommDestroy(rank->comm) == ncclSuccess;
}

void session_finish(struct session *session) {
  char error[ERROR_SIZE];
  if (!session->connected || session->abandoned)
    return;
  session_each(session, leave, "ncclCommDestroy", JOIN_S, error);
  session->connected = false;
}

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One rank a process, where there are several. */
bool session_meet(struct session *session, int timeout_ms, char *error) {
  struct gpu_rank *rank = &session->ranks[0];
  char *own = (char *)rank->mail + (size_t)rank->rank * MAIL_BYTES;
  const double end = now_seconds() + timeout_ms / 1e3;
  cudaError_t state;
  if (cuda_failed(cudaMemcpyAsync(own, session->mail + (size_t)rank->rank * MAIL_BYTES, MAIL_BYTES,
                                  cudaMemcpyHostToDevice, rank->exchange),
                  "cudaMemcpyAsync", error) ||
      nccl_failed(rank, ncclAllGather(own, rank->mail, MAIL_BYTES, ncclInt8, rank->comm, rank->exchange),
                  "ncclAllGather", error) ||
      cuda_failed(cudaMemcpyAsync(session->mail, rank->mail, (size_t)MAIL_BYTES * session->world.ranks,
                                  cudaMemcpyDeviceToHost, rank->exchange),
                  "cudaMemcpyAsync", error))
    return false;
  while ((state = cudaStreamQuery(rank->exchange)) == cudaErrorNotReady && now_seconds() < end)
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  if (state != cudaErrorNotReady)
    return !cuda_failed(state, "ncclAllGather", error);
  session->abandoned = true;
  snprintf(error, ERROR_SIZE, "rank %u waits for the others, and not all came within %d s: one has ended, or hangs",
           rank->rank, timeout_ms / 1000);
  return false;
}
