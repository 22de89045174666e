/*
 * The part of NCCL's binary interface that the shim touches. Declared here so that the shim builds without NCCL and serves all
 * of its versions; a test holds the declarations against the real nccl.h of each.
 */
#ifndef WINORD_NCCL_H
#define WINORD_NCCL_H

#include <stddef.h>
#include <stdint.h>

/* ncclResult_t. */
enum { NCCL_SUCCESS = 0, NCCL_SYSTEM_ERROR = 2, NCCL_IN_PROGRESS = 7 };

/* The functions we wrap, and the bound of their number. */
enum nccl_function { WINDOW_REGISTER, WINDOW_DEREGISTER, DEVCOMM_CREATE, COMM_DESTROY, COMM_ABORT, NCCL_FUNCTIONS };

/* "pncclX", NCCL's own second name for each: an object that defines it is a copy of NCCL, not another interposer. */
enum { NCCL_NAME_SIZE = 28 };
extern const char pnccl_names[NCCL_FUNCTIONS][NCCL_NAME_SIZE];

/* "ncclX". */
static inline const char *nccl_name(enum nccl_function function) { return pnccl_names[function] + 1; }

int ncclCommWindowRegister(void *comm, void *buffer, size_t size, void **window, int flags);
int ncclCommWindowDeregister(void *comm, void *window);
int ncclDevCommCreate(void *comm, const void *requirements, void *devcomm);
int ncclCommDestroy(void *comm);
int ncclCommAbort(void *comm);

typedef int register_function(void *comm, void *buffer, size_t size, void **window, int flags);
typedef int deregister_function(void *comm, void *window);
typedef int devcomm_function(void *comm, const void *requirements, void *devcomm);
typedef int comm_function(void *comm);
typedef int version_function(int *version);
typedef int comm_number_function(void *comm, int *number);

/* ncclDevCommRequirements from NCCL 2.29.7 on, as far as we read it. Source: nccl_device/core.h, host.h. */
struct devcomm_requirements {
  size_t size;
  unsigned magic; /* DEVCOMM_MAGIC; older layouts have a pointer here */
  unsigned version;
  void *resources, *teams;
  _Bool lsa_multimem;
  int barriers, lsa_barriers, rail_gin_barriers, lsa_ll_a2a_blocks, lsa_ll_a2a_slots;
  _Bool gin_force_enable; /* NCCL takes it as a full connection */
  int gin_contexts, gin_signals, gin_counters;
  int gin_connection_type; /* enum gin_connection */
};
enum { DEVCOMM_MAGIC = (int)0xcafebeef, DEVCOMM_VERSION_MIN = 22907 };

#endif
