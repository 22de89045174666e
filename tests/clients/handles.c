/*
 * An interposer that hands out communicators and windows of its own, small numbers, as NCCL's checkpoint shim does: NCCL would
 * follow them as pointers. It passes on by RTLD_NEXT.
 */
#define _GNU_SOURCE
#include "fakenccl.h"

#include <dlfcn.h>
#include <stdint.h>

enum { HANDLES = 8 };

static ncclComm_t comms[HANDLES];
static ncclWindow_t windows[HANDLES];
static int comm_count, window_count;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

static ncclComm_t real_comm(ncclComm_t comm) { return (uintptr_t)comm < HANDLES ? comms[(uintptr_t)comm] : comm; }

static ncclWindow_t real_window(ncclWindow_t win) { return (uintptr_t)win < HANDLES ? windows[(uintptr_t)win] : win; }

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank) {
  ncclResult_t (*real)(ncclComm_t *, int, ncclUniqueId, int) = NULL;
  *(void **)&real = next(__func__);
  *comm = (ncclComm_t)(intptr_t)++comm_count; /* NOLINT(performance-no-int-to-ptr) */
  return real(&comms[comm_count], nranks, id, rank);
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buff, size_t size, ncclWindow_t *win, int flags) {
  ncclResult_t (*real)(ncclComm_t, void *, size_t, ncclWindow_t *, int) = NULL;
  *(void **)&real = next(__func__);
  *win = (ncclWindow_t)(intptr_t)++window_count; /* NOLINT(performance-no-int-to-ptr) */
  return real(real_comm(comm), buff, size, &windows[window_count], flags);
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t win) {
  ncclResult_t (*real)(ncclComm_t, ncclWindow_t) = NULL;
  *(void **)&real = next(__func__);
  return real(real_comm(comm), real_window(win));
}

ncclResult_t ncclDevCommCreate(ncclComm_t comm, const ncclDevCommRequirements_t *reqs, ncclDevComm_t *out) {
  ncclResult_t (*real)(ncclComm_t, const ncclDevCommRequirements_t *, ncclDevComm_t *) = NULL;
  *(void **)&real = next(__func__);
  return real(real_comm(comm), reqs, out);
}

static ncclResult_t number(const char *name, ncclComm_t comm, int *value) {
  ncclResult_t (*real)(ncclComm_t, int *) = NULL;
  *(void **)&real = next(name);
  return real(real_comm(comm), value);
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) { return number(__func__, comm, rank); }

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) { return number(__func__, comm, count); }

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) { return number(__func__, comm, device); }

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  ncclResult_t (*real)(ncclComm_t) = NULL;
  *(void **)&real = next(__func__);
  return real(real_comm(comm));
}
