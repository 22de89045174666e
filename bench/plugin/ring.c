#include "bench/plugin/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "bench/plugin/log.h"
#include "bench/plugin/rma_api.h"

static const uint64_t magic = 0x3162666469726e77; /* and the version of what follows */

struct inbox_header {
  uint64_t magic, token;
  uint32_t nranks, slots;
  uint32_t furnished, ended; /* atomic */
  uint8_t opened[RING_RANKS_MOST]; /* atomic, by rank */
};

struct handle {
  uint64_t magic, token, host;
  int32_t process, file;
};

_Static_assert(sizeof(struct handle) <= RMA_HANDLE_BYTES, "NCCL's handles");

enum { HEADER_BYTES = 4096, NAP_NS = 200000 };
_Static_assert(sizeof(struct inbox_header) <= HEADER_BYTES, "a page");

uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL); }

/* Tells hosts apart: FNV-1a of the boot id. */
static uint64_t host_number(void) {
  char id[64] = "";
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? 0 : read(file, id, sizeof id);
  if (file >= 0)
    close(file);
  uint64_t hash = 0xcbf29ce484222325;
  for (ssize_t i = 0; i < length; i++)
    hash = (hash ^ (uint8_t)id[i]) * 0x100000001b3;
  return hash;
}

static bool map(struct inbox *inbox, size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, inbox->file, 0);
  if (memory == MAP_FAILED)
    return false;
  if (inbox->header)
    munmap(inbox->header, inbox->bytes);
  inbox->header = memory;
  inbox->bytes = bytes;
  inbox->rings = (struct slot *)((uint8_t *)memory + HEADER_BYTES);
  return true;
}

bool inbox_make(struct inbox *inbox, void *handle) {
  *inbox = (struct inbox){.file = memfd_create("winord-fabric", MFD_CLOEXEC)};
  if (inbox->file < 0 || posix_fallocate(inbox->file, 0, HEADER_BYTES) != 0 || !map(inbox, HEADER_BYTES)) {
    inbox_close(inbox);
    return false;
  }
  struct handle made = {.magic = magic, .host = host_number(), .process = getpid(), .file = inbox->file};
  if (getrandom(&made.token, sizeof made.token, 0) != sizeof made.token)
    made.token = now_ns();
  inbox->header->token = made.token;
  inbox->header->magic = magic;
  memset(handle, 0, RMA_HANDLE_BYTES);
  memcpy(handle, &made, sizeof made);
  return true;
}

static unsigned slots_for(int nranks) {
  const unsigned slots = SLOTS_ALL / (unsigned)nranks;
  return slots < SLOTS_LEAST ? SLOTS_LEAST : slots > SLOTS_MOST ? SLOTS_MOST : slots;
}

static size_t bytes_for(int nranks) { return HEADER_BYTES + (size_t)nranks * slots_for(nranks) * sizeof(struct slot); }

/* Memory is taken now: a lack of it is an error here, not a signal later. */
bool inbox_furnish(struct inbox *inbox, int nranks) {
  const size_t bytes = bytes_for(nranks);
  const int error = posix_fallocate(inbox->file, 0, (off_t)bytes);
  if (error || !map(inbox, bytes)) {
    say("no %zu bytes of shared memory: %s", bytes, strerror(error ? error : errno));
    return false;
  }
  inbox->slots = inbox->header->slots = slots_for(nranks);
  inbox->header->nranks = (uint32_t)nranks;
  __atomic_store_n(&inbox->header->furnished, 1, __ATOMIC_RELEASE);
  return true;
}

static bool map_other(struct inbox *inbox, const struct handle *handle, const char **why) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", handle->process, handle->file);
  inbox->file = open(path, O_RDWR | O_CLOEXEC);
  *why = errno == ENOENT ? "its process or its memory is gone, or in another namespace" : strerror(errno);
  if (inbox->file < 0)
    return false;
  *why = "its memory is not what its handle says";
  return lseek(inbox->file, 0, SEEK_END) >= HEADER_BYTES && map(inbox, HEADER_BYTES) && inbox->header->magic == magic &&
         inbox->header->token == handle->token;
}

static bool open_other(struct inbox *inbox, const struct handle *handle, int nranks, uint64_t deadline_ns,
                       const char **why) {
  if (!map_other(inbox, handle, why))
    return false;
  while (!__atomic_load_n(&inbox->header->furnished, __ATOMIC_ACQUIRE) && now_ns() < deadline_ns)
    nap();
  *why = "it does not connect";
  if (!__atomic_load_n(&inbox->header->furnished, __ATOMIC_ACQUIRE))
    return false;
  *why = "it sees another number of ranks";
  if (inbox->header->nranks != (uint32_t)nranks || lseek(inbox->file, 0, SEEK_END) < (off_t)bytes_for(nranks))
    return false;
  inbox->slots = slots_for(nranks);
  *why = "its memory cannot be mapped";
  return map(inbox, bytes_for(nranks));
}

bool inbox_open(struct inbox *inbox, const void *handle, int nranks, int rank, uint64_t deadline_ns, const char **why) {
  struct handle other;
  memcpy(&other, handle, sizeof other);
  *inbox = (struct inbox){.file = -1};
  *why = "its handle is not this plugin's";
  if (other.magic != magic)
    return false;
  *why = "it is on another host, and this plugin serves one";
  if (other.host != host_number())
    return false;
  const bool opened = open_other(inbox, &other, nranks, deadline_ns, why);
  if (opened)
    __atomic_store_n(&inbox->header->opened[rank], 1, __ATOMIC_RELEASE);
  if (inbox->file >= 0)
    close(inbox->file);
  inbox->file = -1;
  if (!opened)
    inbox_close(inbox);
  return opened;
}

int inbox_wait(const struct inbox *inbox, int nranks, uint64_t deadline_ns) {
  for (int rank = 0; rank < nranks; rank++)
    while (!__atomic_load_n(&inbox->header->opened[rank], __ATOMIC_ACQUIRE)) {
      if (now_ns() > deadline_ns)
        return rank;
      nap();
    }
  return -1;
}

void inbox_end(struct inbox *inbox) { __atomic_store_n(&inbox->header->ended, 1, __ATOMIC_RELEASE); }

bool inbox_ended(const struct inbox *inbox) { return __atomic_load_n(&inbox->header->ended, __ATOMIC_ACQUIRE); }

void inbox_close(struct inbox *inbox) {
  if (inbox->header)
    munmap(inbox->header, inbox->bytes);
  if (inbox->file >= 0)
    close(inbox->file);
  *inbox = (struct inbox){.file = -1};
}
