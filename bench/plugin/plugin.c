/* The tables NCCL looks for, and the operations in its form. */
#include <stdlib.h>

#include "bench/plugin/connection.h"
#include "bench/plugin/log.h"

enum { RECEIVES = 8, MBIT_PER_S = 100000, LEAST_PAYLOAD = 16 };

static enum rma_result init(void **ctx, uint64_t comm_id, rma_logger *logger) {
  (void)comm_id;
  (void)logger;
  struct settings settings;
  *ctx = NULL;
  if (!settings_read(&settings))
    return RMA_INVALID_ARGUMENT;
  struct instance *instance = calloc(1, sizeof *instance);
  if (!instance)
    return RMA_SYSTEM_ERROR;
  instance->settings = settings;
  *ctx = instance;
  return RMA_SUCCESS;
}

static enum rma_result finalize(void *ctx) {
  free(ctx);
  return RMA_SUCCESS;
}

static enum rma_result devices(int *count) {
  *count = 1;
  return RMA_SUCCESS;
}

static enum rma_result get_rma_properties(void *comm, struct rma_properties *properties) {
  (void)comm;
  properties->flushes_all_puts_on_any_signal = false;
  return RMA_SUCCESS;
}

static enum rma_result get_properties(int device, struct rma_net_properties *properties) {
  static char name[] = "winord-fabric";
  *properties = (struct rma_net_properties){
      .name = name,
      .guid = (uint64_t)device,
      .pointers = RMA_PTR_HOST | RMA_PTR_CUDA,
      .speed = MBIT_PER_S,
      .max_comms = 65536,
      .max_recvs = RECEIVES,
      .device_type = RMA_DEVICE_GIN_PROXY,
      .virtual_device = {.count = 1, .devices = {device}},
      .max_p2p_bytes = 1UL << 30,
      .max_coll_bytes = 1UL << 30,
      .max_multi_request = 1,
      .rail_id = -1,
      .plane_id = -1,
  };
  return RMA_SUCCESS;
}

/* Not advertised; the address is enough. */
static enum rma_result reg_dma_buf(void *comm, void *data, size_t size, int type, uint64_t offset, int fd,
                                   uint64_t flags, void **mr) {
  (void)offset;
  (void)fd;
  return region_register(comm, data, size, type, flags, mr);
}

static enum rma_result destroy_context(void *context) {
  free(context);
  return RMA_SUCCESS;
}

static bool fits(const struct region *region, uint64_t offset, uint64_t bytes) {
  return region && !__atomic_load_n(&region->retired, __ATOMIC_ACQUIRE) && bytes <= region->size &&
         offset <= region->size - bytes;
}

/* An operation of this context towards this rank; NULL: there is no such context or rank, or no memory. */
static struct op *begin(const struct context *context, int index, uint32_t rank, enum op_kind kind) {
  struct connection *connection = context->connection;
  if (index < 0 || index >= context->count || rank >= (uint32_t)connection->nranks) {
    say("rank %d: there is no context %d or no rank %u", connection->rank, index, rank);
    return NULL;
  }
  struct op *op = op_new(connection);
  if (!op)
    return NULL;
  op->kind = kind;
  op->peer = (int)rank;
  op->own = op->peer == connection->rank;
  op->context = context->base + (uint32_t)index;
  return op;
}

static enum rma_result end(struct connection *connection, struct op *op, void **request) {
  if (op->from)
    __atomic_fetch_add(&op->from->users, 1, __ATOMIC_ACQ_REL);
  *request = op;
  op_post(connection, op);
  return RMA_SUCCESS;
}

static enum rma_result outside(const struct connection *connection) {
  say("rank %d: an operation would go outside of what is registered", connection->rank);
  return RMA_INVALID_ARGUMENT;
}

/* Without data both regions may be NULL. */
static enum rma_result put(struct context *context, struct op *op, uint64_t from_offset, struct region *from,
                           size_t size, uint64_t to_offset, const struct region *to, void **request) {
  if (size) {
    op->from = from;
    op->from_offset = from_offset;
    op->size = size;
    op->to = to->number;
    op->to_offset = to_offset;
    op->payload = from->cuda || size >= LEAST_PAYLOAD;
  }
  if (op->own)
    op->undelivered = size + op->has_signal;
  return end(context->connection, op, request);
}

static enum rma_result iput(void *context, int index, uint64_t from_offset, void *from, size_t size, uint64_t to_offset,
                            void *to, uint32_t rank, uint32_t options, void **request) {
  struct context *of = context;
  (void)options;
  *request = NULL;
  if (size && (!fits(from, from_offset, size) || !fits(to, to_offset, size)))
    return outside(of->connection);
  struct op *op = begin(of, index, rank, OP_PUT);
  return op ? put(of, op, from_offset, from, size, to_offset, to, request) : RMA_INVALID_ARGUMENT;
}

static enum rma_result iput_signal(void *context, int index, uint64_t from_offset, void *from, size_t size,
                                   uint64_t to_offset, void *to, uint32_t rank, uint64_t signal_offset, void *signal,
                                   uint64_t value, uint32_t signal_op, bool strong, uint32_t options, void **request) {
  struct context *of = context;
  const struct region *region = signal;
  (void)options;
  *request = NULL;
  if ((size && (!fits(from, from_offset, size) || !fits(to, to_offset, size))) ||
      !fits(region, signal_offset, sizeof(uint64_t)) || signal_offset % sizeof(uint64_t))
    return outside(of->connection);
  if (signal_op != RMA_SIGNAL_INC && signal_op != RMA_SIGNAL_ADD)
    return RMA_INVALID_ARGUMENT;
  struct op *op = begin(of, index, rank, OP_PUT);
  if (!op)
    return RMA_INVALID_ARGUMENT;
  op->has_signal = true;
  op->strong = strong;
  op->signal = region->number;
  op->signal_offset = signal_offset;
  op->add = signal_op == RMA_SIGNAL_INC ? 1 : value;
  return put(of, op, from_offset, from, size, to_offset, to, request);
}

static enum rma_result iget(void *context, int index, uint64_t remote_offset, void *remote, size_t size,
                            uint64_t local_offset, void *local, uint32_t rank, uint32_t options, void **request) {
  struct context *of = context;
  (void)options;
  *request = NULL;
  if (!fits(remote, remote_offset, size) || !fits(local, local_offset, size))
    return outside(of->connection);
  struct op *op = begin(of, index, rank, OP_GET);
  if (!op)
    return RMA_INVALID_ARGUMENT;
  op->from = local;
  op->from_offset = local_offset;
  op->size = op->undelivered = size;
  op->to = ((const struct region *)remote)->number;
  op->to_offset = remote_offset;
  return end(of->connection, op, request);
}

static enum rma_result iflush(void *context, int index, void *mr, uint32_t rank, void **request) {
  struct context *of = context;
  (void)mr;
  *request = NULL;
  struct op *op = begin(of, index, rank, OP_FLUSH);
  return op ? end(of->connection, op, request) : RMA_INVALID_ARGUMENT;
}

static enum rma_result test(void *comm, void *request, int *done) {
  *done = !request || op_test(comm, request);
  return RMA_SUCCESS;
}

static enum rma_result query_last_error(void *context, bool *error) {
  const struct context *of = context;
  *error = __atomic_load_n(&of->connection->failed, __ATOMIC_ACQUIRE);
  return RMA_SUCCESS;
}

static enum rma_result iput_14(void *context, int index, uint64_t from_offset, void *from, size_t size,
                               uint64_t to_offset, void *to, uint32_t rank, void **request) {
  return iput(context, index, from_offset, from, size, to_offset, to, rank, 0, request);
}

static enum rma_result iget_14(void *context, int index, uint64_t remote_offset, void *remote, size_t size,
                               uint64_t local_offset, void *local, uint32_t rank, void **request) {
  return iget(context, index, remote_offset, remote, size, local_offset, local, rank, 0, request);
}

static enum rma_result iput_signal_14(void *context, int index, uint64_t from_offset, void *from, size_t size,
                                      uint64_t to_offset, void *to, uint32_t rank, uint64_t signal_offset, void *signal,
                                      uint64_t value, uint32_t signal_op, bool strong, void **request) {
  return iput_signal(context, index, from_offset, from, size, to_offset, to, rank, signal_offset, signal, value,
                     signal_op, strong, 0, request);
}

#define PLUGIN_NAME "winord-fabric"

/* NCCL's progress threads need not call us: the connection has its own. */
const struct rma_table_14 ncclRmaPlugin_v14 = {
    .name = PLUGIN_NAME,
    .init = init,
    .devices = devices,
    .get_properties = get_properties,
    .listen = connection_listen,
    .connect = connection_connect,
    .create_context = connection_create_context,
    .reg = region_register,
    .reg_dma_buf = reg_dma_buf,
    .dereg = region_deregister,
    .destroy_context = destroy_context,
    .close_coll = connection_close,
    .close_listen = connection_close_listen,
    .iput = iput_14,
    .iput_signal = iput_signal_14,
    .iget = iget_14,
    .iflush = iflush,
    .test = test,
    .query_last_error = query_last_error,
    .finalize = finalize,
};

const struct rma_table_15 ncclRmaPlugin_v15 = {
    .name = PLUGIN_NAME,
    .init = init,
    .devices = devices,
    .get_properties = get_properties,
    .listen = connection_listen,
    .connect = connection_connect,
    .create_context = connection_create_context,
    .reg = region_register,
    .reg_dma_buf = reg_dma_buf,
    .dereg = region_deregister,
    .destroy_context = destroy_context,
    .close_coll = connection_close,
    .close_listen = connection_close_listen,
    .iput = iput,
    .iput_signal = iput_signal,
    .iget = iget,
    .iflush = iflush,
    .test = test,
    .query_last_error = query_last_error,
    .finalize = finalize,
};

const struct rma_table_16 ncclRmaPlugin_v16 = {
    .name = PLUGIN_NAME,
    .init = init,
    .devices = devices,
    .get_rma_properties = get_rma_properties,
    .get_properties = get_properties,
    .listen = connection_listen,
    .connect = connection_connect,
    .create_context = connection_create_context,
    .reg = region_register,
    .reg_dma_buf = reg_dma_buf,
    .dereg = region_deregister,
    .destroy_context = destroy_context,
    .close_coll = connection_close,
    .close_listen = connection_close_listen,
    .iput = iput,
    .iput_signal = iput_signal,
    .iget = iget,
    .iflush = iflush,
    .test = test,
    .query_last_error = query_last_error,
    .finalize = finalize,
};
