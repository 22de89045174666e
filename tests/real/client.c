/*
 * client ROUTE...: for each, reaches NCCL in this way, makes the calls of calls.h and prints what came of them.
 *
 * linked          its own calls (only as client-linked, which is linked with library.c and NCCL)
 * default         dlsym(RTLD_DEFAULT)
 * handle:PATH     dlopen of NCCL, dlsym of the handle
 * global:PATH     dlopen of NCCL with RTLD_GLOBAL, dlsym(RTLD_DEFAULT)
 * local:PATH      dlopen of a library that is linked with NCCL, RTLD_LOCAL
 * deepbind:PATH   the same with RTLD_DEEPBIND
 * newlm:PATH      the same by dlmopen, in a namespace of its own
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

__attribute__((weak)) void use_nccl(void);

static void *must(void *found) {
  if (!found) {
    printf("%s\n", dlerror());
    exit(1);
  }
  return found;
}

static void by_dlsym(void *handle) {
  const struct nccl nccl = {.version = (version_function *)must(dlsym(handle, "ncclGetVersion")),
                            .window_register = (register_function *)must(dlsym(handle, "ncclCommWindowRegister")),
                            .window_deregister = (deregister_function *)must(dlsym(handle, "ncclCommWindowDeregister")),
                            .devcomm_create = (devcomm_function *)must(dlsym(handle, "ncclDevCommCreate")),
                            .destroy = (comm_function *)must(dlsym(handle, "ncclCommDestroy")),
                            .abort = (comm_function *)must(dlsym(handle, "ncclCommAbort")),
                            .last_error = (const char *(*)(void *))must(dlsym(handle, "ncclGetLastError"))};
  make_calls(&nccl);
}

static void by_library(void *handle) { ((void (*)(void))must(dlsym(handle, "use_nccl")))(); }

static void take(const char *route) {
  const char *colon = strchr(route, ':');
  const char *path = colon ? colon + 1 : "";
  if (strcmp(route, "linked") == 0 && use_nccl)
    use_nccl();
  else if (strncmp(route, "handle:", 7) == 0)
    by_dlsym(must(dlopen(path, RTLD_NOW | RTLD_LOCAL)));
  else if (strcmp(route, "default") == 0 ||
           (strncmp(route, "global:", 7) == 0 && must(dlopen(path, RTLD_NOW | RTLD_GLOBAL))))
    by_dlsym(RTLD_DEFAULT);
  else if (strncmp(route, "local:", 6) == 0)
    by_library(must(dlopen(path, RTLD_NOW | RTLD_LOCAL)));
  else if (strncmp(route, "deepbind:", 9) == 0)
    by_library(must(dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)));
  else if (strncmp(route, "newlm:", 6) == 0)
    by_library(must(dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL)));
  else
    exit(2);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    take(argv[i]);
  return argc < 2;
}
