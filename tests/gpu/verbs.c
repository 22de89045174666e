/*
 * libibverbs.so.1 without a NIC: devices whose queue pairs all lie in this process, so that NCCL's InfiniBand transport starts,
 * connects its ranks and registers memory. It moves what lies in host memory; of what does not, it only says that it is done.
 *   STUB_NICS    how many devices (1)
 *   STUB_TRACE   file that gets a line for each registration made and undone
 * Nothing more than NCCL asks for. Source: rdma-core, <infiniband/verbs.h>; NCCL 2.30.7, src/transport/net_ib
 * (2.32.3 asks for ibv_query_pkey, too).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#undef ibv_reg_mr
#undef ibv_query_port

enum { MAX_NICS = 4, MAX_QPS = 4096, FIRST_QP = 16, GUID = 0x77696e00 };

/* Room behind what verbs declares: libmlx5, asked whether a device is its own, looks there. */
struct device {
  struct ibv_device verbs;
  char room[512];
};

/* A list that grows at its end and shrinks at its beginning. */
struct completion {
  struct ibv_wc wc;
  struct completion *next;
};
struct cq {
  struct ibv_cq verbs;
  struct completion *first, **last;
};
struct receive {
  uint64_t id;
  struct receive *next;
};
struct arrival { /* an immediate that no receive was posted for yet */
  uint32_t immediate, length;
  struct arrival *next;
};
struct qp {
  struct ibv_qp verbs;
  uint32_t peer;
  int signal_all;
  struct receive *first, **last;
  struct arrival *arrived, **arrived_last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device devices[MAX_NICS];
static struct qp *qps[MAX_QPS];
static uint32_t qps_used, keys;

static void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void trace(const char *format, ...) {
  const char *path = getenv("STUB_TRACE");
  FILE *file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL)
    return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fclose(file);
}

struct ibv_device **ibv_get_device_list(int *count) {
  const char *nics = getenv("STUB_NICS");
  int found = nics == NULL ? 1 : atoi(nics);
  found = found < 0 ? 0 : found > MAX_NICS ? MAX_NICS : found;
  struct ibv_device **list = calloc((size_t)found + 1, sizeof *list);
  for (int i = 0; i < found; i++) {
    devices[i].verbs.node_type = IBV_NODE_CA;
    devices[i].verbs.transport_type = IBV_TRANSPORT_IB;
    snprintf(devices[i].verbs.name, sizeof devices[i].verbs.name, "stub%d", i);
    snprintf(devices[i].verbs.dev_name, sizeof devices[i].verbs.dev_name, "uverbs%d", i);
    list[i] = &devices[i].verbs;
  }
  if (count != NULL)
    *count = found;
  return list;
}

void ibv_free_device_list(struct ibv_device **list) { free(list); }
const char *ibv_get_device_name(struct ibv_device *device) { return device->name; }
int ibv_fork_init(void) { return 0; }
const char *ibv_event_type_str(enum ibv_event_type event) {
  return event == IBV_EVENT_DEVICE_FATAL ? "fatal" : "event";
}

static void copy_word(volatile uint64_t *to, const volatile uint64_t *from) { *to = *from; }

static int is_ours(const void *address, size_t length) {
  char byte[2];
  const struct iovec local = {byte, sizeof byte};
  const struct iovec remote[] = {{(void *)address, 1}, {(char *)address + length - 1, 1}};
  return length == 0 || process_vm_readv(getpid(), &local, 1, remote, 2, 0) == 2;
}

/* Word after word from the beginning: NCCL looks for the last one. */
static void move(void *to, const void *from, size_t length) {
  size_t done = 0;
  if (!is_ours(to, length) || !is_ours(from, length))
    return;
  for (; done + 8 <= length && ((uintptr_t)to | (uintptr_t)from) % 8 == 0; done += 8)
    copy_word((uint64_t *)((char *)to + done), (const uint64_t *)((const char *)from + done));
  for (; done < length; done++)
    ((volatile char *)to)[done] = ((const char *)from)[done];
}

static void complete(struct cq *cq, const struct qp *qp, uint64_t id, enum ibv_wc_opcode opcode, uint32_t length,
                     uint32_t immediate) {
  struct completion *c = calloc(1, sizeof *c);
  c->wc.wr_id = id;
  c->wc.status = IBV_WC_SUCCESS;
  c->wc.opcode = opcode;
  c->wc.byte_len = length;
  c->wc.imm_data = immediate;
  c->wc.wc_flags = opcode == IBV_WC_RECV_RDMA_WITH_IMM ? IBV_WC_WITH_IMM : 0;
  c->wc.qp_num = qp->verbs.qp_num;
  *cq->last = c;
  cq->last = &c->next;
}

static int poll_cq(struct ibv_cq *verbs, int room, struct ibv_wc *wc) {
  struct cq *cq = (struct cq *)verbs;
  int count = 0;
  pthread_mutex_lock(&lock);
  while (count < room && cq->first != NULL) {
    struct completion *c = cq->first;
    wc[count++] = c->wc;
    cq->first = c->next;
    if (cq->first == NULL)
      cq->last = &cq->first;
    free(c);
  }
  pthread_mutex_unlock(&lock);
  return count;
}

/* Gives arrived immediates to posted receives, in order. */
static void deliver(struct qp *qp) {
  while (qp->first != NULL && qp->arrived != NULL) {
    struct receive *r = qp->first;
    struct arrival *a = qp->arrived;
    complete((struct cq *)qp->verbs.recv_cq, qp, r->id, IBV_WC_RECV_RDMA_WITH_IMM, a->length, a->immediate);
    qp->first = r->next;
    qp->arrived = a->next;
    if (qp->first == NULL)
      qp->last = &qp->first;
    if (qp->arrived == NULL)
      qp->arrived_last = &qp->arrived;
    free(r);
    free(a);
  }
}

static int post_recv(struct ibv_qp *verbs, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
  struct qp *qp = (struct qp *)verbs;
  (void)bad;
  pthread_mutex_lock(&lock);
  for (; wr != NULL; wr = wr->next) {
    struct receive *r = calloc(1, sizeof *r);
    r->id = wr->wr_id;
    *qp->last = r;
    qp->last = &r->next;
  }
  deliver(qp);
  pthread_mutex_unlock(&lock);
  return 0;
}

static void arrive(struct qp *peer, uint32_t immediate, uint32_t length) {
  struct arrival *a = calloc(1, sizeof *a);
  a->immediate = immediate;
  a->length = length;
  *peer->arrived_last = a;
  peer->arrived_last = &a->next;
  deliver(peer);
}

/* The bytes of a work request, one piece after another; write: to the peer, else from it. */
static uint32_t transfer(const struct ibv_send_wr *wr, int write) {
  uint32_t done = 0;
  for (int i = 0; i < wr->num_sge; i++) {
    void *here = (void *)(uintptr_t)wr->sg_list[i].addr, *there = (void *)(uintptr_t)(wr->wr.rdma.remote_addr + done);
    if (wr->sg_list[i].length > 0)
      move(write ? there : here, write ? here : there, wr->sg_list[i].length);
    done += wr->sg_list[i].length;
  }
  return done;
}

static uint32_t fetch_and_add(const struct ibv_send_wr *wr) {
  uint64_t *there = (uint64_t *)(uintptr_t)wr->wr.atomic.remote_addr;
  if (is_ours(there, sizeof *there)) {
    const uint64_t before = __atomic_fetch_add(there, wr->wr.atomic.compare_add, __ATOMIC_SEQ_CST);
    move((void *)(uintptr_t)wr->sg_list[0].addr, &before, sizeof before);
  }
  return sizeof *there;
}

static enum ibv_wc_opcode execute(struct qp *qp, struct ibv_send_wr *wr, uint32_t *length) {
  struct qp *peer = qp->peer < MAX_QPS ? qps[qp->peer] : NULL;
  switch (wr->opcode) {
  case IBV_WR_RDMA_READ: *length = transfer(wr, 0); return IBV_WC_RDMA_READ;
  case IBV_WR_ATOMIC_FETCH_AND_ADD: *length = fetch_and_add(wr); return IBV_WC_FETCH_ADD;
  case IBV_WR_RDMA_WRITE_WITH_IMM:
    *length = transfer(wr, 1);
    if (peer != NULL)
      arrive(peer, wr->imm_data, *length);
    return IBV_WC_RDMA_WRITE;
  default: *length = transfer(wr, 1); return IBV_WC_RDMA_WRITE;
  }
}

static int post_send(struct ibv_qp *verbs, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
  struct qp *qp = (struct qp *)verbs;
  (void)bad;
  pthread_mutex_lock(&lock);
  for (; wr != NULL; wr = wr->next) {
    uint32_t length = 0;
    const enum ibv_wc_opcode opcode = execute(qp, wr, &length);
    if (qp->signal_all || wr->send_flags & IBV_SEND_SIGNALED)
      complete((struct cq *)verbs->send_cq, qp, wr->wr_id, opcode, length, 0);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

struct ibv_context *ibv_open_device(struct ibv_device *device) {
  struct ibv_context *context = calloc(1, sizeof *context);
  context->device = device;
  context->ops.poll_cq = poll_cq;
  context->ops.post_send = post_send;
  context->ops.post_recv = post_recv;
  context->cmd_fd = context->async_fd = -1;
  context->num_comp_vectors = 1;
  pthread_mutex_init(&context->mutex, NULL);
  return context;
}

int ibv_close_device(struct ibv_context *context) {
  free(context);
  return 0;
}

/* No event ever comes. */
int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event) {
  (void)context, (void)event;
  for (;;)
    pause();
}
void ibv_ack_async_event(struct ibv_async_event *event) { (void)event; }

static int number_of(const struct ibv_context *context) { return context->device->name[4] - '0'; }

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr) {
  memset(attr, 0, sizeof *attr);
  attr->node_guid = attr->sys_image_guid = htobe64((uint64_t)GUID + (uint64_t)number_of(context));
  attr->max_mr_size = UINT64_MAX;
  attr->max_qp = MAX_QPS;
  attr->max_qp_wr = attr->max_cqe = 1 << 15;
  attr->max_sge = 16;
  attr->max_cq = attr->max_mr = attr->max_pd = 1 << 16;
  attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 16;
  attr->atomic_cap = IBV_ATOMIC_HCA;
  attr->phys_port_cnt = 1;
  return 0;
}

/* Only what the older layout holds too. */
int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *compat) {
  struct ibv_port_attr *attr = (struct ibv_port_attr *)compat;
  (void)port;
  attr->state = IBV_PORT_ACTIVE;
  attr->max_mtu = attr->active_mtu = IBV_MTU_4096;
  attr->gid_tbl_len = 1;
  attr->pkey_tbl_len = 1;
  attr->max_msg_sz = 1U << 30;
  attr->lid = (uint16_t)(1 + number_of(context));
  attr->active_width = 2; /* 4x */
  attr->active_speed = 128; /* NDR */
  attr->phys_state = 5;
  attr->link_layer = IBV_LINK_LAYER_INFINIBAND;
  return 0;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid) {
  (void)port, (void)index;
  memset(gid, 0, sizeof *gid);
  gid->global.subnet_prefix = htobe64(0xfe80000000000000ULL);
  gid->global.interface_id = htobe64((uint64_t)GUID + (uint64_t)number_of(context));
  return 0;
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *key) {
  (void)context, (void)port, (void)index;
  *key = htobe16(0xffff);
  return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
  struct ibv_pd *pd = calloc(1, sizeof *pd);
  pd->context = context;
  return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd) {
  free(pd);
  return 0;
}

static struct ibv_mr *new_mr(const char *call, struct ibv_pd *pd, uint64_t address, size_t length, uint64_t iova,
                             unsigned access) {
  struct ibv_mr *mr = calloc(1, sizeof *mr);
  mr->context = pd->context;
  mr->pd = pd;
  mr->addr = (void *)(uintptr_t)address;
  mr->length = length;
  mr->lkey = mr->rkey = __atomic_add_fetch(&keys, 1, __ATOMIC_SEQ_CST);
  trace("%s %s address=0x%lx length=%zu iova=0x%lx access=0x%x %s key=%u\n", pd->context->device->name, call,
        (unsigned long)address, length, (unsigned long)iova, access,
        access & IBV_ACCESS_RELAXED_ORDERING ? "relaxed" : "strict", mr->lkey);
  return mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *address, size_t length, int access) {
  return new_mr("reg_mr", pd, (uintptr_t)address, length, (uintptr_t)address, (unsigned)access);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *address, size_t length, uint64_t iova, unsigned access) {
  return new_mr("reg_mr_iova2", pd, (uintptr_t)address, length, iova, access);
}

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access) {
  if (fd >= 0)
    return new_mr("reg_dmabuf_mr", pd, offset, length, iova, (unsigned)access);
  errno = EBADF; /* NCCL asks with -1, to hear whether dma-bufs can be registered */
  return NULL;
}

int ibv_dereg_mr(struct ibv_mr *mr) {
  trace("%s dereg_mr key=%u\n", mr->context->device->name, mr->lkey);
  free(mr);
  return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *user, struct ibv_comp_channel *channel,
                             int vector) {
  struct cq *cq = calloc(1, sizeof *cq);
  (void)vector;
  cq->verbs.context = context;
  cq->verbs.channel = channel;
  cq->verbs.cq_context = user;
  cq->verbs.cqe = cqe;
  cq->last = &cq->first;
  return &cq->verbs;
}

int ibv_destroy_cq(struct ibv_cq *verbs) {
  struct ibv_wc wc;
  while (poll_cq(verbs, 1, &wc) == 1)
    ;
  free(verbs);
  return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr) {
  struct qp *qp = NULL;
  pthread_mutex_lock(&lock);
  if (FIRST_QP + qps_used < MAX_QPS) {
    qp = calloc(1, sizeof *qp);
    qp->verbs = (struct ibv_qp){.context = pd->context,
                                .qp_context = attr->qp_context,
                                .pd = pd,
                                .send_cq = attr->send_cq,
                                .recv_cq = attr->recv_cq,
                                .qp_num = FIRST_QP + qps_used++,
                                .state = IBV_QPS_RESET,
                                .qp_type = attr->qp_type};
    qp->signal_all = attr->sq_sig_all;
    qp->last = &qp->first;
    qp->arrived_last = &qp->arrived;
    qps[qp->verbs.qp_num] = qp;
  }
  pthread_mutex_unlock(&lock);
  if (qp == NULL)
    errno = ENOMEM;
  return qp == NULL ? NULL : &qp->verbs;
}

int ibv_modify_qp(struct ibv_qp *verbs, struct ibv_qp_attr *attr, int mask) {
  struct qp *qp = (struct qp *)verbs;
  pthread_mutex_lock(&lock);
  if (mask & IBV_QP_STATE)
    verbs->state = attr->qp_state;
  if (mask & IBV_QP_DEST_QPN)
    qp->peer = attr->dest_qp_num;
  pthread_mutex_unlock(&lock);
  return 0;
}

int ibv_query_qp(struct ibv_qp *verbs, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) {
  (void)mask;
  memset(attr, 0, sizeof *attr);
  memset(init, 0, sizeof *init);
  attr->qp_state = attr->cur_qp_state = verbs->state;
  attr->dest_qp_num = ((struct qp *)verbs)->peer;
  attr->port_num = 1;
  return 0;
}

/* Numbers are not given out again, so that nothing late reaches another. */
int ibv_destroy_qp(struct ibv_qp *verbs) {
  struct qp *qp = (struct qp *)verbs;
  pthread_mutex_lock(&lock);
  qps[verbs->qp_num] = NULL;
  while (qp->first != NULL) {
    struct receive *next = qp->first->next;
    free(qp->first);
    qp->first = next;
  }
  while (qp->arrived != NULL) {
    struct arrival *next = qp->arrived->next;
    free(qp->arrived);
    qp->arrived = next;
  }
  pthread_mutex_unlock(&lock);
  free(qp);
  return 0;
}
