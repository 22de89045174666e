/* The sending NICs: what is posted, its reading from source memory, and the network. */
#include <string.h>

#include "bench/fabric/host.h"

enum { SHIFT = 8, BACKLOG_NS = 2000 };

static void send_next(void *user);

static bool is_acknowledged(const struct op *op) {
  return op->acked || (op->acked_at && op->acked_at <= op->queue->fabric->engine.now);
}

static bool take_head_off(struct send_queue *queue) {
  struct op *op = queue->first;
  if (!op || !is_acknowledged(op))
    return false;
  const bool flush = op->kind == OP_FLUSH;
  fabric_actor *actor = op->actor;
  void *user = op->user;
  queue->first = op->next;
  queue->flushes -= flush;
  op->off = true;
  if (op->sent)
    pool_give(&queue->fabric->ops, op);
  if (flush && actor)
    actor(user);
  return true;
}

static void settle(void *user) {
  while (take_head_off(user))
    ;
}

static void acknowledge(void *user) {
  struct op *op = user;
  struct send_queue *queue = op->queue;
  op->acked = true;
  if (op->actor)
    op->actor(op->user);
  settle(queue);
}

/* An event only where somebody waits for it. */
void op_acknowledge_at(struct op *op, uint64_t time) {
  if (!op)
    return;
  if (op->actor || op->queue->flushes)
    host_at(op->queue->fabric, time, acknowledge, op);
  else
    op->acked_at = time;
}

/* Somebody waits now for all that is on the queue. */
static void await_all(struct send_queue *queue) {
  struct fabric *fabric = queue->fabric;
  for (struct op *op = queue->first; op; op = op->next)
    if (op->acked_at > fabric->engine.now) {
      host_at(fabric, op->acked_at, acknowledge, op);
      op->acked_at = 0;
    }
}

/* Actors are not called here: a flush stays, and what is behind it. */
static void append(struct send_queue *queue, struct op *op) {
  while (queue->first && queue->first->kind != OP_FLUSH && take_head_off(queue))
    ;
  if (queue->first)
    queue->last->next = op;
  else
    queue->first = op;
  queue->last = op;
}

/* Nothing of it is sent: it only waits for its turn. */
static void post_flush(struct send_queue *queue, struct op *op) {
  struct fabric *fabric = queue->fabric;
  await_all(queue);
  append(queue, op);
  queue->flushes++;
  op->sent = op->acked = true;
  host_at(fabric, fabric->engine.now + fabric->link_ns, settle, queue);
}

static uint64_t first_read(const struct op *op) { return (op->kind == OP_PUT ? READ_NS : 0) + op->delay; }

void queue_post(struct send_queue *queue, struct op *op) {
  struct fabric *fabric = queue->fabric;
  if (op->kind == OP_FLUSH) {
    post_flush(queue, op);
    return;
  }
  append(queue, op);
  if (queue->sending) {
    queue->last_unsent->unsent = op;
  } else {
    queue->sending = op;
    host_at(fabric, fabric->engine.now + fabric->link_ns + first_read(op), send_next, queue);
  }
  queue->last_unsent = op;
}

/* In the network packets of a queue keep their order, except before an op that goes alone. */
static uint64_t arrival(struct op *op) {
  struct send_queue *queue = op->queue;
  const uint64_t *behind = op->alone ? &op->arrived : &queue->arrived;
  uint64_t time = host_arrival(queue->fabric);
  time = time > *behind ? time : *behind;
  op->arrived = time;
  queue->arrived = time > queue->arrived ? time : queue->arrived;
  return time;
}

/* Who gets the acknowledgement that the last packet brings. */
static struct op *waiting(struct op *op) { return op->early ? NULL : op; }

static void misplace(struct packet *packet, const struct op *op) {
  const struct ncclWindow_vidmem *window = op->window;
  const size_t offset = op->offset + op->done;
  if (offset + packet->bytes + SHIFT <= window->size)
    packet->to += SHIFT;
  else if (offset >= SHIFT)
    packet->to -= SHIFT;
}

static void spoil(struct fabric *fabric, struct packet *packet, const struct op *op) {
  if (fault_strikes(&fabric->faults, FAULT_WRONG_OFFSET))
    misplace(packet, op);
  packet->escape = op->escape;
  if (op->dropped || fault_strikes(&fabric->faults, FAULT_PAYLOAD_LOST))
    packet->lost = true;
  if (fabric->latest_payload) {
    if (fault_strikes(&fabric->faults, FAULT_FOREIGN_PAYLOAD))
      memcpy(packet->data, fabric->latest_payload, packet->bytes);
    memcpy(fabric->latest_payload, op->from + op->done, packet->bytes);
  }
}

/* A TLP's worth of the payload, up to a boundary of its size. */
static void send_packet(struct fabric *fabric, struct op *op) {
  uint8_t *to = (uint8_t *)op->window->base + op->offset + op->done;
  const size_t room = fabric->tlp_bytes - ((uintptr_t)to & (fabric->tlp_bytes - 1));
  const size_t bytes = op->bytes - op->done < room ? op->bytes - op->done : room;
  const bool last = op->done + bytes == op->bytes;
  struct packet *packet = pool_take(&fabric->packets);
  if (!packet) {
    fabric->failed = true;
    return;
  }
  *packet = (struct packet){.fabric = fabric, .to = to, .bytes = (uint32_t)bytes};
  packet->relaxed = window_relaxed(op->window);
  packet->last_of = last && !op->has_signal ? waiting(op) : NULL;
  memcpy(packet->data, op->from + op->done, bytes);
  if (fabric->faults.planted != FAULT_NONE)
    spoil(fabric, packet, op);
  op->done += bytes;
  host_at(fabric, arrival(op), packet_arrives, packet);
}

static void send_signal(struct fabric *fabric, struct op *op) {
  struct arriving *signal = pool_take(&fabric->signals);
  if (!signal) {
    fabric->failed = true;
    return;
  }
  *signal = (struct arriving){.fabric = fabric, .op = waiting(op), .target = op->target};
  host_at(fabric, arrival(op), signal_arrives, signal);
}

static void finish_sending(struct send_queue *queue, struct op *op) {
  struct fabric *fabric = queue->fabric;
  queue->sending = op->unsent;
  op->sent = true;
  if (op->off)
    pool_give(&fabric->ops, op);
  if (queue->sending)
    host_at(fabric, fabric->engine.now + fabric->link_ns + queue->sending->delay, send_next, queue);
}

/* Whether the receiver's path is so far behind that its NIC stops the senders; then the queue goes on later. */
static bool stopped(struct send_queue *queue) {
  struct fabric *fabric = queue->fabric;
  const uint64_t free = fabric->ingress[0].free;
  if (free <= fabric->engine.now + BACKLOG_NS)
    return false;
  host_at(fabric, free - BACKLOG_NS, send_next, queue);
  return true;
}

/* A step of the op that is being sent: the next TLP's worth of it; with the last of it, its signal. */
static void send_next(void *user) {
  struct send_queue *queue = user;
  struct fabric *fabric = queue->fabric;
  struct op *op = queue->sending;
  if (stopped(queue))
    return;
  if (op->done < op->bytes)
    send_packet(fabric, op);
  if (op->done < op->bytes && !fabric->failed) {
    host_at(fabric, fabric->engine.now + fabric->link_ns, send_next, queue);
    return;
  }
  if (op->has_signal)
    send_signal(fabric, op);
  finish_sending(queue, op);
}
