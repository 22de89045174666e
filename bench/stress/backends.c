#include "bench/stress/backend.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef const struct backend *backend_getter(const char *name, char *error);

/* Where `make install` puts the library, if it is there; else beside the program, as built. */
static void find_library(char path[PATH_MAX]) {
  static const char beside[] = "winord-stress-gpu.so", installed[] = "../lib/winord-stress-gpu.so";
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof installed);
  path[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  memcpy(name, installed, sizeof installed);
  if (access(path, F_OK) != 0)
    memcpy(name, beside, sizeof beside);
}

/* RTLD_LAZY: an NCCL that lacks what another backend calls will do. */
static const struct backend *gpu_backend_find(const char *name, char *error) {
  char path[PATH_MAX];
  backend_getter *get;
  find_library(path);
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    snprintf(error, ERROR_SIZE, "backend %s cannot be loaded: %.400s", name, dlerror());
    return NULL;
  }
  *(void **)&get = dlsym(library, "gpu_backend");
  if (get)
    return get(name, error);
  snprintf(error, ERROR_SIZE, "backend %s cannot be loaded: %.400s", name, dlerror());
  return NULL;
}

const struct backend *backend_find(const char *name, char *error) {
  return strcmp(name, fabric_backend.name) == 0 ? &fabric_backend : gpu_backend_find(name, error);
}
