/* A communicator and its windows, as the simulated NCCL keeps them. */
#ifndef WINORD_COMM_H
#define WINORD_COMM_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/fabric/meeting.h"
#include "bench/fabric/nccl.h"

struct ncclWindow_vidmem {
  struct ncclComm *comm;
  struct ncclWindow_vidmem *next;
  void *base;
  size_t size;
  int flags; /* as they reached us */
};

struct ncclComm {
  int rank, nranks, device;
  struct meeting meeting; /* of its ranks */
  struct ncclWindow_vidmem *windows;
};

static inline bool window_relaxed(const struct ncclWindow_vidmem *window) {
  return (window->flags & NCCL_WIN_STRICT_ORDERING) == 0;
}

/* What ncclGetLastError tells this thread from now on. */
__attribute__((format(printf, 1, 2))) void set_error(const char *format, ...);

const char *last_error(void);

#endif
