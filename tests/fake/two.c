/* two PATH: a program linked to one copy of NCCL that opens a second; each is asked in turn, twice. */
#include "fakenccl.h"

#include <dlfcn.h>
#include <stdio.h>

static char buffer[4096];

struct copy {
  const char *name;
  ncclResult_t (*init)(ncclComm_t *, int, ncclUniqueId, int);
  ncclResult_t (*reg)(ncclComm_t, void *, size_t, ncclWindow_t *, int);
  int (*last_flags)(void);
  int (*registrations)(void);
};

static void ask(const struct copy *copy) {
  ncclUniqueId id = {{0}};
  ncclComm_t comm = NULL;
  ncclWindow_t win = NULL;
  copy->init(&comm, 1, id, 0);
  copy->reg(comm, buffer, sizeof(buffer), &win, 2);
  printf("%s flags=0x%x registrations=%d\n", copy->name, (unsigned)copy->last_flags(), copy->registrations());
}

/* By name, not by address. */
static ncclResult_t reg_by_name(ncclComm_t comm, void *buff, size_t size, ncclWindow_t *win, int flags) {
  ncclResult_t result = ncclCommWindowRegister(comm, buff, size, win, flags);
  return result;
}

int main(int argc, char **argv) {
  struct copy linked = {"linked", ncclCommInitRank, reg_by_name, fakeLastFlags, fakeRegistrations};
  struct copy opened = {.name = "opened"};
  void *handle = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (handle == NULL)
    return 1;
  *(void **)&opened.init = dlsym(handle, "ncclCommInitRank");
  *(void **)&opened.reg = dlsym(handle, "ncclCommWindowRegister");
  *(void **)&opened.last_flags = dlsym(handle, "fakeLastFlags");
  *(void **)&opened.registrations = dlsym(handle, "fakeRegistrations");
  for (int i = 0; i < 2; i++) {
    ask(&linked);
    ask(&opened);
  }
  return 0;
}
