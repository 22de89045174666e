/*
 * A stand-in for libnccl that keeps what matters to a shim: weak ncclX with aliases pncclX in an anonymous version node,
 * internal calls of public functions through the PLT, windows that may come late, communicator addresses that are reused.
 *   FAKE_VERSION      version code
 *   FAKE_NO_WINDOWS   an NCCL from before the window API
 *   FAKE_TAIL_CALL    ncclDevCommDestroy ends in a jump to ncclCommWindowDeregister, so that NCCL is not on the stack
 */
#include "fakenccl.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NCCL_API(result, name, ...)                                                                                    \
  __attribute__((visibility("default"), alias(#name))) result p##name(__VA_ARGS__);                                    \
  __attribute__((visibility("default"), weak)) result name(__VA_ARGS__)

enum { MAX_COMMS = 64, MAX_PENDING = 64 };
#define MAGIC 0xcafebeefU

struct ncclComm {
  int used, rank, nranks, device;
};

static struct ncclComm comms[MAX_COMMS];
static int last_flags, registrations, deregistrations, live_windows;
static int group_depth;
static ncclWindow_t *pending[MAX_PENDING];
static int pending_count;

int fakeLastFlags(void) { return __atomic_load_n(&last_flags, __ATOMIC_SEQ_CST); }

int fakeRegistrations(void) { return __atomic_load_n(&registrations, __ATOMIC_SEQ_CST); }

int fakeDeregistrations(void) { return __atomic_load_n(&deregistrations, __ATOMIC_SEQ_CST); }

NCCL_API(ncclResult_t, ncclGetVersion, int *version) {
  if (version == NULL)
    return ncclInvalidArgument;
  *version = FAKE_VERSION;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclGetUniqueId, ncclUniqueId *id) {
  memset(id, 0, sizeof(*id));
  return ncclSuccess;
}

/* The device is the rank modulo 8. The first free place is taken: addresses are reused at once. */
NCCL_API(ncclResult_t, ncclCommInitRank, ncclComm_t *comm, int nranks, ncclUniqueId id, int rank) {
  (void)id;
  for (int i = 0; i < MAX_COMMS; i++) {
    if (comms[i].used == 0) {
      comms[i] = (struct ncclComm){1, rank, nranks, rank % 8};
      *comm = &comms[i];
      return ncclSuccess;
    }
  }
  return ncclSystemError;
}

NCCL_API(ncclResult_t, ncclCommDestroy, ncclComm_t comm) {
  if (comm != NULL)
    comm->used = 0;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommAbort, ncclComm_t comm) {
  if (comm != NULL)
    comm->used = 0;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommUserRank, const ncclComm_t comm, int *rank) {
  *rank = comm->rank;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommCount, const ncclComm_t comm, int *count) {
  *count = comm->nranks;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommCuDevice, const ncclComm_t comm, int *device) {
  *device = comm->device;
  return ncclSuccess;
}

NCCL_API(const char *, ncclGetLastError, ncclComm_t comm) {
  (void)comm;
  return "";
}

static ncclWindow_t new_window(void) {
  intptr_t number = __atomic_add_fetch(&live_windows, 1, __ATOMIC_SEQ_CST);
  return (ncclWindow_t)(number * 4096); /* NOLINT(performance-no-int-to-ptr) */
}

NCCL_API(ncclResult_t, ncclGroupStart, void) {
  group_depth++;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclGroupEnd, void) {
  if (--group_depth > 0)
    return ncclSuccess;
  for (int i = 0; i < pending_count; i++)
    *pending[i] = new_window();
  pending_count = 0;
  return ncclSuccess;
}

#ifndef FAKE_NO_WINDOWS
NCCL_API(ncclResult_t, ncclCommWindowRegister, ncclComm_t comm, void *buff, size_t size, ncclWindow_t *win, int flags) {
  __atomic_store_n(&last_flags, flags, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&registrations, 1, __ATOMIC_SEQ_CST);
  const char *number = getenv("FAKE_NCCL_ERRNO");
  if (number != NULL)
    errno = atoi(number);
  const char *result = getenv("FAKE_NCCL_RESULT");
  if (result != NULL)
    return (ncclResult_t)atoi(result);
  if (comm == NULL || buff == NULL || size == 0 || win == NULL)
    return ncclInvalidArgument;
  *win = NULL;
  if (getenv("FAKE_NCCL_NULL_WIN") != NULL)
    return ncclSuccess;
  if (group_depth == 0)
    *win = new_window();
  else if (pending_count < MAX_PENDING)
    pending[pending_count++] = win;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommWindowDeregister, ncclComm_t comm, ncclWindow_t win) {
  (void)win;
  __atomic_add_fetch(&deregistrations, 1, __ATOMIC_SEQ_CST);
  const char *number = getenv("FAKE_NCCL_ERRNO");
  if (number != NULL)
    errno = atoi(number);
  return comm == NULL ? ncclInvalidArgument : ncclSuccess;
}

NCCL_API(ncclResult_t, ncclDevCommCreate, ncclComm_t comm, const ncclDevCommRequirements_t *reqs, ncclDevComm_t *out) {
  const char *number = getenv("FAKE_NCCL_ERRNO");
  if (number != NULL)
    errno = atoi(number);
  if (comm == NULL || reqs == NULL || reqs->magic != MAGIC || out == NULL)
    return ncclInvalidArgument;
  out->resource = new_window();
  return ncclSuccess;
}

#ifdef FAKE_TAIL_CALL
NCCL_API(ncclResult_t, ncclDevCommDestroy, ncclComm_t comm, const ncclDevComm_t *dev) {
  return ncclCommWindowDeregister(comm, dev->resource);
}
#else
NCCL_API(ncclResult_t, ncclDevCommDestroy, ncclComm_t comm, const ncclDevComm_t *dev) {
  ncclResult_t result = ncclCommWindowDeregister(comm, dev->resource);
  __atomic_sub_fetch(&live_windows, 1, __ATOMIC_SEQ_CST);
  return result;
}
#endif
#endif
