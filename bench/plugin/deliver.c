/* The PCIe path: a transfer goes when those before it that it may not pass have gone. */
#include "bench/plugin/connection.h"

enum { BRIEF_NS = 700 };

/* Those before it that are not in memory: not yet written, or written and not seen to have ended. */
struct earlier {
  bool waiting[PATHS][TLP_KINDS], unsettled[PATHS][TLP_KINDS];
  bool put_waiting[TLP_KINDS], put_unsettled[TLP_KINDS]; /* of the same put */
  uint64_t put;
};

uint64_t deliver_earliest(const struct connection *connection) {
  uint64_t earliest = connection->arrivals;
  for (size_t i = 0; i < (size_t)connection->nranks * LANES; i++)
    for (const struct transfer *transfer = connection->lanes[i].first; transfer; transfer = transfer->next)
      if (transfer->phase != PHASE_DONE && transfer->arrival < earliest)
        earliest = transfer->arrival;
  return earliest;
}

static void note(struct earlier *earlier, const struct transfer *transfer) {
  if (transfer->phase == PHASE_DONE || transfer->escaped)
    return;
  const enum tlp_kind kind = transfer->steps[transfer->step].tlp.kind;
  const bool waiting = transfer->phase != PHASE_ISSUED;
  if (transfer->put != earlier->put)
    for (int i = 0; i < TLP_KINDS; i++)
      earlier->put_waiting[i] = earlier->put_unsettled[i] = false;
  earlier->put = transfer->put;
  (waiting ? earlier->waiting : earlier->unsettled)[transfer->path][kind] = true;
  (waiting ? earlier->put_waiting : earlier->put_unsettled)[kind] = true;
}

/*
 * Copies into device memory happen in the order of their stream, so there it is enough that the earlier one is written; what
 * the processor writes itself, or reads to send it back, must see the earlier one ended.
 */
static bool bound(const struct connection *connection, const struct transfer *transfer, const bool waiting[],
                  const bool unsettled[]) {
  const bool settled = !transfer->region->cuda || transfer->slot->record.kind == RECORD_GET;
  const struct tlp tlp = transfer->steps[transfer->step].tlp;
  for (int kind = 0; kind < TLP_KINDS; kind++) {
    const struct tlp ahead = {.kind = (enum tlp_kind)kind, .transaction = 1};
    if ((waiting[kind] || (settled && unsettled[kind])) && !may_pass_by(&connection->table, tlp, ahead))
      return true;
  }
  return false;
}

static bool may_go(const struct connection *connection, const struct transfer *transfer, const struct earlier *earlier,
                   uint64_t now) {
  static const bool none[TLP_KINDS];
  if (transfer->phase != PHASE_WAITING || now < transfer->release)
    return false;
  if (transfer->barrier && deliver_earliest(connection) < transfer->arrival)
    return false;
  if (transfer->unbound)
    return true;
  if (!transfer->alone)
    return !bound(connection, transfer, earlier->waiting[transfer->path], earlier->unsettled[transfer->path]);
  return !bound(connection, transfer, transfer->put == earlier->put ? earlier->put_waiting : none,
                transfer->put == earlier->put ? earlier->put_unsettled : none);
}

static void count_passed(struct connection *connection, enum tlp_kind kind, const struct earlier *earlier) {
  connection->counts.tlps++;
  for (int other = 0; other < TLP_KINDS; other++)
    for (int path = 0; path < PATHS; path++)
      connection->counts.passed[kind][other] += earlier->waiting[path][other];
}

/* What waits for the next signal only goes now that it is on its way. */
static void release_escaped(struct lane *lane) {
  struct transfer *signal = NULL;
  for (struct transfer *transfer = lane->first; transfer; transfer = transfer->next)
    if (transfer->slot->record.kind == RECORD_SIGNAL && transfer->phase >= PHASE_ISSUED)
      signal = transfer;
  for (struct transfer *transfer = lane->first; signal && transfer != signal; transfer = transfer->next)
    if (transfer->after_signal) {
      transfer->after_signal = false;
      transfer->release = now_ns() + BRIEF_NS;
    }
}

/* Takes what is done off the lane; only then its slot, and with it the transfer, may be used again. */
static void retire(struct connection *connection, struct lane *lane) {
  struct transfer **link = &lane->first;
  while (*link) {
    struct transfer *transfer = *link;
    if (transfer->phase != PHASE_DONE) {
      link = &transfer->next;
      continue;
    }
    *link = transfer->next;
    region_leave(transfer->region);
    arrive_landed(connection, &transfer->slot->record);
    __atomic_store_n(&transfer->slot->state, SLOT_FREE, __ATOMIC_RELEASE);
  }
  lane->last = link;
}

static bool deliver_lane(struct connection *connection, struct lane *lane, int source) {
  struct earlier earlier = {.put = UINT64_MAX};
  const uint64_t now = now_ns();
  bool moved = false;
  for (struct transfer *transfer = lane->first; transfer; transfer = transfer->next) {
    const enum tlp_kind kind = transfer->steps[transfer->step].tlp.kind;
    if (may_go(connection, transfer, &earlier, now) && write_transfer(connection, transfer, source)) {
      count_passed(connection, kind, &earlier);
      moved = true;
    }
    note(&earlier, transfer);
  }
  if (connection->faults.planted == FAULT_BRIEF)
    release_escaped(lane);
  retire(connection, lane);
  return moved;
}

bool deliver_all(struct connection *connection) {
  bool moved = false;
  for (int source = 0; source < connection->nranks; source++)
    for (int i = 0; i < LANES; i++) {
      struct lane *lane = &connection->lanes[(size_t)source * LANES + i];
      if (lane->first)
        moved = deliver_lane(connection, lane, source) || moved;
    }
  return moved;
}

bool deliver_writes_ended(struct connection *connection) {
  struct copy copy;
  bool moved = false;
  while (copies_ended(connection, DEVICE_WRITES, &copy)) {
    struct transfer *transfer = copy.subject;
    if (transfer->phase == PHASE_FETCHING)
      write_fetched(connection, transfer);
    else if (transfer->phase == PHASE_ISSUED)
      transfer->phase = PHASE_DONE;
    moved = true;
  }
  return moved;
}
