#include "comms.h"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { COMMS = 512, RANGES = 4096, UNIT_BITS = 21 };

static const struct strict_range no_range = {.first = 1};

struct known_comm {
  void *comm;
  bool saw_connection;
  struct comm seen;
};

static process_lock lock;
static struct known_comm comms[COMMS];
static struct strict_range ranges[RANGES];
static unsigned comms_used, ranges_used, sequence;
static bool ranges_full;

static _Atomic pid_t self_id;

pid_t process_id(void) { return atomic_load_explicit(&self_id, memory_order_relaxed); }

pid_t process_id_read(void) {
  const pid_t self = getpid();
  atomic_store_explicit(&self_id, self, memory_order_relaxed);
  return self;
}

/* Bits of a holder: its process above, the place of its thread's control block, of 64 bytes at least, below. */
enum { THREAD_BITS = 42, THREAD_UNIT_BITS = 6 };

static uint64_t this_thread(void) {
  const uint64_t thread = (uintptr_t)__builtin_thread_pointer() >> THREAD_UNIT_BITS;
  return (uint64_t)process_id() << THREAD_BITS | (thread & ((1ULL << THREAD_BITS) - 1));
}

static bool same_process(uint64_t a, uint64_t b) { return a >> THREAD_BITS == b >> THREAD_BITS; }

bool process_lock_take(process_lock *taken) {
  enum { YIELDS = 64, NAP_NS = 50000 };
  const struct timespec nap = {.tv_nsec = NAP_NS};
  const uint64_t self = this_thread();
  uint64_t holder = 0;
  for (int tries = 0; !atomic_compare_exchange_strong(taken, &holder, self); tries++) {
    if (holder == self)
      return false;
    if (!same_process(holder, self))
      continue; /* left by the parent at fork; the next try replaces it */
    if (tries < YIELDS)
      sched_yield();
    else
      (void)syscall(SYS_nanosleep, &nap, NULL); /* a holder of lower real-time priority needs the processor */
    holder = 0;
  }
  return true;
}

void process_lock_release(process_lock *taken) { atomic_store(taken, 0); }

static struct known_comm *find(void *comm) {
  for (unsigned i = 0; comm && i < comms_used; i++)
    if (comms[i].comm == comm)
      return &comms[i];
  return NULL;
}

static struct known_comm *enter(void *comm) {
  unsigned i = 0;
  while (i < comms_used && comms[i].comm)
    i++;
  if (!comm || i == COMMS)
    return NULL;
  sequence++;
  comms[i].seen =
      (struct comm){.sequence = sequence, .gin_connection = GIN_UNKNOWN, .rank = -1, .ranks = -1, .device = -1};
  comms[i].saw_connection = false;
  comms[i].comm = comm;
  if (i == comms_used)
    comms_used++;
  return &comms[i];
}

static const struct comm nothing = {.gin_connection = GIN_UNKNOWN, .rank = -1, .ranks = -1, .device = -1};

static atomic_bool end_unseen;

void comms_end_unseen(void) { atomic_store(&end_unseen, true); }

struct comm comm_seen(void *comm, const void *home) {
  if (atomic_load(&end_unseen) || !process_lock_take(&lock))
    return nothing;
  struct known_comm *known = find(comm);
  if (!known)
    known = enter(comm);
  if (known && home)
    known->seen.home = home;
  const struct comm seen = known ? known->seen : nothing;
  process_lock_release(&lock);
  return seen;
}

struct comm comm_known(void *comm) {
  if (atomic_load(&end_unseen) || !process_lock_take(&lock))
    return nothing;
  const struct known_comm *known = find(comm);
  const struct comm seen = known ? known->seen : nothing;
  process_lock_release(&lock);
  return seen;
}

void comm_saw_connection(void *comm, enum gin_connection connection) {
  if (!process_lock_take(&lock))
    return;
  struct known_comm *known = find(comm);
  if (known) {
    const bool same = !known->saw_connection || known->seen.gin_connection == connection;
    known->seen.gin_connection = same ? connection : GIN_UNKNOWN;
    known->saw_connection = true;
  }
  process_lock_release(&lock);
}

void comm_saw_numbers(void *comm, int rank, int ranks, int device) {
  if (!process_lock_take(&lock))
    return;
  struct known_comm *known = find(comm);
  if (known) {
    known->seen.rank = rank;
    known->seen.ranks = ranks;
    known->seen.device = device;
  }
  process_lock_release(&lock);
}

void comm_forget(void *comm) {
  if (!process_lock_take(&lock))
    return;
  struct known_comm *known = find(comm);
  if (known)
    known->comm = NULL;
  for (unsigned i = 0; comm && i < ranges_used; i++)
    if (ranges[i].comm == comm)
      ranges[i] = no_range;
  process_lock_release(&lock);
}

static struct strict_range range_of(const void *buffer, uint64_t size) {
  const uintptr_t start = (uintptr_t)buffer, length = size ? size - 1 : 0;
  const uintptr_t end = start + length < start ? UINTPTR_MAX : start + length;
  return (struct strict_range){.first = start >> UNIT_BITS, .last = end >> UNIT_BITS};
}

static bool is_free(const struct strict_range *range) { return range->first > range->last; }

static bool same_range(const struct strict_range *a, const struct strict_range *b) {
  return a->comm == b->comm && a->window == b->window && a->first == b->first && a->last == b->last;
}

void strict_put(const struct strict_range *range) {
  unsigned i = 0;
  if (is_free(range))
    return;
  if (!process_lock_take(&lock)) {
    ranges_full = true; /* what cannot be entered may overlap anything */
    return;
  }
  /* Of windows whose handle is not known, one range stands for all that are equal. */
  while (i < ranges_used && !is_free(&ranges[i]) && (range->window || !same_range(&ranges[i], range)))
    i++;
  if (i < RANGES)
    ranges[i] = *range;
  else
    ranges_full = true;
  if (i == ranges_used && i < RANGES)
    ranges_used++;
  process_lock_release(&lock);
}

void strict_add(void *comm, const void *window, const void *buffer, uint64_t size) {
  struct strict_range range = range_of(buffer, size);
  range.comm = comm;
  range.window = window;
  strict_put(&range);
}

struct strict_range strict_take(void *comm, const void *window) {
  struct strict_range taken = no_range;
  if (!process_lock_take(&lock))
    return taken;
  for (unsigned i = 0; window && i < ranges_used && is_free(&taken); i++)
    if (ranges[i].window == window && ranges[i].comm == comm && !is_free(&ranges[i])) {
      taken = ranges[i];
      ranges[i] = no_range;
    }
  process_lock_release(&lock);
  return taken;
}

bool strict_overlaps(const void *buffer, uint64_t size) {
  const struct strict_range asked = range_of(buffer, size);
  if (!process_lock_take(&lock))
    return true;
  bool overlaps = ranges_full;
  for (unsigned i = 0; i < ranges_used && !overlaps; i++)
    overlaps = !is_free(&ranges[i]) && ranges[i].first <= asked.last && asked.first <= ranges[i].last;
  process_lock_release(&lock);
  return overlaps;
}
