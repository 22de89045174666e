#include "registrations.h"

#include <stdatomic.h>

enum { ENTRIES = 16384 };

/* The low bits of an entry's state; above them, how often it has changed. */
enum { FREE, BUSY, LIVE, PHASES = 4 };

/* Written by whoever made it BUSY. A reader copies it and looks again whether its state is the same. */
struct entry {
  _Atomic uint64_t state;
  _Atomic(const void *) mr;
  _Atomic uint64_t number; /* nth registration of the process */
  _Atomic uint64_t length;
  _Atomic uintptr_t first, last; /* first > last: unknown */
  _Atomic unsigned access;
  atomic_bool by_call;
};

/* A copy of one. */
struct registration {
  uint64_t number, length;
  uintptr_t first, last;
  bool relaxed, by_call;
};

static struct entry entries[ENTRIES];
static atomic_uint used; /* entries beyond have never been */
static _Atomic uint64_t made;
static atomic_bool overflow;

/* Moves an entry on from one phase, for this thread alone. */
static bool move(struct entry *entry, unsigned from, unsigned to) {
  uint64_t state = atomic_load(&entry->state);
  return state % PHASES == from &&
         atomic_compare_exchange_strong(&entry->state, &state, (state / PHASES + 1) * PHASES + to);
}

static void set(struct entry *entry, unsigned phase) { atomic_fetch_add(&entry->state, PHASES + phase - BUSY); }

static void widen_to(unsigned count) {
  unsigned seen = atomic_load(&used);
  while (seen < count && !atomic_compare_exchange_weak(&used, &seen, count))
    ;
}

static struct entry *free_entry(void) {
  for (unsigned i = 0; i < ENTRIES; i++)
    if (move(&entries[i], FREE, BUSY)) {
      widen_to(i + 1);
      return &entries[i];
    }
  return NULL;
}

static void place(struct entry *entry, uintptr_t first, uintptr_t last) {
  atomic_store(&entry->first, first);
  atomic_store(&entry->last, last);
}

void registration_add(const void *mr, uintptr_t address, size_t length, unsigned access) {
  const uintptr_t last = address + (length ? length - 1 : 0);
  if (!mr)
    return;
  struct entry *entry = free_entry();
  const uint64_t number = atomic_fetch_add(&made, 1) + 1;
  if (!entry) {
    atomic_store(&overflow, true);
    return;
  }
  atomic_store(&entry->mr, mr);
  atomic_store(&entry->number, number);
  atomic_store(&entry->length, length);
  atomic_store(&entry->access, access);
  atomic_store(&entry->by_call, false);
  if (address)
    place(entry, address, last < address ? UINTPTR_MAX : last);
  else
    place(entry, 1, 0);
  set(entry, LIVE);
}

struct entry *registration_take(const void *mr) {
  const unsigned count = atomic_load(&used);
  for (unsigned i = 0; i < count; i++)
    if (atomic_load(&entries[i].mr) == mr && move(&entries[i], LIVE, BUSY))
      return &entries[i];
  return NULL;
}

void registration_keep(struct entry *entry) {
  if (entry)
    set(entry, LIVE);
}

void registration_drop(struct entry *entry) {
  if (!entry)
    return;
  atomic_store(&entry->mr, NULL);
  set(entry, FREE);
}

static bool copy(unsigned i, struct registration *copied) {
  struct entry *entry = &entries[i];
  const uint64_t state = atomic_load(&entry->state);
  if (state % PHASES != LIVE)
    return false;
  *copied = (struct registration){.number = atomic_load(&entry->number),
                                  .length = atomic_load(&entry->length),
                                  .first = atomic_load(&entry->first),
                                  .last = atomic_load(&entry->last),
                                  .relaxed = atomic_load(&entry->access) & ACCESS_RELAXED_ORDERING,
                                  .by_call = atomic_load(&entry->by_call)};
  return atomic_load(&entry->state) == state;
}

static bool placed(const struct registration *r) { return r->first <= r->last; }

static bool may_be_of(const struct registration *r, const struct registrations_question *q) {
  return !placed(r) && r->number > q->since && r->length > q->last - q->first;
}

/* What the window's call made without an address gets the window's. */
static void place_by_call(const struct registrations_question *q, unsigned count) {
  struct registration r;
  for (unsigned i = 0; i < count; i++)
    if (copy(i, &r) && may_be_of(&r, q) && r.number <= q->until && move(&entries[i], LIVE, BUSY)) {
      if (atomic_load(&entries[i].number) == r.number) {
        place(&entries[i], q->first, q->last);
        atomic_store(&entries[i].by_call, true);
      }
      set(&entries[i], LIVE);
    }
}

static void tally(struct by_ordering *sums, const struct registration *r) {
  sums->relaxed += r->relaxed;
  sums->strict += !r->relaxed;
}

static void count_one(struct registrations_question *q, const struct registration *r) {
  if (may_be_of(r, q))
    tally(&q->nowhere, r);
  if (!placed(r) || r->first > q->last || q->first > r->last)
    return;
  if (r->number > q->since) {
    tally(&q->own, r);
    q->own_by_call |= r->by_call;
  } else {
    tally(&q->earlier, r);
    q->earlier_whole |= r->first <= q->first && q->last <= r->last;
  }
}

/* The last address, from `from` on, that the window's own registrations hold without a gap; from - 1: they lack `from`. */
static uintptr_t reach(const struct registrations_question *q, uintptr_t from, unsigned count) {
  struct registration r;
  uintptr_t last = from - 1;
  for (unsigned i = 0; i < count; i++)
    if (copy(i, &r) && r.number > q->since && placed(&r) && r.first <= from && from <= r.last && r.last > last)
      last = r.last;
  return last;
}

static bool is_whole(const struct registrations_question *q, unsigned count) {
  uintptr_t from = q->first;
  for (;;) {
    const uintptr_t last = reach(q, from, count);
    if (last >= q->last || last < from)
      return last >= q->last && last >= from;
    from = last + 1;
  }
}

void winord_registrations_1(struct registrations_question *q) {
  const unsigned count = atomic_load(&used);
  struct registration r;
  q->made = atomic_load(&made);
  if (q->first > q->last)
    return;
  if (q->until)
    place_by_call(q, count);
  for (unsigned i = 0; i < count; i++)
    if (copy(i, &r))
      count_one(q, &r);
  q->own_whole = is_whole(q, count);
  q->overflow = atomic_load(&overflow);
}
