#include "bench/stress/nccl_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ERROR_SIZE = 512 };

static struct nccl_library library;

static const struct {
  const char *name;
  size_t offset;
} functions[] = {
    {"ncclGetUniqueId", offsetof(struct nccl_library, get_unique_id)},
    {"ncclCommInitRank", offsetof(struct nccl_library, comm_init_rank)},
    {"ncclCommInitAll", offsetof(struct nccl_library, comm_init_all)},
    {"ncclCommDestroy", offsetof(struct nccl_library, comm_destroy)},
    {"ncclMemAlloc", offsetof(struct nccl_library, mem_alloc)},
    {"ncclMemFree", offsetof(struct nccl_library, mem_free)},
    {"ncclCommWindowRegister", offsetof(struct nccl_library, window_register)},
    {"ncclCommWindowDeregister", offsetof(struct nccl_library, window_deregister)},
    {"ncclGetLastError", offsetof(struct nccl_library, last_error)},
    {"fabricOpen", offsetof(struct nccl_library, open)},
    {"fabricClose", offsetof(struct nccl_library, close)},
    {"fabricNow", offsetof(struct nccl_library, now)},
    {"fabricAt", offsetof(struct nccl_library, at)},
    {"fabricPut", offsetof(struct nccl_library, put)},
    {"fabricSignal", offsetof(struct nccl_library, signal)},
    {"fabricFlush", offsetof(struct nccl_library, flush)},
    {"fabricSignalValue", offsetof(struct nccl_library, signal_value)},
    {"fabricWatch", offsetof(struct nccl_library, watch)},
    {"fabricStep", offsetof(struct nccl_library, step)},
    {"fabricWindowRelaxed", offsetof(struct nccl_library, window_relaxed)},
    {"fabricShared", offsetof(struct nccl_library, shared)},
    {"fabricBarrier", offsetof(struct nccl_library, barrier)},
};

static void find_file(char path[PATH_MAX]) {
  static const char tail[] = "sim/libnccl.so.2";
  const char *named = getenv("WINORD_SIM");
  if (named && *named) {
    snprintf(path, PATH_MAX, "%s", named);
    return;
  }
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof tail);
  path[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(path, '/');
  memcpy(slash ? slash + 1 : path, tail, sizeof tail);
}

static const struct nccl_library *load(char *error) {
  char path[PATH_MAX];
  find_file(path);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(error, ERROR_SIZE, "the simulated NCCL cannot be loaded: %s", dlerror());
    return NULL;
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(handle, functions[i].name);
    if (!function) {
      snprintf(error, ERROR_SIZE, "%.300s has no %s: not the simulated NCCL of this winord", path, functions[i].name);
      return NULL;
    }
    memcpy((char *)&library + functions[i].offset, &function, sizeof function);
  }
  return &library;
}

const struct nccl_library *nccl_library(char *error) {
  static const struct nccl_library *loaded;
  if (!loaded)
    loaded = load(error);
  return loaded;
}
