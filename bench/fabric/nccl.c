/* The simulated NCCL: its public functions, each with its second name, as the real library has them. */
#include "bench/fabric/nccl.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/fabric/comm.h"
#include "bench/fabric/fabric.h"
#include "bench/fabric/group.h"

#define NCCL_API(result, name, ...)                                                                                    \
  __attribute__((visibility("default"), alias(#name))) result p##name(__VA_ARGS__);                                    \
  __attribute__((visibility("default"), weak)) result name(__VA_ARGS__)

enum { ERROR_SIZE = 512, DEVICES = 8, REQUIREMENTS_VERSION_MIN = 22907 };

static _Thread_local char error[ERROR_SIZE];

void set_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error, sizeof error, format, arguments);
  va_end(arguments);
}

const char *last_error(void) { return error; }

static ncclResult_t invalid(const char *what) {
  set_error("%s", what);
  return ncclInvalidArgument;
}

NCCL_API(ncclResult_t, ncclGetVersion, int *version) {
  if (!version)
    return invalid("ncclGetVersion: no version");
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclGetUniqueId, ncclUniqueId *id) {
  return id ? meeting_id(id) : invalid("ncclGetUniqueId: no id");
}

static ncclResult_t comm_init(ncclComm_t *comm, int nranks, const ncclUniqueId *id, int rank, int device) {
  if (!comm || nranks < 1 || nranks > MEETING_MOST || rank < 0 || rank >= nranks)
    return invalid("ncclCommInitRank: rank or number of ranks out of range");
  *comm = calloc(1, sizeof **comm);
  if (!*comm) {
    set_error("out of memory");
    return ncclSystemError;
  }
  **comm = (struct ncclComm){.rank = rank, .nranks = nranks, .device = device};
  return group_init(comm, id);
}

/* The device is the rank modulo 8: there is no CUDA to ask. */
NCCL_API(ncclResult_t, ncclCommInitRank, ncclComm_t *comm, int nranks, ncclUniqueId id, int rank) {
  return comm_init(comm, nranks, &id, rank, rank % DEVICES);
}

NCCL_API(ncclResult_t, ncclCommInitAll, ncclComm_t *comms, int ndev, const int *devlist) {
  ncclUniqueId id;
  if (!comms || ndev < 1)
    return invalid("ncclCommInitAll: no communicators");
  ncclResult_t result = meeting_id(&id);
  group_start();
  for (int i = 0; i < ndev && result == ncclSuccess; i++)
    result = comm_init(&comms[i], ndev, &id, i, devlist ? devlist[i] : i);
  const ncclResult_t end = group_end();
  return result == ncclSuccess ? end : result;
}

NCCL_API(ncclResult_t, ncclCommFinalize, ncclComm_t comm) {
  return comm ? ncclSuccess : invalid("ncclCommFinalize: no communicator");
}

static ncclResult_t comm_end(ncclComm_t comm) {
  if (!comm)
    return ncclSuccess;
  meeting_leave(&comm->meeting);
  while (comm->windows) {
    ncclWindow_t window = comm->windows;
    comm->windows = window->next;
    free(window);
  }
  free(comm);
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommDestroy, ncclComm_t comm) { return comm_end(comm); }

NCCL_API(ncclResult_t, ncclCommAbort, ncclComm_t comm) { return comm_end(comm); }

static ncclResult_t tell(int *number, const struct ncclComm *comm, size_t offset) {
  if (!comm || !number)
    return invalid("no communicator, or nowhere to put the answer");
  memcpy(number, (const char *)comm + offset, sizeof *number);
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclCommCount, const ncclComm_t comm, int *count) {
  return tell(count, comm, offsetof(struct ncclComm, nranks));
}

NCCL_API(ncclResult_t, ncclCommCuDevice, const ncclComm_t comm, int *device) {
  return tell(device, comm, offsetof(struct ncclComm, device));
}

NCCL_API(ncclResult_t, ncclCommUserRank, const ncclComm_t comm, int *rank) {
  return tell(rank, comm, offsetof(struct ncclComm, rank));
}

NCCL_API(const char *, ncclGetErrorString, ncclResult_t result) {
  static const char *const texts[ncclNumResults] = {"no error",
                                                    "unhandled cuda error",
                                                    "unhandled system error",
                                                    "internal error",
                                                    "invalid argument",
                                                    "invalid usage",
                                                    "remote process exited or there was a network error",
                                                    "NCCL operation in progress",
                                                    "timeout"};
  return (unsigned)result < ncclNumResults ? texts[result] : "unknown result code";
}

/* Of this thread. The communicator is not looked at, as in NCCL. */
NCCL_API(const char *, ncclGetLastError, ncclComm_t comm) {
  (void)comm;
  return last_error();
}

NCCL_API(ncclResult_t, ncclMemAlloc, void **ptr, size_t size) {
  if (!ptr || size == 0)
    return invalid("ncclMemAlloc: no pointer, or no size");
  if (posix_memalign(ptr, NCCL_WIN_REQUIRED_ALIGNMENT, size) != 0) {
    *ptr = NULL;
    set_error("ncclMemAlloc: out of memory for %zu bytes", size);
    return ncclUnhandledCudaError;
  }
  memset(*ptr, 0, size);
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclMemFree, void *ptr) {
  free(ptr);
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclGroupStart, void) {
  group_start();
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclGroupEnd, void) { return group_end(); }

NCCL_API(ncclResult_t, ncclCommWindowRegister, ncclComm_t comm, void *buff, size_t size, ncclWindow_t *win,
         int winFlags) {
  if (win)
    *win = NULL;
  if (!comm || !buff || size == 0 || !win)
    return invalid("ncclCommWindowRegister: no communicator, buffer, size or window");
  if ((uintptr_t)buff % NCCL_WIN_REQUIRED_ALIGNMENT != 0)
    return invalid("Window address must be suitably aligned.");
  ncclWindow_t window = malloc(sizeof *window);
  if (!window) {
    set_error("ncclCommWindowRegister: out of memory");
    return ncclSystemError;
  }
  *window =
      (struct ncclWindow_vidmem){.comm = comm, .next = comm->windows, .base = buff, .size = size, .flags = winFlags};
  comm->windows = window;
  return group_window(win, window);
}

NCCL_API(ncclResult_t, ncclCommWindowDeregister, ncclComm_t comm, ncclWindow_t win) {
  if (!comm)
    return invalid("ncclCommWindowDeregister: no communicator");
  if (!win)
    return ncclSuccess;
  ncclWindow_t *link = &comm->windows;
  while (*link && *link != win)
    link = &(*link)->next;
  if (!*link)
    return invalid("ncclCommWindowDeregister: not a window of this communicator");
  *link = win->next;
  free(win);
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclDevCommCreate, ncclComm_t comm, const ncclDevCommRequirements_t *reqs,
         ncclDevComm_t *outDevComm) {
  if (!comm || !reqs || !outDevComm)
    return invalid("ncclDevCommCreate: no communicator, requirements or device communicator");
  if (reqs->magic != (unsigned)NCCL_API_MAGIC || reqs->version < REQUIREMENTS_VERSION_MIN)
    return invalid("Cannot create device communicator: ncclDevCommRequirements_t argument must be initialized via "
                   "NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER");
  *outDevComm =
      (ncclDevComm_t){.magic = reqs->magic, .version = NCCL_VERSION_CODE, .rank = comm->rank, .nRanks = comm->nranks};
  return ncclSuccess;
}

NCCL_API(ncclResult_t, ncclDevCommDestroy, ncclComm_t comm, const ncclDevComm_t *devComm) {
  return comm && devComm ? ncclSuccess : invalid("ncclDevCommDestroy: no communicator or device communicator");
}

void *fabricShared(struct ncclComm *comm, size_t *bytes) { return meeting_memory(&comm->meeting, bytes); }

int fabricBarrier(struct ncclComm *comm, int timeout_ms) { return meeting_barrier(&comm->meeting, timeout_ms); }
