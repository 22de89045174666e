/*
 * A stand-in for NCCL and its InfiniBand transport, as far as registrations go: which calls it makes, for which addresses, with
 * which flags, in which order, and what its cache gives instead. Source: NCCL 2.30.7, src/dev_runtime.cc, src/misc/ibvsymbols.cc,
 * src/transport/net_ib/reg.cc and gdaki/gin_host_gdaki.cc.
 *   FAKE_NCCL_GIN          proxy (the default): through the cache, by address; gdaki: one of its own, without an address;
 *                          direct: by libmlx5, which is not seen here; none
 *   FAKE_NCCL_RMA          set: host RMA registers each window, too, never strict
 *   FAKE_NCCL_USER_BUFFER  set: a collective has registered the buffer on the first device before its first window
 *   FAKE_VERSION           version code (when it is compiled); before 2.30.3 NCCL_IBVERBS_LIB is not read
 */
#define _GNU_SOURCE
#include "fakenccl.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/observe/verbs.h"

#define NCCL_API(result, name, ...)                                                                                    \
  __attribute__((visibility("default"), alias(#name))) result p##name(__VA_ARGS__);                                    \
  __attribute__((visibility("default"), weak)) result name(__VA_ARGS__)

enum { MAX_NICS = 8, CACHED = 64, WINDOWS = 64, STRICT = 2, ACCESS = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ };

struct cached {
  uintptr_t address;
  size_t length;
  struct ibv_mr *mr;
  int references;
};

struct ncclWindow {
  char *buffer; /* NULL: free */
  size_t size;
  int flags;
  struct ibv_mr *mrs[2][MAX_NICS]; /* GIN's, host RMA's */
};

struct ncclComm {
  int used, rank, ranks, gin;
};

static struct {
  get_device_list_function *get_device_list;
  open_device_function *open_device;
  alloc_pd_function *alloc_pd;
  reg_mr_function *reg_mr;
  reg_mr_iova2_function *reg_mr_iova2;
  reg_dmabuf_mr_function *reg_dmabuf_mr;
  dereg_mr_function *dereg_mr;
} verbs;

static struct ncclComm comms[4];
static struct ncclWindow windows[WINDOWS];
static struct ibv_pd *domains[MAX_NICS];
static struct cached cache[MAX_NICS][CACHED];
static int nics, last_flags, registrations, deregistrations, depth;
static pid_t busy; /* the process whose thread is inside; 0: none */
static struct {
  ncclComm_t comm;
  char *buffer;
  size_t size;
  ncclWindow_t *window;
  int flags;
} queued[WINDOWS];
static int queued_count;

/* A holder that is another process held it when this one was forked. */
static void enter(void) {
  const pid_t self = getpid();
  pid_t holder = 0;
  while (!__atomic_compare_exchange_n(&busy, &holder, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    if (holder == self) {
      usleep(1);
      holder = 0;
    }
}
static void leave(void) { __atomic_store_n(&busy, 0, __ATOMIC_RELEASE); }

static void *open_verbs(void) {
  const char *const names[] = {FAKE_VERSION >= 23003 ? getenv("NCCL_IBVERBS_LIB") : NULL, "libibverbs.so",
                               "libibverbs.so.1"};
  void *handle = NULL;
  for (int i = 0; i < 3 && handle == NULL; i++)
    handle = names[i] == NULL ? NULL : dlopen(names[i], RTLD_NOW);
  return handle;
}

static void start_verbs(void) {
  void *handle = nics == 0 ? open_verbs() : NULL;
  if (handle == NULL)
    return;
  *(void **)&verbs.get_device_list = dlvsym(handle, "ibv_get_device_list", "IBVERBS_1.1");
  *(void **)&verbs.open_device = dlvsym(handle, "ibv_open_device", "IBVERBS_1.1");
  *(void **)&verbs.alloc_pd = dlvsym(handle, "ibv_alloc_pd", "IBVERBS_1.1");
  *(void **)&verbs.reg_mr = dlvsym(handle, "ibv_reg_mr", "IBVERBS_1.1");
  *(void **)&verbs.reg_mr_iova2 = dlvsym(handle, "ibv_reg_mr_iova2", "IBVERBS_1.8");
  *(void **)&verbs.reg_dmabuf_mr = dlvsym(handle, "ibv_reg_dmabuf_mr", "IBVERBS_1.12");
  *(void **)&verbs.dereg_mr = dlvsym(handle, "ibv_dereg_mr", "IBVERBS_1.1");
  struct ibv_device **list = verbs.get_device_list(&nics);
  for (int i = 0; i < nics; i++)
    domains[i] = verbs.alloc_pd(verbs.open_device(list[i]));
}

static struct ibv_mr *through_cache(int nic, const char *buffer, size_t size, int strict) {
  const uintptr_t address = (uintptr_t)buffer & ~(uintptr_t)4095;
  const size_t length = ((uintptr_t)buffer + size - address + 4095) & ~(size_t)4095;
  struct cached *entry = NULL;
  for (int i = 0; i < CACHED; i++) {
    struct cached *c = &cache[nic][i];
    if (c->references > 0 && c->address <= address && address + length <= c->address + c->length) {
      c->references++;
      return c->mr;
    }
    if (c->references == 0 && entry == NULL)
      entry = c;
  }
  *entry = (struct cached){.address = address, .length = length, .references = 1};
  entry->mr = strict
                  ? verbs.reg_mr(domains[nic], (void *)address, length, ACCESS) /* NOLINT(performance-no-int-to-ptr) */
                  : verbs.reg_mr_iova2(domains[nic], (void *)address, length, address, /* NOLINT */
                                       ACCESS | RELAXED_ORDERING);
  return entry->mr;
}

static void undo(int nic, struct ibv_mr *mr) {
  for (int i = 0; i < CACHED; i++) {
    struct cached *c = &cache[nic][i];
    if (c->references > 0 && c->mr == mr) {
      if (--c->references == 0)
        verbs.dereg_mr(mr);
      return;
    }
  }
  if (mr != NULL)
    verbs.dereg_mr(mr);
}

static int backend(const char *name) {
  const char *gin = getenv("FAKE_NCCL_GIN");
  return strcmp(gin == NULL ? "proxy" : gin, name) == 0;
}

static void register_gin(struct ncclWindow *w) {
  const int strict = w->flags & STRICT;
  for (int nic = 0; nic < nics; nic++) {
    if (w->mrs[0][nic] != NULL)
      continue;
    if (backend("proxy"))
      w->mrs[0][nic] = through_cache(nic, w->buffer, w->size, strict);
    else if (backend("gdaki"))
      w->mrs[0][nic] =
          verbs.reg_dmabuf_mr(domains[nic], 0, w->size, 0, STDIN_FILENO, strict ? ACCESS : ACCESS | RELAXED_ORDERING);
  }
}

static ncclWindow_t make_window(ncclComm_t comm, char *buffer, size_t size, int flags) {
  static int used_buffer;
  struct ncclWindow *w = windows;
  while (w->buffer != NULL)
    w++;
  *w = (struct ncclWindow){.buffer = buffer, .size = size, .flags = flags};
  if (nics > 0 && getenv("FAKE_NCCL_USER_BUFFER") != NULL && used_buffer++ == 0)
    through_cache(0, buffer, size, 0);
  if (comm->gin)
    register_gin(w);
  for (int nic = 0; nic < nics && getenv("FAKE_NCCL_RMA") != NULL; nic++)
    w->mrs[1][nic] = through_cache(nic, buffer, size, 0);
  return w;
}

int fakeLastFlags(void) { return last_flags; }
int fakeRegistrations(void) { return registrations; }
int fakeDeregistrations(void) { return deregistrations; }

NCCL_API(ncclResult_t, ncclGetVersion, int *version) {
  *version = FAKE_VERSION;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommInitRank, ncclComm_t *comm, int ranks, ncclUniqueId id, int rank) {
  (void)id;
  struct ncclComm *c = comms;
  while (c->used)
    c++;
  *c = (struct ncclComm){.used = 1, .rank = rank, .ranks = ranks};
  *comm = c;
  if (!backend("none"))
    start_verbs();
  return ncclSuccess;
}

static ncclResult_t end(ncclComm_t comm) {
  comm->used = 0;
  return ncclSuccess;
}
NCCL_API(ncclResult_t, ncclCommDestroy, ncclComm_t comm) { return end(comm); }
NCCL_API(ncclResult_t, ncclCommAbort, ncclComm_t comm) { return end(comm); }

NCCL_API(ncclResult_t, ncclCommUserRank, const ncclComm_t comm, int *rank) {
  *rank = comm->rank;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommCount, const ncclComm_t comm, int *count) {
  *count = comm->ranks;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommCuDevice, const ncclComm_t comm, int *device) {
  *device = comm->rank % 8;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclGroupStart, void) {
  depth++;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclGroupEnd, void) {
  for (int i = 0; --depth == 0 && i < queued_count; i++, depth++)
    *queued[i].window = make_window(queued[i].comm, queued[i].buffer, queued[i].size, queued[i].flags);
  depth = 0;
  queued_count = 0;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommWindowRegister, ncclComm_t comm, void *buff, size_t size, ncclWindow_t *win, int flags) {
  enter();
  last_flags = flags;
  registrations++;
  *win = NULL;
  if (depth > 0) {
    queued[queued_count].comm = comm;
    queued[queued_count].buffer = buff;
    queued[queued_count].size = size;
    queued[queued_count].window = win;
    queued[queued_count++].flags = flags;
  } else {
    *win = make_window(comm, buff, size, flags);
  }
  leave();
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommWindowDeregister, ncclComm_t comm, ncclWindow_t win) {
  (void)comm;
  enter();
  deregistrations++;
  for (int nic = 0; nic < nics; nic++) {
    undo(nic, win->mrs[0][nic]);
    undo(nic, win->mrs[1][nic]);
  }
  win->buffer = NULL;
  leave();
  return ncclSuccess;
}

/* The first one turns GIN on, and registers what there is. */
NCCL_API(ncclResult_t, ncclDevCommCreate, ncclComm_t comm, const ncclDevCommRequirements_t *reqs, ncclDevComm_t *out) {
  (void)out;
  enter();
  if (reqs->ginConnectionType != 0 && !comm->gin) {
    comm->gin = 1;
    for (int i = 0; i < WINDOWS; i++)
      if (windows[i].buffer != NULL)
        register_gin(&windows[i]);
    if (backend("gdaki")) /* the table of signals */
      verbs.reg_dmabuf_mr(domains[0], 0, 4096, 0, STDIN_FILENO, ACCESS);
  }
  leave();
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclDevCommDestroy, ncclComm_t comm, const ncclDevComm_t *dev) {
  (void)comm, (void)dev;
  return ncclSuccess;
}
