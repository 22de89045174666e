/*
 * Ranks on GPUs: communicators, windows and device communicators of the ranks of this process, on NCCL as it is found. Used from
 * one thread; the calls that NCCL makes collective are made by a thread for each local rank, within a time limit.
 */
#ifndef WINORD_GPU_SESSION_H
#define WINORD_GPU_SESSION_H

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "bench/stress/backend.h"
#include "bench/stress/gpu/devcomm.h"

enum { LOCAL_RANKS_MAX = 64, JOIN_S = 120 };

struct gpu_rank {
  unsigned rank;
  int device;
  cudaStream_t stream, exchange;
  ncclComm_t comm;
  void *devcomm; /* NULL: none */
  void *memory;
  ncclWindow_t window;
  void *mail; /* device memory: all ranks' */
};

struct session {
  struct world world;
  struct gpu_rank ranks[LOCAL_RANKS_MAX];
  char *mail; /* host memory: MAIL_BYTES for each rank of the world */
  struct abilities abilities; /* of the first local rank's communicator */
  bool connected, abandoned; /* abandoned: a call did not come back; nothing is to be freed */
};

/*
 * Joins the communicator the first time, then registers a window of so many bytes in each local rank and makes the device
 * communicator, windows first where WINORD_STRESS_WINDOW_FIRST is set to anything but 0. False: error, ERROR_SIZE bytes.
 */
bool session_open(struct session *session, const struct world *world, size_t bytes, int flags,
                  const struct session_wants *wants, char *error);

/* Deregisters; the communicator stays for the next open. */
void session_close(struct session *session);
void session_finish(struct session *session);

/*
 * Calls one function for each local rank, each in a thread of its own on its GPU, and waits that long for all. False: error.
 *   call   false: it failed, and wrote why to error
 */
typedef bool session_call(struct session *session, struct gpu_rank *rank, char *error);
bool session_each(struct session *session, session_call *call, const char *what, unsigned seconds, char *error);

/* Gives every rank's mail to all: an all-gather. */
bool session_meet(struct session *session, int timeout_ms, char *error);

/*
 * To be called before anything of CUDA. Kernels spin until copies are done: each stream needs a queue of its own, or a copy can
 * stand behind the kernel that waits for it; nor may anything be loaded while they spin. What the user has set stays.
 */
void session_set_up_cuda(void);

/* "NCCL 2.32.3 on NVIDIA H200": what is known before anything is opened; false: no NCCL, no GPU, or too old a one. */
bool session_describe(char *text, size_t size, char *error);

bool cuda_failed(cudaError_t result, const char *what, char *error);
bool nccl_failed(struct gpu_rank *rank, ncclResult_t result, const char *what, char *error);

#endif
