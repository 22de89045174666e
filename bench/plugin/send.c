/* Sources: what was posted is read, piece by piece, into the receivers' inboxes. */
#include "bench/plugin/connection.h"

static struct slot *free_slot(const struct peer *peer, int rank) {
  struct slot *slot = &peer->inbox.rings[(size_t)rank * peer->inbox.slots + peer->next_slot];
  return __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == SLOT_FREE ? slot : NULL;
}

static void take_slot(struct peer *peer, struct slot *slot) {
  __atomic_store_n(&slot->state, SLOT_FILLING, __ATOMIC_RELAXED);
  peer->next_slot = (peer->next_slot + 1) % peer->inbox.slots;
}

static void fill(struct slot *slot) { __atomic_store_n(&slot->state, SLOT_FULL, __ATOMIC_RELEASE); }

void send_queue(struct connection *connection, struct op *op) {
  struct peer *peer = &connection->peers[op->peer];
  op->next = NULL;
  *peer->last = op;
  peer->last = &op->next;
}

void send_end(struct connection *connection, struct op *op) {
  if (op->all_sent && !op->reading && !op->undelivered)
    op_finish(connection, op);
}

static void set_put(const struct op *op, struct record *record) {
  *record = (struct record){
      .kind = op->kind == OP_REPLY ? RECORD_REPLY : RECORD_PAYLOAD,
      .context = op->context,
      .weak = op->has_signal && !op->strong,
      .own = op->own,
      .payload = op->payload,
      .number = op->number,
      .mr = op->to,
      .offset = op->to_offset + op->sent,
      .op = op->kind == OP_REPLY ? op->get : (uint64_t)(uintptr_t)op,
  };
}

/* The next piece. False: no room. */
static bool send_piece(struct connection *connection, struct peer *peer, struct op *op) {
  struct slot *slot = free_slot(peer, connection->rank);
  if (!slot || (op->from->cuda && !copies_room(connection, DEVICE_READS)))
    return false;
  const uint64_t left = op->size - op->sent;
  const uint32_t bytes = left < SLOT_BYTES ? (uint32_t)left : SLOT_BYTES;
  const uint8_t *from = op->from->base + op->from_offset + op->sent;
  set_put(op, &slot->record);
  slot->record.bytes = bytes;
  slot->record.last = bytes == left;
  op->sent += bytes;
  take_slot(peer, slot);
  if (!op->from->cuda) {
    copy_words(slot->data, from, bytes);
    fill(slot);
    return true;
  }
  op->reading++;
  if (!device_read(&connection->device, DEVICE_READS, slot->data, from, bytes))
    __atomic_store_n(&connection->failed, true, __ATOMIC_RELEASE);
  return copies_add(connection, DEVICE_READS, (struct copy){.subject = op, .slot = slot});
}

static bool send_signal(struct connection *connection, struct peer *peer, struct op *op) {
  struct slot *slot = free_slot(peer, connection->rank);
  if (!slot)
    return false;
  set_put(op, &slot->record);
  slot->record.kind = RECORD_SIGNAL;
  slot->record.mr = op->signal;
  slot->record.offset = op->signal_offset;
  slot->record.add = op->add;
  slot->record.lonely = op->size == 0;
  op->has_signal = false;
  connection->counts.signals++;
  take_slot(peer, slot);
  fill(slot);
  return true;
}

static bool send_get(struct connection *connection, struct peer *peer, struct op *op) {
  struct slot *slot = free_slot(peer, connection->rank);
  if (!slot)
    return false;
  slot->record = (struct record){
      .kind = RECORD_GET,
      .context = op->context,
      .mr = op->to,
      .offset = op->to_offset,
      .op = (uint64_t)(uintptr_t)op,
      .back_mr = op->from->number,
      .back_offset = op->from_offset,
      .size = op->size,
  };
  take_slot(peer, slot);
  fill(slot);
  return true;
}

/* What a flush waits for; a put's number; faults that read the source when the program believes it read. */
static void start(struct connection *connection, struct op *op) {
  op->started = true;
  if (op->kind == OP_PUT)
    op->number = connection->peers[op->peer].puts++;
  if (op->kind == OP_FLUSH) {
    arrive_all(connection);
    op->barrier = connection->arrivals;
  }
  if (op->kind != OP_PUT || !op->payload || !op->size || op->own)
    return;
  if (strikes(connection, FAULT_EARLY_COMPLETION))
    op->not_before = now_ns() + draw_hold(connection, &connection->faults.random);
  else if (strikes(connection, FAULT_LATE_READ))
    op->not_before = now_ns() + 2 * connection->settings.hold_last_ns;
  if (op->not_before)
    op_complete(op);
}

/* The op's next step. True: it is all sent. *moved: something was. */
static bool send_op(struct connection *connection, struct peer *peer, struct op *op, bool *moved) {
  if (!op->started)
    start(connection, op);
  if (op->not_before && now_ns() < op->not_before)
    return false;
  if (op->kind == OP_GET)
    return send_get(connection, peer, op);
  if (op->kind == OP_FLUSH)
    return deliver_earliest(connection) >= op->barrier;
  while (op->sent < op->size) {
    if (!send_piece(connection, peer, op))
      return false;
    *moved = true;
  }
  return !op->has_signal || send_signal(connection, peer, op);
}

static void count(struct connection *connection, const struct op *op) {
  if (op->kind != OP_PUT)
    return;
  connection->counts.puts += op->size > 0;
  connection->counts.bytes += op->size;
}

static bool send_peer(struct connection *connection, struct peer *peer) {
  bool moved = false;
  while (peer->first) {
    struct op *op = peer->first;
    const bool ended = inbox_ended(&peer->inbox);
    if (!ended && !send_op(connection, peer, op, &moved))
      return moved;
    moved = true;
    peer->first = op->next;
    if (!peer->first)
      peer->last = &peer->first;
    count(connection, op);
    op->all_sent = true;
    if (ended)
      op->undelivered = 0;
    send_end(connection, op);
  }
  return moved;
}

bool send_all(struct connection *connection) {
  bool moved = false;
  for (int rank = 0; rank < connection->nranks; rank++)
    moved = send_peer(connection, &connection->peers[rank]) || moved;
  return moved;
}

bool send_reads_ended(struct connection *connection) {
  struct copy copy;
  bool moved = false;
  while (copies_ended(connection, DEVICE_READS, &copy)) {
    struct op *op = copy.subject;
    fill(copy.slot);
    op->reading--;
    send_end(connection, op);
    moved = true;
  }
  return moved;
}
