/* The calls that every client of the real NCCL makes. Without a GPU all are refused: by NCCL itself, and in its own words. */
#ifndef WINORD_TESTS_REAL_CALLS_H
#define WINORD_TESTS_REAL_CALLS_H

#include <errno.h>
#include <stdio.h>

#include "shim/nccl.h"

int ncclGetVersion(int *version);
const char *ncclGetLastError(void *comm);

struct nccl {
  version_function *version;
  register_function *window_register;
  deregister_function *window_deregister;
  devcomm_function *devcomm_create;
  comm_function *destroy, *abort;
  const char *(*last_error)(void *comm);
};

enum { ERRNO_BEFORE = 1234, SIZE = 8192 };

static void show(const struct nccl *nccl, const char *what, int result) {
  const int left = errno;
  printf("%s: result %d, errno %d, last error: %s\n", what, result, left, nccl->last_error(NULL));
  errno = ERRNO_BEFORE;
}

static inline void make_calls(const struct nccl *nccl) {
  static long long no_comm[SIZE / sizeof(long long)]; /* readable, but no communicator: the magic is missing */
  static char buffer[SIZE];
  void *window = buffer;
  int version = 0;
  errno = ERRNO_BEFORE;
  show(nccl, "register, no communicator", nccl->window_register(NULL, buffer, sizeof buffer, &window, 2));
  show(nccl, "register, bad communicator", nccl->window_register(no_comm, buffer, sizeof buffer, &window, 3));
  printf("window %s\n", window == buffer ? "untouched" : window ? "set" : "null");
  show(nccl, "deregister, no communicator", nccl->window_deregister(NULL, NULL));
  show(nccl, "deregister, bad communicator", nccl->window_deregister(no_comm, NULL));
  show(nccl, "device communicator, no communicator", nccl->devcomm_create(NULL, NULL, NULL));
  show(nccl, "device communicator, bad communicator", nccl->devcomm_create(no_comm, NULL, NULL));
  show(nccl, "destroy, no communicator", nccl->destroy(NULL));
  show(nccl, "abort, no communicator", nccl->abort(NULL));
  show(nccl, "version", nccl->version(&version));
  printf("NCCL %d\n", version);
  fflush(stdout);
}

#endif
