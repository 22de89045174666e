/* The thread that serves a connection. */
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "bench/plugin/connection.h"
#include "bench/plugin/log.h"

enum { SPINS = 4000, NAP_NS = 20000, DRAIN_NS = 100000000 };

static void enter_device(struct connection *connection) {
  if (connection->device_entered)
    return;
  device_enter(&connection->device);
  connection->device_entered = true;
}

bool copies_room(struct connection *connection, enum device_stream stream) {
  enter_device(connection);
  return connection->copies[stream].count < MARKS;
}

bool copies_add(struct connection *connection, enum device_stream stream, struct copy copy) {
  struct copies *copies = &connection->copies[stream];
  const unsigned mark = (copies->first + copies->count) % MARKS;
  copies->entries[mark] = copy;
  copies->count++;
  if (device_mark(&connection->device, stream, mark))
    return true;
  __atomic_store_n(&connection->failed, true, __ATOMIC_RELEASE);
  return false;
}

bool copies_ended(struct connection *connection, enum device_stream stream, struct copy *copy) {
  struct copies *copies = &connection->copies[stream];
  if (!copies->count || !device_reached(&connection->device, stream, copies->first))
    return false;
  *copy = copies->entries[copies->first];
  copies->first = (copies->first + 1) % MARKS;
  copies->count--;
  return true;
}

uint64_t draw_hold(struct connection *connection, struct random *random) {
  const uint64_t first = connection->settings.hold_first_ns;
  return first + random_below(random, connection->settings.hold_last_ns - first + 1);
}

bool strikes(struct connection *connection, enum fault fault) {
  const bool struck = fault_strikes(&connection->faults, fault);
  connection->counts.struck += struck;
  return struck;
}

/* Words are stored with release, so that the order of the stores is the order others see. */
void copy_words(uint8_t *to, const uint8_t *from, size_t bytes) {
  if ((uintptr_t)to % sizeof(uint64_t) || (uintptr_t)from % sizeof(uint64_t)) {
    for (size_t i = 0; i < bytes; i++)
      __atomic_store_n(&to[i], __atomic_load_n(&from[i], __ATOMIC_RELAXED), __ATOMIC_RELEASE);
    return;
  }
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
    const uint64_t word = __atomic_load_n((const uint64_t *)(from + i), __ATOMIC_RELAXED);
    __atomic_store_n((uint64_t *)(to + i), word, __ATOMIC_RELEASE);
  }
  for (; i < bytes; i++)
    __atomic_store_n(&to[i], __atomic_load_n(&from[i], __ATOMIC_RELAXED), __ATOMIC_RELEASE);
}

static bool serve(struct connection *connection) {
  bool moved = ops_take_posted(connection);
  moved = send_all(connection) || moved;
  moved = send_reads_ended(connection) || moved;
  moved = arrive_all(connection) || moved;
  moved = deliver_all(connection) || moved;
  moved = deliver_writes_ended(connection) || moved;
  if (connection->device.failed)
    __atomic_store_n(&connection->failed, true, __ATOMIC_RELEASE);
  __atomic_fetch_add(&connection->rounds, 1, __ATOMIC_ACQ_REL);
  return moved;
}

static bool under_way(const struct connection *connection) {
  bool any = deliver_earliest(connection) != connection->arrivals;
  for (int stream = 0; stream < DEVICE_STREAMS; stream++)
    any = any || connection->copies[stream].count;
  return any;
}

/* After the stop what has arrived is still delivered. */
static void drain(struct connection *connection) {
  const uint64_t end = now_ns() + DRAIN_NS;
  inbox_end(&connection->inbox);
  while ((serve(connection) || under_way(connection)) && now_ns() < end)
    sched_yield();
}

static void *run(void *user) {
  struct connection *connection = user;
  unsigned idle = 0;
  while (!__atomic_load_n(&connection->stop, __ATOMIC_ACQUIRE)) {
    idle = serve(connection) ? 0 : idle + 1;
    if (idle > SPINS)
      nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    else if (idle > 0)
      sched_yield();
  }
  drain(connection);
  if (connection->device_ready) {
    enter_device(connection);
    device_settle(&connection->device);
    for (int i = 0; i < connection->nranks; i++)
      device_unpin(connection->peers[i].inbox.header);
    device_unpin(connection->inbox.header);
    device_close(&connection->device);
  }
  return NULL;
}

/* The program's signals are not for this thread. */
bool engine_start(struct connection *connection) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&connection->thread, NULL, run, connection) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started)
    pthread_setname_np(connection->thread, "winord fabric");
  return started;
}

void engine_stop(struct connection *connection) {
  __atomic_store_n(&connection->stop, true, __ATOMIC_RELEASE);
  pthread_join(connection->thread, NULL);
}
