/* With NO_CALLS the library has a copy of NCCL, but calls none of the functions that are wrapped by name. */
#include "thin.h"

static char buffer[65536];

static ncclResult_t init(ncclComm_t *comm) {
  ncclUniqueId id = {{0}};
  return ncclCommInitRank(comm, 2, id, 1);
}

#ifdef NO_CALLS
const struct thin thin = {init, NULL, NULL, NULL, fakeRegistrations};
#else
static ncclResult_t reg(ncclComm_t comm, void *memory, size_t size, ncclWindow_t *window, int flags) {
  return ncclCommWindowRegister(comm, memory, size, window, flags);
}

static ncclResult_t dereg(ncclComm_t comm, ncclWindow_t window) { return ncclCommWindowDeregister(comm, window); }

static ncclResult_t destroy(ncclComm_t comm) { return ncclCommDestroy(comm); }

static int count(void) { return fakeRegistrations() * 100 + fakeDeregistrations(); }

const struct thin thin = {init, reg, dereg, destroy, count};
#endif

int thin_use(const struct thin *other) {
  ncclComm_t comm = NULL;
  ncclWindow_t window = NULL;
  int results = (int)other->init(&comm);
  results += (int)other->reg(comm, buffer, sizeof(buffer), &window, 2);
  results += (int)other->dereg(comm, window);
  results += (int)other->destroy(comm);
  return results;
}
