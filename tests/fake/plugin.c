/* A library that calls NCCL by name, as DeepEP's or PyTorch's do: linked to a copy, or (with nccl.c) with one inside. */
#define _GNU_SOURCE
#include "plugin.h"

#include "fakenccl.h"

#include <dlfcn.h>

static char buffer[65536];

static ncclComm_t communicator(void) {
  ncclUniqueId id = {{0}};
  ncclComm_t comm = NULL;
  ncclCommInitRank(&comm, 2, id, 1);
  return comm;
}

int plugin_register(int flags) {
  ncclWindow_t win = NULL;
  ncclComm_t comm = communicator();
  ncclResult_t result = ncclCommWindowRegister(comm, buffer, sizeof(buffer), &win, flags);
  return result == ncclSuccess ? fakeLastFlags() : -(int)result;
}

int plugin_register_default(int flags) {
  ncclResult_t (*found)(ncclComm_t, void *, size_t, ncclWindow_t *, int) = NULL;
  ncclWindow_t win = NULL;
  *(void **)&found = dlsym(RTLD_DEFAULT, "ncclCommWindowRegister");
  if (found == NULL)
    return -100;
  if (dlerror() != NULL)
    return -101;
  ncclResult_t result = found(communicator(), buffer, sizeof(buffer), &win, flags);
  return result == ncclSuccess ? fakeLastFlags() : -(int)result;
}

int plugin_registrations(void) { return fakeRegistrations(); }

int plugin_dev_comm(void) {
  ncclComm_t comm = communicator();
  ncclDevCommRequirements_t reqs = {
      .size = sizeof(reqs), .magic = 0xcafebeef, .version = 22907, .ginConnectionType = 1};
  ncclDevComm_t dev;
  ncclResult_t result = ncclDevCommCreate(comm, &reqs, &dev);
  int before = fakeDeregistrations();
  if (result == ncclSuccess)
    result = ncclDevCommDestroy(comm, &dev);
  return result == ncclSuccess ? fakeDeregistrations() - before : -(int)result;
}
