/* The simulated NCCL, loaded at run time: its functions come through dlsym, so that a preloaded shim decides the windows. */
#ifndef WINORD_NCCL_LIBRARY_H
#define WINORD_NCCL_LIBRARY_H

#include "bench/fabric/fabric.h"

enum { UNIQUE_ID_BYTES = 128 };

struct unique_id {
  char bytes[UNIQUE_ID_BYTES];
};

struct nccl_library {
  int (*get_unique_id)(struct unique_id *id);
  int (*comm_init_rank)(struct ncclComm **comm, int ranks, struct unique_id id, int rank);
  int (*comm_init_all)(struct ncclComm **comms, int ranks, const int *devices);
  int (*comm_destroy)(struct ncclComm *comm);
  int (*mem_alloc)(void **memory, size_t size);
  int (*mem_free)(void *memory);
  int (*window_register)(struct ncclComm *comm, void *buffer, size_t size, struct ncclWindow_vidmem **window,
                         int flags);
  int (*window_deregister)(struct ncclComm *comm, struct ncclWindow_vidmem *window);
  const char *(*last_error)(struct ncclComm *comm);
  typeof(fabricOpen) *open;
  typeof(fabricClose) *close;
  typeof(fabricNow) *now;
  typeof(fabricAt) *at;
  typeof(fabricPut) *put;
  typeof(fabricSignal) *signal;
  typeof(fabricFlush) *flush;
  typeof(fabricSignalValue) *signal_value;
  typeof(fabricWatch) *watch;
  typeof(fabricStep) *step;
  typeof(fabricWindowRelaxed) *window_relaxed;
  typeof(fabricShared) *shared;
  typeof(fabricBarrier) *barrier;
};

/*
 * Loads it: the file WINORD_SIM names, else sim/libnccl.so.2 beside the program. Once per process; later calls return the same.
 * NULL: error (512 bytes) says why.
 */
const struct nccl_library *nccl_library(char *error);

#endif
