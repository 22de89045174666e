/* The receiver's memory: the processor's stores, or copies into a device. */
#include "bench/plugin/connection.h"

enum { LINE = 128, HALF = LINE / 2, WORD = sizeof(uint64_t), CUT_BYTES = 64, COUNTER_BITS = 10 };

static void broken(struct connection *connection, bool fine) {
  if (!fine)
    __atomic_store_n(&connection->failed, true, __ATOMIC_RELEASE);
}

static void put_bytes(struct connection *connection, const struct transfer *transfer, size_t first, size_t end) {
  const struct record *record = &transfer->slot->record;
  uint8_t *to = transfer->region->base + record->offset + transfer->shift + first;
  const uint8_t *from = transfer->slot->data + first;
  if (first >= end)
    return;
  if (transfer->region->cuda)
    broken(connection, device_write(&connection->device, to, from, end - first));
  else
    copy_words(to, from, end - first);
}

/* Where the first whole line begins, and how many there are. */
static size_t lines_of(const struct transfer *transfer, size_t *first) {
  const struct record *record = &transfer->slot->record;
  *first = -((uintptr_t)transfer->region->base + record->offset) & (LINE - 1);
  return record->bytes > *first ? (record->bytes - *first) / LINE : 0;
}

static void put_halves(struct connection *connection, const struct transfer *transfer, size_t first, size_t lines) {
  const struct record *record = &transfer->slot->record;
  if (transfer->region->cuda) {
    uint8_t *to = transfer->region->base + record->offset + first;
    broken(connection, device_write_halves(&connection->device, to, transfer->slot->data + first, lines));
    return;
  }
  for (size_t line = 0; line < lines; line++)
    put_bytes(connection, transfer, first + line * LINE, first + line * LINE + HALF);
}

/* A fault: the second half of each line is to follow, and nobody waits for it. */
static bool split(struct connection *connection, struct transfer *transfer) {
  size_t first;
  const size_t lines = lines_of(transfer, &first);
  if (!transfer->slot->record.payload || !lines || !strikes(connection, FAULT_HALF_LINES))
    return false;
  put_bytes(connection, transfer, 0, first);
  put_halves(connection, transfer, first, lines);
  put_bytes(connection, transfer, first + lines * LINE, transfer->slot->record.bytes);
  transfer->half = transfer->escaped = true;
  transfer->release = now_ns() + draw_hold(connection, &connection->faults.random);
  return true;
}

static void put_payload(struct connection *connection, struct transfer *transfer) {
  const size_t bytes = transfer->slot->record.bytes;
  const size_t cut = bytes / 2 / CUT_BYTES * CUT_BYTES;
  size_t first;
  const size_t lines = lines_of(transfer, &first);
  if (transfer->half)
    put_halves(connection, transfer, first + HALF, lines);
  else if (transfer->cut)
    put_bytes(connection, transfer, 0, cut);
  if (transfer->cut)
    put_bytes(connection, transfer, cut + CUT_BYTES, bytes);
  else if (!transfer->half && !transfer->lost)
    put_bytes(connection, transfer, 0, bytes);
}

/* After a device's copies their end is waited for. */
static void issued(struct connection *connection, struct transfer *transfer) {
  transfer->phase = PHASE_DONE;
  if (!transfer->region->cuda)
    return;
  transfer->phase = PHASE_ISSUED;
  copies_add(connection, DEVICE_WRITES, (struct copy){.subject = transfer});
}

static bool write_payload(struct connection *connection, struct transfer *transfer) {
  if (!transfer->half && !transfer->lost && !transfer->cut && split(connection, transfer))
    return true;
  put_payload(connection, transfer);
  issued(connection, transfer);
  return true;
}

/* What the word becomes. */
static uint64_t sum(const struct transfer *transfer, uint64_t old) {
  const uint64_t add = transfer->slot->record.add;
  const uint64_t value = old + (transfer->twice ? 2 * add : add);
  const uint64_t mask = transfer->narrow ? (1U << COUNTER_BITS) - 1 : UINT64_MAX;
  return transfer->reset ? 0 : value & mask;
}

/* Where the slot keeps the word: as it was, and as it is to be. */
static uint64_t *old_word(const struct transfer *transfer) { return (uint64_t *)transfer->slot->data; }

static uint8_t *word_of(const struct transfer *transfer) {
  return transfer->region->base + transfer->slot->record.offset;
}

/* Whether we know what the word is, since nobody else writes it. */
static bool recall(const struct transfer *transfer) {
  const size_t word = transfer->slot->record.offset / WORD;
  if (!transfer->region->known || !transfer->region->known[word])
    return false;
  *old_word(transfer) = transfer->region->words[word];
  return true;
}

static void remember(const struct transfer *transfer, uint64_t value) {
  const size_t word = transfer->slot->record.offset / WORD;
  if (!transfer->region->known)
    return;
  transfer->region->known[word] = 1;
  transfer->region->words[word] = value;
}

/* The NIC's unit is free again: the next copy that fetches a word comes after this one in the stream. */
static void write_word(struct connection *connection, struct transfer *transfer) {
  uint64_t *word = old_word(transfer);
  word[1] = sum(transfer, word[0]);
  remember(transfer, word[1]);
  broken(connection, device_write(&connection->device, word_of(transfer), &word[1], WORD));
  connection->rmw = NULL;
  issued(connection, transfer);
}

/* Exact with whoever else adds. */
static void add_to_word(struct connection *connection, struct transfer *transfer) {
  uint64_t *word = (uint64_t *)word_of(transfer);
  uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, sum(transfer, old), false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
  connection->rmw = NULL;
  transfer->phase = PHASE_DONE;
}

/* The word is known at the NIC: an AtomicOp has it done at once, a read has its write wait for its turn. */
static void known(struct connection *connection, struct transfer *transfer) {
  transfer->phase = PHASE_WAITING;
  if (transfer->step + 1 < transfer->step_count)
    transfer->step++;
  else if (transfer->region->cuda)
    write_word(connection, transfer);
  else
    add_to_word(connection, transfer);
}

void write_fetched(struct connection *connection, struct transfer *transfer) { known(connection, transfer); }

static bool write_signal(struct connection *connection, struct transfer *transfer) {
  if (connection->rmw && connection->rmw != transfer)
    return false;
  if (connection->rmw == transfer || !transfer->region->cuda || recall(transfer)) {
    connection->rmw = transfer;
    known(connection, transfer);
    return true;
  }
  connection->rmw = transfer;
  transfer->phase = PHASE_FETCHING;
  broken(connection, device_read(&connection->device, DEVICE_WRITES, old_word(transfer), word_of(transfer), WORD));
  copies_add(connection, DEVICE_WRITES, (struct copy){.subject = transfer});
  return true;
}

/* Sends back what was asked for; the region goes with it. */
static bool answer_get(struct connection *connection, struct transfer *transfer, int source) {
  const struct record *record = &transfer->slot->record;
  struct op *op = op_new(connection);
  if (!op)
    return false;
  op->kind = OP_REPLY;
  op->tested = true;
  op->peer = source;
  op->from = transfer->region;
  op->from_offset = record->offset;
  op->size = record->size;
  op->to = record->back_mr;
  op->to_offset = record->back_offset;
  op->get = record->op;
  transfer->region = NULL;
  transfer->phase = PHASE_DONE;
  send_queue(connection, op);
  return true;
}

bool write_transfer(struct connection *connection, struct transfer *transfer, int source) {
  if (transfer->slot->record.kind == RECORD_GET)
    return answer_get(connection, transfer, source);
  if (transfer->region->cuda && !copies_room(connection, DEVICE_WRITES))
    return false;
  if (transfer->slot->record.kind == RECORD_SIGNAL)
    return write_signal(connection, transfer);
  return write_payload(connection, transfer);
}
