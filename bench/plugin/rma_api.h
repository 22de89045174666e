/*
 * NCCL's RMA plugin interface, versions 14 (NCCL 2.30.7), 15 and 16 (2.32.3), as far as a plugin must know it: the layouts
 * are those of NCCL's debug information. A plugin exports one table per version; NCCL takes the newest that it knows.
 */
#ifndef WINORD_RMA_API_H
#define WINORD_RMA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ncclResult_t */
enum rma_result {
  RMA_SUCCESS,
  RMA_CUDA_ERROR,
  RMA_SYSTEM_ERROR,
  RMA_INTERNAL_ERROR,
  RMA_INVALID_ARGUMENT,
  RMA_INVALID_USAGE,
  RMA_REMOTE_ERROR
};

enum { RMA_HANDLE_BYTES = 128 };
enum { RMA_PTR_HOST = 1, RMA_PTR_CUDA = 2 };
enum { RMA_MR_FORCE_SO = 1, RMA_MR_SIGNAL_NEVER_RESET = 2 };
enum { RMA_SIGNAL_INC = 1, RMA_SIGNAL_ADD = 2 };
enum { RMA_DEVICES_PER_NIC = 8 };
enum { RMA_DEVICE_GIN_PROXY = 2 }; /* without it NCCL has no GIN over this transport */

/* ncclNetProperties_v12_t */
struct rma_net_properties {
  char *name, *pci_path;
  uint64_t guid;
  int pointers; /* RMA_PTR_... */
  int reg_is_global, force_flush;
  int speed; /* Mbit/s */
  int port;
  float latency;
  int max_comms, max_recvs; /* 32 requests per peer for each of these */
  int device_type, device_version;
  struct {
    int count, devices[RMA_DEVICES_PER_NIC];
  } virtual_device;
  size_t max_p2p_bytes, max_coll_bytes;
  int max_multi_request;
  int16_t rail_id, plane_id;
};

/* ncclRmaConfig_v14_t */
struct rma_config {
  int contexts, traffic_class, rank_stride;
};

/* ncclRmaProperties_v16_t */
struct rma_properties {
  bool flushes_all_puts_on_any_signal;
};

typedef void rma_logger(int level, unsigned long flags, const char *file, int line, const char *format, ...);

typedef enum rma_result rma_init(void **ctx, uint64_t comm_id, rma_logger *logger);
typedef enum rma_result rma_devices(int *count);
typedef enum rma_result rma_get_rma_properties(void *comm, struct rma_properties *properties);
typedef enum rma_result rma_get_properties(int device, struct rma_net_properties *properties);
typedef enum rma_result rma_listen(void *ctx, int device, void *handle, void **listener);
typedef enum rma_result rma_connect(void *ctx, void *handles[], int nranks, int rank, void *listener, void **comm);
typedef enum rma_result rma_create_context(void *comm, struct rma_config *config, void **context);
typedef enum rma_result rma_reg(void *comm, void *data, size_t size, int type, uint64_t flags, void **mr);
typedef enum rma_result rma_reg_dma_buf(void *comm, void *data, size_t size, int type, uint64_t offset, int fd,
                                        uint64_t flags, void **mr);
typedef enum rma_result rma_dereg(void *comm, void *mr);
typedef enum rma_result rma_close(void *object);
typedef enum rma_result rma_iput_14(void *context, int index, uint64_t from_offset, void *from, size_t size,
                                    uint64_t to_offset, void *to, uint32_t rank, void **request);
typedef enum rma_result rma_iput(void *context, int index, uint64_t from_offset, void *from, size_t size,
                                 uint64_t to_offset, void *to, uint32_t rank, uint32_t options, void **request);
typedef enum rma_result rma_iput_signal_14(void *context, int index, uint64_t from_offset, void *from, size_t size,
                                           uint64_t to_offset, void *to, uint32_t rank, uint64_t signal_offset,
                                           void *signal, uint64_t value, uint32_t op, bool strong, void **request);
typedef enum rma_result rma_iput_signal(void *context, int index, uint64_t from_offset, void *from, size_t size,
                                        uint64_t to_offset, void *to, uint32_t rank, uint64_t signal_offset,
                                        void *signal, uint64_t value, uint32_t op, bool strong, uint32_t options,
                                        void **request);
typedef enum rma_result rma_iflush(void *context, int index, void *mr, uint32_t rank, void **request);
typedef enum rma_result rma_test(void *comm, void *request, int *done);
typedef enum rma_result rma_progress(void *context);
typedef enum rma_result rma_query_last_error(void *context, bool *error);

/* ncclRma_v14_t; iget is called with the arguments of iput, the remote side in the place of its source. */
struct rma_table_14 {
  const char *name;
  rma_init *init;
  rma_devices *devices;
  rma_get_properties *get_properties;
  rma_listen *listen;
  rma_connect *connect;
  rma_create_context *create_context;
  rma_reg *reg;
  rma_reg_dma_buf *reg_dma_buf;
  rma_dereg *dereg;
  rma_close *destroy_context, *close_coll, *close_listen;
  rma_iput_14 *iput;
  rma_iput_signal_14 *iput_signal;
  rma_iput_14 *iget;
  rma_iflush *iflush;
  rma_test *test;
  rma_progress *progress;
  rma_query_last_error *query_last_error;
  rma_close *finalize;
};

/* ncclRma_v15_t: options with each operation. */
struct rma_table_15 {
  const char *name;
  rma_init *init;
  rma_devices *devices;
  rma_get_properties *get_properties;
  rma_listen *listen;
  rma_connect *connect;
  rma_create_context *create_context;
  rma_reg *reg;
  rma_reg_dma_buf *reg_dma_buf;
  rma_dereg *dereg;
  rma_close *destroy_context, *close_coll, *close_listen;
  rma_iput *iput;
  rma_iput_signal *iput_signal;
  rma_iput *iget;
  rma_iflush *iflush;
  rma_test *test;
  rma_progress *progress;
  rma_query_last_error *query_last_error;
  rma_close *finalize;
};

/* ncclRma_v16_t: properties of a connection. */
struct rma_table_16 {
  const char *name;
  rma_init *init;
  rma_devices *devices;
  rma_get_rma_properties *get_rma_properties;
  rma_get_properties *get_properties;
  rma_listen *listen;
  rma_connect *connect;
  rma_create_context *create_context;
  rma_reg *reg;
  rma_reg_dma_buf *reg_dma_buf;
  rma_dereg *dereg;
  rma_close *destroy_context, *close_coll, *close_listen;
  rma_iput *iput;
  rma_iput_signal *iput_signal;
  rma_iput *iget;
  rma_iflush *iflush;
  rma_test *test;
  rma_progress *progress;
  rma_query_last_error *query_last_error;
  rma_close *finalize;
};

_Static_assert(sizeof(struct rma_net_properties) == 128, "as in NCCL");
_Static_assert(sizeof(struct rma_table_14) == 168 && sizeof(struct rma_table_15) == 168, "as in NCCL");
_Static_assert(sizeof(struct rma_table_16) == 176, "as in NCCL");

#endif
