/* Registration of memory. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench/plugin/connection.h"
#include "bench/plugin/log.h"

enum { PATIENCE_NS = 1000000000 };

static const char *type_name(const struct region *region) { return region->cuda ? "cuda" : "host"; }

static void record(const struct connection *connection, const struct region *region, const char *event) {
  log_record(connection->settings.log,
             "{\"v\":1,\"event\":\"%s\",\"pid\":%d,\"rank\":%d,\"nranks\":%d,\"seq\":%llu,\"comm\":%d,\"user\":\"%s\","
             "\"type\":\"%s\",\"size\":%zu,\"address\":\"0x%llx\",\"mr_flags\":%llu,\"relaxed\":%s}",
             event, (int)getpid(), connection->rank, connection->nranks, (unsigned long long)region->number,
             connection->number, connection->user, type_name(region), region->size,
             (unsigned long long)(uintptr_t)region->base, (unsigned long long)region->flags,
             region->relaxed ? "true" : "false");
}

/* Pins all inboxes, so that no copy waits. */
static bool pin_all(struct connection *connection) {
  bool pinned = device_pin(connection->inbox.header, connection->inbox.bytes);
  for (int i = 0; i < connection->nranks && pinned; i++)
    pinned = device_pin(connection->peers[i].inbox.header, connection->peers[i].inbox.bytes);
  return pinned;
}

/* Under the lock. */
static enum rma_result need_device(struct connection *connection, const void *memory) {
  const char *why = "shared memory cannot be pinned";
  if (connection->device_ready)
    return RMA_SUCCESS;
  if (!device_open(&connection->device, memory, &why) || !pin_all(connection)) {
    say("rank %d: device memory %p cannot be registered: %s", connection->rank, memory, why);
    return RMA_CUDA_ERROR;
  }
  __atomic_store_n(&connection->device_ready, true, __ATOMIC_RELEASE);
  return RMA_SUCCESS;
}

static bool make_shadow(struct region *region) {
  if (!region->cuda || !(region->flags & RMA_MR_SIGNAL_NEVER_RESET))
    return true;
  region->known = calloc(region->size / sizeof *region->words + 1, 1);
  region->words = calloc(region->size / sizeof *region->words + 1, sizeof *region->words);
  return region->known && region->words;
}

static void free_region(struct region *region) {
  free(region->known);
  free(region->words);
  free(region);
}

static struct region *make_region(void *data, size_t size, int type, uint64_t flags) {
  struct region *region = calloc(1, sizeof *region);
  if (!region)
    return NULL;
  region->base = data;
  region->size = size;
  region->flags = flags;
  region->cuda = type == RMA_PTR_CUDA;
  region->relaxed = !(flags & RMA_MR_FORCE_SO);
  if (make_shadow(region))
    return region;
  free_region(region);
  return NULL;
}

/* Under the lock. */
static enum rma_result publish(struct connection *connection, struct region *region) {
  region->number = connection->region_count;
  if (region->number == REGIONS_MOST) {
    say("rank %d: more than %d registrations on one connection", connection->rank, REGIONS_MOST);
    return RMA_SYSTEM_ERROR;
  }
  record(connection, region, "register");
  __atomic_store_n(&connection->regions[region->number], region, __ATOMIC_RELEASE);
  __atomic_store_n(&connection->region_count, region->number + 1, __ATOMIC_RELEASE);
  return RMA_SUCCESS;
}

enum rma_result region_register(void *comm, void *data, size_t size, int type, uint64_t flags, void **mr) {
  struct connection *connection = comm;
  *mr = NULL;
  if (!data || !size || (type != RMA_PTR_HOST && type != RMA_PTR_CUDA))
    return RMA_INVALID_ARGUMENT;
  struct region *region = make_region(data, size, type, flags);
  if (!region)
    return RMA_SYSTEM_ERROR;
  pthread_mutex_lock(&connection->lock);
  enum rma_result result = region->cuda ? need_device(connection, data) : RMA_SUCCESS;
  if (result == RMA_SUCCESS)
    result = publish(connection, region);
  pthread_mutex_unlock(&connection->lock);
  if (result == RMA_SUCCESS)
    *mr = region;
  else
    free_region(region);
  return result;
}

/* Whether the thread has let go of it; else it is left to the process, with its memory. */
static bool quiet(struct connection *connection, struct region *region) {
  const uint64_t end = now_ns() + PATIENCE_NS;
  const uint64_t round = __atomic_load_n(&connection->rounds, __ATOMIC_ACQUIRE);
  while (__atomic_load_n(&connection->rounds, __ATOMIC_ACQUIRE) < round + 2 ||
         __atomic_load_n(&region->users, __ATOMIC_ACQUIRE)) {
    if (now_ns() > end)
      return false;
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  }
  return true;
}

enum rma_result region_deregister(void *comm, void *mr) {
  struct connection *connection = comm;
  struct region *region = mr;
  if (!region)
    return RMA_SUCCESS;
  __atomic_store_n(&region->retired, true, __ATOMIC_RELEASE);
  __atomic_store_n(&connection->regions[region->number], NULL, __ATOMIC_RELEASE);
  record(connection, region, "deregister");
  if (quiet(connection, region))
    free_region(region);
  return RMA_SUCCESS;
}

struct region *region_use(struct connection *connection, uint64_t number, bool *later) {
  *later = number < REGIONS_MOST && number >= __atomic_load_n(&connection->region_count, __ATOMIC_ACQUIRE);
  if (*later || number >= REGIONS_MOST)
    return NULL;
  struct region *region = __atomic_load_n(&connection->regions[number], __ATOMIC_ACQUIRE);
  if (region)
    __atomic_fetch_add(&region->users, 1, __ATOMIC_ACQ_REL);
  return region;
}

void region_leave(struct region *region) {
  if (region)
    __atomic_fetch_sub(&region->users, 1, __ATOMIC_ACQ_REL);
}
