#include "tests/plugin/harness.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 10, COMMON_WORDS = 4096 };

static struct shared {
  pthread_barrier_t barrier;
  uint8_t handles[RANKS_MOST][RMA_HANDLE_BYTES];
  uint64_t words[COMMON_WORDS];
} * shared;

static void *library;
static const struct rma_table_16 *table;
static int (*run_body)(struct rank *);
static int count;
static enum trouble trouble;

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  _exit(1);
}

uint64_t clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
void store(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

void meet(struct rank *rank) {
  (void)rank;
  pthread_barrier_wait(&shared->barrier);
}

uint64_t *common_words(void) { return shared->words; }

const void *plugin_table(const char *symbol) {
  const void *found = dlsym(library, symbol);
  if (!found)
    fail("%s", dlerror());
  return found;
}

void *registered(struct rank *rank, void *memory, size_t bytes, int type, uint64_t flags) {
  void *region = NULL;
  const enum rma_result result = rank->table->reg(rank->comm, memory, bytes, type, flags, &region);
  if (result != RMA_SUCCESS)
    fail("registration: %d", result);
  return region;
}

void wait_for(struct rank *rank, void *request) {
  const uint64_t end = clock_ns() + PATIENCE_S * 1000000000ULL;
  int done = 0;
  while (!done) {
    if (rank->table->test(rank->comm, request, &done) != RMA_SUCCESS)
      fail("test");
    if (clock_ns() > end)
      fail("rank %d: a request does not complete", rank->rank);
    sched_yield();
  }
}

void *post(struct rank *rank, const struct put *put) {
  void *request = NULL;
  const uint32_t to = (uint32_t)put->to_rank;
  enum rma_result result;
  if (put->signal)
    result = rank->table->iput_signal(rank->context, put->index, put->from_offset, put->from, put->bytes,
                                      put->to_offset, put->to, to, put->signal_offset, put->signal, put->add,
                                      RMA_SIGNAL_ADD, !put->weak, 0, &request);
  else
    result = rank->table->iput(rank->context, put->index, put->from_offset, put->from, put->bytes, put->to_offset,
                               put->to, to, 0, &request);
  if (result != RMA_SUCCESS || !request)
    fail("rank %d: put: %d", rank->rank, result);
  return request;
}

/* Returns 0 when the plugin refuses. */
static int make_trouble(struct rank *rank, void *handles[]) {
  static uint8_t none[RMA_HANDLE_BYTES];
  int result = 0;
  handles[0] = none;
  if (trouble == TROUBLE_HANDLE)
    result = table->connect(rank->ctx, handles, rank->nranks, rank->rank, rank->listener, &rank->comm) == RMA_SUCCESS;
  table->close_listen(rank->listener);
  table->finalize(rank->ctx);
  return result;
}

static int run_rank(struct rank *rank) {
  void *handles[RANKS_MOST];
  struct rma_config config = {.contexts = CONTEXTS, .rank_stride = 1};
  for (int i = 0; i < RANKS_MOST; i++)
    handles[i] = shared->handles[i];
  if (table->init(&rank->ctx, 4711, NULL) != RMA_SUCCESS)
    return 2;
  if (table->listen(rank->ctx, 0, shared->handles[rank->rank], &rank->listener) != RMA_SUCCESS)
    return 3;
  meet(rank);
  if (trouble != TROUBLE_NONE && rank->rank == count - 1)
    return make_trouble(rank, handles);
  if (table->connect(rank->ctx, handles, rank->nranks, rank->rank, rank->listener, &rank->comm) != RMA_SUCCESS)
    return 4;
  if (table->close_listen(rank->listener) != RMA_SUCCESS ||
      table->create_context(rank->comm, &config, &rank->context) != RMA_SUCCESS)
    return 5;
  const int result = run_body(rank);
  meet(rank);
  table->destroy_context(rank->context);
  table->close_coll(rank->comm);
  table->finalize(rank->ctx);
  return result;
}

static void *run_thread(void *user) {
  struct rank *rank = user;
  return (void *)(intptr_t)run_rank(rank);
}

static struct rank rank_of(int rank) { return (struct rank){.table = table, .rank = rank, .nranks = count}; }

static int run_threads(void) {
  pthread_t threads[RANKS_MOST];
  struct rank ranks[RANKS_MOST];
  int worst = 0;
  for (int i = 0; i < count; i++) {
    ranks[i] = rank_of(i);
    pthread_create(&threads[i], NULL, run_thread, &ranks[i]);
  }
  for (int i = 0; i < count; i++) {
    void *result;
    pthread_join(threads[i], &result);
    worst = worst ? worst : (int)(intptr_t)result;
  }
  return worst;
}

static int run_processes(void) {
  int worst = 0, status;
  for (int i = 0; i < count; i++)
    if (fork() == 0) {
      struct rank rank = rank_of(i);
      const int result = run_rank(&rank);
      fflush(stdout);
      _exit(result);
    }
  while (wait(&status) > 0)
    worst = worst ? worst : WIFEXITED(status) ? WEXITSTATUS(status) : 99;
  return worst;
}

int ranks_run(const char *plugin, int nranks, bool processes, enum trouble made, int (*body)(struct rank *rank)) {
  library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  table = library ? dlsym(library, "ncclRmaPlugin_v16") : NULL;
  if (!table)
    fail("%s", dlerror());
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    fail("no memory");
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, (unsigned)nranks);
  run_body = body;
  trouble = made;
  count = nranks;
  return processes ? run_processes() : run_threads();
}
