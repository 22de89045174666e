#include "bench/fabric/meeting.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/fabric/comm.h"
#include "bench/fabric/fabric.h"
#include "bench/fabric/process.h"

#define PREFIX "winord-sim-"

enum { NAME_SIZE = 64, PAGE = 4096, POLL_NS = 100000, ALIVE_MS = 100, STALE_S = 120, WAIT_S = 30, WAIT_MOST_S = 100 };
enum { ERROR_TEXT = 128 };

enum presence { ABSENT, PRESENT, GONE };

struct seat {
  _Atomic int pid; /* 0: free */
  _Atomic int presence;
  uint64_t started; /* of the process: a pid can come back */
  _Atomic uint64_t barriers;
};

/* Shared; behind the seats, from a page's start, the ranks' memory. */
struct meeting_room {
  _Atomic uint32_t ready;
  uint32_t nranks;
  _Atomic uint32_t come;
  struct seat seats[];
};

static uint64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void rest(void) {
  const struct timespec time = {.tv_nsec = POLL_NS};
  nanosleep(&time, NULL);
}

static uint64_t wait_ms(void) {
  const char *set = getenv("WINORD_FABRIC_TIMEOUT");
  const long seconds = set ? strtol(set, NULL, 10) : WAIT_S;
  return (uint64_t)(seconds < 1 ? WAIT_S : seconds > WAIT_MOST_S ? WAIT_MOST_S : seconds) * 1000;
}

static size_t seats_bytes(int nranks) {
  const size_t bytes = sizeof(struct meeting_room) + (size_t)nranks * sizeof(struct seat);
  return (bytes + PAGE - 1) / PAGE * PAGE;
}

static size_t room_bytes(int nranks) { return seats_bytes(nranks) + (size_t)nranks * FABRIC_SHARED_BYTES; }

/* FNV-1a; any 128 bytes are an id. */
static uint64_t hash_of(const ncclUniqueId *id, uint64_t basis) {
  uint64_t hash = 0xcbf29ce484222325 ^ basis;
  for (size_t i = 0; i < sizeof id->internal; i++)
    hash = (hash ^ (unsigned char)id->internal[i]) * 0x100000001b3;
  return hash;
}

static void name_of(const ncclUniqueId *id, char name[NAME_SIZE]) {
  snprintf(name, NAME_SIZE, "/" PREFIX "%016llx%016llx", (unsigned long long)hash_of(id, 0),
           (unsigned long long)hash_of(id, 0x9e3779b97f4a7c15));
}

static void remove_stale(const char *name) {
  char path[NAME_SIZE * 5];
  struct stat status;
  snprintf(path, sizeof path, "/%s", name);
  const int file = shm_open(path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0)
    return;
  if (fstat(file, &status) == 0 && status.st_uid == geteuid() && time(NULL) - status.st_mtime > STALE_S)
    shm_unlink(path);
  close(file);
}

/* Nobody waits longer than WAIT_MOST_S, and the last one in takes the name away: what is older was left by a crash. */
static void sweep(void) {
  DIR *folder = opendir("/dev/shm");
  if (!folder)
    return;
  const struct dirent *entry;
  while ((entry = readdir(folder)))
    if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0)
      remove_stale(entry->d_name);
  closedir(folder);
}

ncclResult_t meeting_id(ncclUniqueId *id) {
  memset(id, 0, sizeof *id);
  sweep();
  if (getrandom(id->internal, sizeof id->internal, 0) == (ssize_t)sizeof id->internal)
    return ncclSuccess;
  set_error("no random numbers for a unique id");
  return ncclSystemError;
}

/* Reserves the memory now: to run out of it later would be SIGBUS. */
static int make(const char *name, size_t bytes) {
  const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0)
    return -1;
  const int why = posix_fallocate(file, 0, (off_t)bytes);
  if (why == 0)
    return file;
  shm_unlink(name);
  close(file);
  errno = why;
  return -1;
}

static struct meeting_room *map(int file, size_t bytes) {
  void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return room == MAP_FAILED ? NULL : room;
}

static ncclResult_t fail_system(const char *what, size_t bytes) {
  char text[ERROR_TEXT];
  set_error("%s (%zu bytes in /dev/shm): %s", what, bytes, strerror_r(errno, text, sizeof text));
  return ncclSystemError;
}

/* As the first one of all. */
static ncclResult_t found(struct meeting *meeting, int file) {
  meeting->room = map(file, meeting->bytes);
  if (!meeting->room)
    return fail_system("shared memory of the ranks cannot be mapped", meeting->bytes);
  meeting->room->nranks = (uint32_t)meeting->nranks;
  atomic_store(&meeting->room->ready, 1);
  return ncclSuccess;
}

/* ncclInProgress: not made yet, or not any more. */
static ncclResult_t join(struct meeting *meeting, int file) {
  struct stat status;
  if (fstat(file, &status) != 0)
    return fail_system("shared memory of the ranks", meeting->bytes);
  if (status.st_size == 0)
    return ncclInProgress;
  if ((size_t)status.st_size != meeting->bytes) {
    set_error("rank %d was started for %d ranks, others of its communicator for another number", meeting->rank,
              meeting->nranks);
    return ncclInvalidArgument;
  }
  meeting->room = map(file, meeting->bytes);
  return meeting->room ? ncclSuccess : fail_system("shared memory of the ranks cannot be mapped", meeting->bytes);
}

/* Makes the room, or finds it; ncclInProgress: to be tried again. */
static ncclResult_t make_or_join(struct meeting *meeting, const char *name) {
  int file = make(name, meeting->bytes);
  const bool made = file >= 0;
  if (!made && errno != EEXIST)
    return fail_system("no shared memory for the ranks", meeting->bytes);
  if (!made)
    file = shm_open(name, O_RDWR | O_CLOEXEC, 0);
  if (file < 0)
    return errno == ENOENT ? ncclInProgress
                           : fail_system("shared memory of the ranks cannot be opened", meeting->bytes);
  const ncclResult_t result = made ? found(meeting, file) : join(meeting, file);
  close(file);
  return result;
}

static ncclResult_t take_seat(struct meeting *meeting) {
  struct meeting_room *room = meeting->room;
  struct seat *seat = &room->seats[meeting->rank];
  int free = 0;
  if (room->nranks != (uint32_t)meeting->nranks) {
    set_error("rank %d was started for %d ranks, others of its communicator for %u", meeting->rank, meeting->nranks,
              room->nranks);
    return ncclInvalidArgument;
  }
  if (!atomic_compare_exchange_strong(&seat->pid, &free, getpid())) {
    set_error("rank %d of %d is there twice: process %d has it already", meeting->rank, meeting->nranks, free);
    meeting->rank = -1;
    return ncclInvalidUsage;
  }
  seat->started = process_started(getpid());
  atomic_store(&seat->presence, PRESENT);
  return ncclSuccess;
}

ncclResult_t meeting_enter(struct meeting *meeting, const ncclUniqueId *id, int nranks, int rank) {
  char name[NAME_SIZE];
  const uint64_t until = now_ms() + wait_ms();
  *meeting = (struct meeting){.bytes = room_bytes(nranks), .rank = rank, .nranks = nranks};
  name_of(id, name);
  ncclResult_t result = make_or_join(meeting, name);
  while (result == ncclInProgress || (result == ncclSuccess && !atomic_load(&meeting->room->ready))) {
    if (now_ms() > until) {
      set_error("shared memory %s is there, but whoever made it did not go on", name);
      shm_unlink(name);
      return ncclTimeout;
    }
    rest();
    if (result == ncclInProgress)
      result = make_or_join(meeting, name);
  }
  if (result == ncclSuccess)
    result = take_seat(meeting);
  if (result == ncclSuccess && atomic_fetch_add(&meeting->room->come, 1) + 1 == (uint32_t)nranks)
    shm_unlink(name);
  return result;
}

static bool is_gone(struct seat *seat) {
  const int presence = atomic_load(&seat->presence);
  return presence == GONE || (presence == PRESENT && !process_alive(atomic_load(&seat->pid), seat->started));
}

/* The first rank that was here and is not any more, or -1. */
static int first_gone(const struct meeting *meeting) {
  for (int rank = 0; rank < meeting->nranks; rank++)
    if (is_gone(&meeting->room->seats[rank]))
      return rank;
  return -1;
}

static int first_absent(const struct meeting *meeting) {
  for (int rank = 0; rank < meeting->nranks; rank++)
    if (atomic_load(&meeting->room->seats[rank].presence) == ABSENT)
      return rank;
  return -1;
}

/* Why not all have come, if it is time to say so. */
static ncclResult_t complain(const struct meeting *meeting, bool late) {
  const unsigned come = atomic_load(&meeting->room->come);
  const int gone = first_gone(meeting);
  if (come == (unsigned)meeting->nranks)
    return ncclSuccess;
  if (gone >= 0) {
    set_error("rank %d of %d ended before all ranks had come", gone, meeting->nranks);
    return ncclRemoteError;
  }
  if (!late)
    return ncclInProgress;
  set_error("%u of %d ranks have come within %llu s: rank %d is missing", come, meeting->nranks,
            (unsigned long long)wait_ms() / 1000, first_absent(meeting));
  return ncclTimeout;
}

ncclResult_t meeting_wait(struct meeting *meeting, const ncclUniqueId *id) {
  const uint64_t until = now_ms() + wait_ms();
  uint64_t look = now_ms() + ALIVE_MS;
  ncclResult_t result = ncclInProgress;
  while (result == ncclInProgress) {
    if (atomic_load(&meeting->room->come) == (uint32_t)meeting->nranks)
      return ncclSuccess;
    rest();
    if (now_ms() < look)
      continue;
    look = now_ms() + ALIVE_MS;
    result = complain(meeting, now_ms() > until);
  }
  if (result != ncclSuccess) {
    char name[NAME_SIZE];
    name_of(id, name);
    shm_unlink(name);
  }
  return result;
}

void meeting_leave(struct meeting *meeting) {
  if (!meeting->room)
    return;
  if (meeting->rank >= 0)
    atomic_store(&meeting->room->seats[meeting->rank].presence, GONE);
  munmap(meeting->room, meeting->bytes);
  meeting->room = NULL;
}

/* The first rank that has not come to this barrier and, if asked so, will not; -1: none. */
static int first_missing(const struct meeting *meeting, bool only_gone) {
  for (int rank = 0; rank < meeting->nranks; rank++) {
    struct seat *seat = &meeting->room->seats[rank];
    if (atomic_load(&seat->barriers) < meeting->barriers && (!only_gone || is_gone(seat)) &&
        atomic_load(&seat->barriers) < meeting->barriers) /* it may have come and gone between the two */
      return rank;
  }
  return -1;
}

static int tell_missing(const struct meeting *meeting, int rank, const char *how) {
  set_error("rank %d of %d %s", rank, meeting->nranks, how);
  return rank + 1;
}

int meeting_barrier(struct meeting *meeting, int timeout_ms) {
  const uint64_t begin = now_ms();
  uint64_t look = begin + ALIVE_MS;
  atomic_store(&meeting->room->seats[meeting->rank].barriers, ++meeting->barriers);
  while (first_missing(meeting, false) >= 0) {
    const uint64_t now = now_ms();
    const bool late = timeout_ms >= 0 && now - begin > (uint64_t)timeout_ms;
    if (late || now >= look) {
      const int gone = first_missing(meeting, true), missing = first_missing(meeting, false);
      if (gone >= 0)
        return tell_missing(meeting, gone, "has ended");
      if (late && missing >= 0)
        return tell_missing(meeting, missing, "did not come in time");
      look = now + ALIVE_MS;
    }
    rest();
  }
  return 0;
}

void *meeting_memory(struct meeting *meeting, size_t *bytes) {
  *bytes = (size_t)meeting->nranks * FABRIC_SHARED_BYTES;
  return (char *)meeting->room + seats_bytes(meeting->nranks);
}
