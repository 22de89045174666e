/*
 * A stand-in for libibverbs.so.1: devices, protection domains and registrations that are only numbers.
 *   STUB_NICS         how many devices (1)
 *   STUB_DEREG_FAILS  set: ibv_dereg_mr returns EBUSY and undoes nothing
 *   STUB_OLD          (when it is compiled) as before rdma-core 28: no ibv_reg_mr_iova2, no ibv_reg_dmabuf_mr
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "verbs.h"

enum { MAX_NICS = 8 };

struct ibv_device {
  int number;
};
struct ibv_pd {
  int number;
};
struct ibv_mr {
  unsigned access;
};

static struct ibv_device devices[MAX_NICS];
static struct ibv_pd domains[MAX_NICS];
static int live;

struct ibv_device **ibv_get_device_list(int *count) {
  static struct ibv_device *list[MAX_NICS + 1];
  const char *nics = getenv("STUB_NICS");
  *count = nics == NULL ? 1 : atoi(nics);
  for (int i = 0; i < *count; i++) {
    devices[i].number = i;
    list[i] = &devices[i];
  }
  return list;
}

void ibv_free_device_list(struct ibv_device **list) { (void)list; }

struct ibv_context *ibv_open_device(struct ibv_device *device) {
  return (struct ibv_context *)device;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
  return &domains[((struct ibv_device *)context)->number];
}

static struct ibv_mr *new_mr(unsigned access) {
  struct ibv_mr *mr = malloc(sizeof *mr);
  mr->access = access;
  __atomic_add_fetch(&live, 1, __ATOMIC_SEQ_CST);
  return mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access) {
  (void)pd, (void)address, (void)length;
  return new_mr((unsigned)access);
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access) {
  (void)pd, (void)address, (void)length, (void)iova;
  return new_mr((unsigned)access);
}

#ifndef STUB_OLD
struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned access) {
  (void)pd, (void)address, (void)length, (void)iova;
  return new_mr(access);
}

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access) {
  (void)pd, (void)offset, (void)length, (void)iova;
  if (fd >= 0)
    return new_mr((unsigned)access);
  errno = EBADF;
  return NULL;
}
#endif

int ibv_dereg_mr(struct ibv_mr *mr) {
  if (getenv("STUB_DEREG_FAILS") != NULL)
    return EBUSY;
  free(mr);
  __atomic_sub_fetch(&live, 1, __ATOMIC_SEQ_CST);
  return 0;
}

unsigned stub_access(const struct ibv_mr *mr) { return mr->access; }

int stub_live(void) { return __atomic_load_n(&live, __ATOMIC_SEQ_CST); }
