/* The receiver's NIC: what has arrived becomes TLPs, in the order of each source and context. */
#include <string.h>

#include "bench/plugin/connection.h"
#include "bench/plugin/log.h"

enum { WORD = sizeof(uint64_t), ESCAPE_NS = 2000000 };

void arrive_landed(struct connection *connection, const struct record *record) {
  if (!record->own && record->kind != RECORD_REPLY)
    return;
  struct op *op = (struct op *)(uintptr_t)record->op;
  op->undelivered -= record->kind == RECORD_SIGNAL ? 1 : record->bytes;
  send_end(connection, op);
}

static uint64_t bytes_of(const struct record *record) {
  return record->kind == RECORD_SIGNAL ? WORD : record->kind == RECORD_GET ? record->size : record->bytes;
}

/* What is wrong with it; NULL: nothing. */
static const char *misfit(const struct record *record, const struct region *region) {
  const uint64_t bytes = bytes_of(record);
  if (record->kind >= RECORD_KINDS)
    return "it is nothing that we send";
  if (!region)
    return "that is not registered any more";
  if (bytes > region->size || record->offset > region->size - bytes)
    return "it would lie outside";
  if (record->bytes > SLOT_BYTES)
    return "it is longer than a slot";
  if (record->kind == RECORD_SIGNAL && (uintptr_t)(region->base + record->offset) % WORD)
    return "a signal lies at a multiple of 8 bytes";
  return NULL;
}

static void drop(struct connection *connection, struct slot *slot, const char *why) {
  if (!connection->counts.dropped++)
    say("rank %d: something for registration %llu is dropped: %s", connection->rank,
        (unsigned long long)slot->record.mr, why);
  __atomic_store_n(&connection->failed, true, __ATOMIC_RELEASE);
  arrive_landed(connection, &slot->record);
  __atomic_store_n(&slot->state, SLOT_FREE, __ATOMIC_RELEASE);
}

static void hold(struct connection *connection, struct transfer *transfer, uint64_t ns) {
  transfer->release = now_ns() + ns;
  connection->counts.held++;
}

/* Faults that let a payload come after its signal. */
static void delay_payload(struct connection *connection, struct lane *lane, struct transfer *transfer) {
  struct random *random = &connection->faults.random;
  if (strikes(connection, FAULT_TWO_PATHS)) {
    transfer->path = 1;
    hold(connection, transfer, draw_hold(connection, random));
  }
  if (strikes(connection, FAULT_OTHER_CONTEXT)) {
    lane->elsewhere = true;
    hold(connection, transfer, connection->settings.hold_last_ns);
  }
  if (strikes(connection, FAULT_BRIEF)) {
    transfer->escaped = transfer->after_signal = true;
    transfer->release = now_ns() + ESCAPE_NS;
  }
  if (strikes(connection, FAULT_RARE)) {
    transfer->escaped = true;
    hold(connection, transfer, connection->settings.hold_last_ns);
  }
}

/* Faults that write something else, or nothing. */
static void spoil_payload(struct connection *connection, struct lane *lane, struct transfer *transfer, bool first) {
  const struct record *record = &transfer->slot->record;
  const int after = WORD, before = -after;
  if (first && strikes(connection, FAULT_STALE_SLOT))
    lane->stale = record->number;
  transfer->lost = lane->stale == record->number;
  transfer->cut = strikes(connection, FAULT_PAYLOAD_LOST);
  if (strikes(connection, FAULT_WRONG_OFFSET))
    transfer->shift = record->offset + record->bytes + WORD <= transfer->region->size ? after
                      : record->offset >= WORD                                        ? before
                                                                                      : 0;
}

/* A fault: the bytes of the one before, in its place. */
static void exchange_payload(struct connection *connection, struct slot *slot) {
  uint8_t sent[SLOT_BYTES];
  if (connection->faults.planted != FAULT_FOREIGN_PAYLOAD)
    return;
  memcpy(sent, slot->data, slot->record.bytes);
  if (strikes(connection, FAULT_FOREIGN_PAYLOAD))
    memcpy(slot->data, connection->latest, slot->record.bytes);
  memcpy(connection->latest, sent, slot->record.bytes);
}

static bool draw_held(struct connection *connection) {
  return random_next(&connection->random) >> 32 < (uint64_t)(connection->settings.reorder * 0x1p32);
}

static void arrive_payload(struct connection *connection, struct lane *lane, struct transfer *transfer) {
  const struct record *record = &transfer->slot->record;
  const bool first = lane->put != record->number;
  transfer->steps[0].tlp = (struct tlp){.kind = TLP_WRITE, .relaxed = transfer->region->relaxed};
  transfer->barrier = record->own && !transfer->region->relaxed;
  lane->put = record->number;
  if (draw_held(connection))
    hold(connection, transfer, draw_hold(connection, &connection->random));
  if (!record->payload)
    return;
  lane->payload = true;
  delay_payload(connection, lane, transfer);
  spoil_payload(connection, lane, transfer, first);
  exchange_payload(connection, transfer->slot);
}

/* Faults of signals; a lonely one counts as its lane. False: it is lost. */
static bool spoil_signal(struct connection *connection, struct lane *lane, struct transfer *transfer, bool *relaxed) {
  const struct record *record = &transfer->slot->record;
  if (!(record->lonely ? lane->payload : record->payload))
    return true;
  *relaxed = *relaxed || strikes(connection, FAULT_RELAXED_SIGNAL);
  transfer->unbound = lane->elsewhere;
  lane->elsewhere = false;
  transfer->narrow = strikes(connection, FAULT_COUNTER_WRAP);
  transfer->twice = strikes(connection, FAULT_DUPLICATED_SIGNAL);
  transfer->reset = strikes(connection, FAULT_RESET_SIGNAL);
  return !strikes(connection, FAULT_DROPPED_SIGNAL);
}

static bool arrive_signal(struct connection *connection, struct lane *lane, struct transfer *transfer) {
  const struct record *record = &transfer->slot->record;
  bool relaxed = transfer->region->relaxed;
  const bool there = spoil_signal(connection, lane, transfer, &relaxed);
  transfer->put = record->lonely ? lane->put : record->number;
  transfer->step_count =
      signal_steps(connection->settings.engine, (struct tlp){.relaxed = relaxed}, 0, transfer->steps);
  return there;
}

/* False: nothing will come of it. */
static bool describe(struct connection *connection, struct lane *lane, struct transfer *transfer) {
  const struct record *record = &transfer->slot->record;
  transfer->alone = record->weak;
  transfer->put = record->number;
  transfer->step_count = 1;
  if (record->kind == RECORD_PAYLOAD)
    arrive_payload(connection, lane, transfer);
  else if (record->kind == RECORD_SIGNAL)
    return arrive_signal(connection, lane, transfer);
  else if (record->kind == RECORD_GET)
    transfer->steps[0].tlp = (struct tlp){.kind = TLP_READ};
  else
    transfer->steps[0].tlp = (struct tlp){.kind = TLP_WRITE};
  return true;
}

static void enter(struct connection *connection, int source, unsigned at, struct slot *slot, struct region *region) {
  const struct record *record = &slot->record;
  const unsigned number = record->kind == RECORD_REPLY ? REPLY_LANE : record->context % REPLY_LANE;
  struct lane *lane = &connection->lanes[(size_t)source * LANES + number];
  struct transfer *transfer = &connection->transfers[(size_t)source * connection->inbox.slots + at];
  *transfer = (struct transfer){.slot = slot, .region = region, .arrival = connection->arrivals++};
  __atomic_store_n(&slot->state, SLOT_TAKEN, __ATOMIC_RELAXED);
  if (!describe(connection, lane, transfer))
    transfer->phase = PHASE_DONE;
  *lane->last = transfer;
  lane->last = &transfer->next;
}

/* The next from this source. False: nothing, or not yet. */
static bool arrive(struct connection *connection, int source) {
  struct peer *peer = &connection->peers[source];
  struct slot *slot = &connection->inbox.rings[(size_t)source * connection->inbox.slots + peer->take];
  if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != SLOT_FULL)
    return false;
  bool later = false;
  struct region *region = region_use(connection, slot->record.mr, &later);
  if (later)
    return false;
  const char *why = misfit(&slot->record, region);
  if (why)
    region_leave(region);
  if (why)
    drop(connection, slot, why);
  else
    enter(connection, source, peer->take, slot, region);
  peer->take = (peer->take + 1) % connection->inbox.slots;
  return true;
}

/* Our own ring comes last, so that a strict put to ourselves is behind all that lay here when it was posted. */
bool arrive_all(struct connection *connection) {
  bool moved = false;
  for (int i = 1; i <= connection->nranks; i++)
    while (arrive(connection, (connection->rank + i) % connection->nranks))
      moved = true;
  return moved;
}
