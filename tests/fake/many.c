/* many PATH...: opens each as a copy of NCCL and looks it up, then registers a window with each. */
#include "fakenccl.h"

#include <dlfcn.h>
#include <stdio.h>

enum { MAX = 16 };

static char buffer[4096];

static struct copy {
  ncclResult_t (*init)(ncclComm_t *, int, ncclUniqueId, int);
  ncclResult_t (*reg)(ncclComm_t, void *, size_t, ncclWindow_t *, int);
  int (*last_flags)(void);
  int (*registrations)(void);
} copies[MAX];

static int look_up(struct copy *copy, const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    return 0;
  *(void **)&copy->init = dlsym(handle, "ncclCommInitRank");
  *(void **)&copy->reg = dlsym(handle, "ncclCommWindowRegister");
  *(void **)&copy->last_flags = dlsym(handle, "fakeLastFlags");
  *(void **)&copy->registrations = dlsym(handle, "fakeRegistrations");
  return 1;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc && i < MAX; i++) {
    if (!look_up(&copies[i], argv[i]))
      return 1;
  }
  for (int i = 1; i < argc && i < MAX; i++) {
    ncclUniqueId id = {{0}};
    ncclComm_t comm = NULL;
    ncclWindow_t win = NULL;
    copies[i].init(&comm, 1, id, 0);
    copies[i].reg(comm, buffer, sizeof(buffer), &win, 2);
    printf("%d flags=0x%x registrations=%d\n", i, (unsigned)copies[i].last_flags(), copies[i].registrations());
  }
  return 0;
}
