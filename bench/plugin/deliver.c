/* The receiver: TLPs in the order of their arrival, except where one may pass those before it. */
#include <string.h>

#include "bench/plugin/connection.h"
#include "bench/plugin/log.h"

enum { LINE = 128, HALF = LINE / 2, WORD = sizeof(uint64_t), CUT_BYTES = 64, COUNTER_BITS = 12, ESCAPE_NS = 50000 };

static struct slot *ring_slot(const struct connection *connection, int source, unsigned slot) {
  return &connection->inbox.rings[(size_t)source * connection->inbox.slots + slot];
}

static struct lane *lane_of(const struct connection *connection, int source, unsigned lane) {
  return &connection->lanes[(size_t)source * LANES + lane];
}

uint64_t deliver_earliest(const struct connection *connection) {
  uint64_t earliest = connection->arrivals;
  for (size_t i = 0; i < (size_t)connection->nranks * LANES; i++)
    for (const struct tlp *tlp = connection->lanes[i].first; tlp; tlp = tlp->next)
      earliest = tlp->arrival < earliest ? tlp->arrival : earliest;
  return earliest;
}

/* Of an own put or a get something has landed. */
static void landed(struct connection *connection, const struct record *record, uint64_t bytes) {
  struct op *op = (struct op *)(uintptr_t)record->op;
  op->undelivered -= bytes;
  send_end(connection, op);
}

static void drop(struct connection *connection, struct slot *slot, const char *why) {
  if (!connection->counts.dropped++)
    say("rank %d: what arrived for registration %llu is dropped: %s", connection->rank,
        (unsigned long long)slot->record.mr, why);
  __atomic_store_n(&connection->failed, true, __ATOMIC_RELEASE);
  __atomic_store_n(&slot->state, SLOT_FREE, __ATOMIC_RELEASE);
}

static uint64_t record_bytes(const struct record *record) {
  return record->kind == RECORD_SIGNAL ? WORD : record->kind == RECORD_GET ? record->size : record->bytes;
}

static const char *misfit(const struct record *record, const struct region *region) {
  const uint64_t bytes = record_bytes(record);
  if (!region)
    return "it is not registered any more";
  if (bytes > region->size || record->offset > region->size - bytes)
    return "it would lie outside";
  if (record->kind != RECORD_GET && record->kind != RECORD_SIGNAL && record->bytes > SLOT_BYTES)
    return "it is longer than a slot";
  if (record->kind == RECORD_SIGNAL && (uintptr_t)(region->base + record->offset) % WORD)
    return "a signal must be aligned to 8 bytes";
  return NULL;
}

static void hold(struct connection *connection, struct tlp *tlp, uint64_t ns) {
  tlp->release = now_ns() + ns;
  connection->counts.held++;
}

/* A payload that comes after its signal, or is not what was sent. */
static void spoil_payload(struct connection *connection, struct lane *lane, struct tlp *tlp) {
  const struct record *record = &tlp->slot->record;
  struct random *random = &connection->faults.random;
  const bool first = lane->put != record->number;
  lane->put = record->number;
  if (strikes(connection, FAULT_TWO_PATHS) && random_below(random, PATHS)) {
    tlp->path = 1;
    hold(connection, tlp, draw_hold(connection, random));
  }
  if (strikes(connection, FAULT_OTHER_CONTEXT)) {
    lane->elsewhere = true;
    hold(connection, tlp, connection->settings.hold_last_ns);
  }
  if (strikes(connection, FAULT_BRIEF))
    tlp->escaped = tlp->after_signal = true;
  if (strikes(connection, FAULT_RARE)) {
    tlp->escaped = true;
    hold(connection, tlp, connection->settings.hold_last_ns);
  }
  if (first && strikes(connection, FAULT_STALE_SLOT))
    lane->stale = record->number;
  tlp->lost = lane->stale == record->number;
  tlp->cut = strikes(connection, FAULT_PAYLOAD_LOST);
  if (strikes(connection, FAULT_WRONG_OFFSET))
    tlp->shift = record->offset + record->bytes + WORD <= tlp->region->size ? WORD : record->offset >= WORD ? -WORD : 0;
}

/* The bytes of the one before, in its place. */
static void exchange_payload(struct connection *connection, struct tlp *tlp) {
  uint8_t now[SLOT_BYTES];
  if (connection->faults.planted != FAULT_FOREIGN_PAYLOAD)
    return;
  const uint32_t bytes = tlp->slot->record.bytes;
  memcpy(now, tlp->slot->data, bytes);
  if (strikes(connection, FAULT_FOREIGN_PAYLOAD))
    memcpy(tlp->slot->data, connection->latest, bytes);
  memcpy(connection->latest, now, bytes);
}

static void arrive_payload(struct connection *connection, struct lane *lane, struct tlp *tlp) {
  const struct record *record = &tlp->slot->record;
  tlp->steps[0].tlp = (struct tlp_attributes_are_the_tables){0}.tlp;
  if (random_next(&connection->random) >> 32 < (uint64_t)(connection->settings.reorder * 0x1p32))
    hold(connection, tlp, draw_hold(connection, &connection->random));
  tlp->barrier = record->own && !tlp->region->relaxed;
  if (!record->payload)
    return;
  lane->payload = true;
  spoil_payload(connection, lane, tlp);
  exchange_payload(connection, tlp);
}
