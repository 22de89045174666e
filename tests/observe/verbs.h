/* The part of the verbs API that these tests use. Source: rdma-core, <infiniband/verbs.h>. */
#ifndef OBSERVE_VERBS_H
#define OBSERVE_VERBS_H

#include <stddef.h>
#include <stdint.h>

enum { LOCAL_WRITE = 1, REMOTE_WRITE = 2, REMOTE_READ = 4, REMOTE_ATOMIC = 8, RELAXED_ORDERING = 1 << 20 };

struct ibv_device;
struct ibv_context;
struct ibv_pd;
struct ibv_mr;

typedef struct ibv_device **get_device_list_function(int *count);
typedef void free_device_list_function(struct ibv_device **list);
typedef struct ibv_context *open_device_function(struct ibv_device *device);
typedef struct ibv_pd *alloc_pd_function(struct ibv_context *context);
typedef struct ibv_mr *reg_mr_function(struct ibv_pd *pd, void *address, size_t length, int access);
typedef struct ibv_mr *reg_mr_iova_function(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, int access);
typedef struct ibv_mr *reg_mr_iova2_function(struct ibv_pd *pd, void *address, size_t length, uint64_t iova,
                                             unsigned access);
typedef struct ibv_mr *reg_dmabuf_mr_function(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd,
                                              int access);
typedef int dereg_mr_function(struct ibv_mr *mr);

get_device_list_function ibv_get_device_list;
free_device_list_function ibv_free_device_list;
open_device_function ibv_open_device;
alloc_pd_function ibv_alloc_pd;
reg_mr_function ibv_reg_mr;
reg_mr_iova_function ibv_reg_mr_iova;
reg_mr_iova2_function ibv_reg_mr_iova2;
reg_dmabuf_mr_function ibv_reg_dmabuf_mr;
dereg_mr_function ibv_dereg_mr;

/* What the stand-in tells: a registration's access flags, and how many there are. */
unsigned stub_access(const struct ibv_mr *mr);
int stub_live(void);

#endif
