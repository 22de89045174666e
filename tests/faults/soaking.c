/*
 * soaking register SECONDS THREADS NAP_US   registers and deregisters in so many threads, with a nap after each pair, and
 *                                           prints what became of the process, see report() below
 * soaking count FILE...                     prints for each process that wrote in these journals: pid, records, torn lines,
 *                                           highest seq, and `lost` of that record
 * soaking read FIFO FILE SECONDS            moves what comes by the FIFO into the file; for so many seconds it stops reading
 *                                           for 300 ms in each second, then it reads until nobody writes any more
 */
#define _GNU_SOURCE
#include "fakenccl.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 64, SAMPLES = 16384, PROCESSES = 256, STALL_NS = 300000000 };

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void sleep_ns(int64_t ns) {
  const struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
  (void)nanosleep(&time, NULL);
}

/* Latencies of registrations, of the first tenth of the time and of the last. */
struct samples {
  unsigned count;
  int64_t ns[SAMPLES];
};

struct worker {
  pthread_t thread;
  unsigned long registrations, failed;
};

static struct samples first, last;
static int64_t began, until, nap_ns;
static ncclComm_t comm;
static char buffer[65536];

static void sample(int64_t before, int64_t after) {
  const int64_t tenth = (until - began) / 10;
  struct samples *samples = after < began + tenth ? &first : after > until - tenth ? &last : NULL;
  if (samples)
    samples->ns[__atomic_fetch_add(&samples->count, 1, __ATOMIC_RELAXED) % SAMPLES] = after - before;
}

static void *work(void *argument) {
  struct worker *worker = argument;
  for (int64_t before; (before = now_ns()) < until; sleep_ns(nap_ns)) {
    ncclWindow_t window = NULL;
    const ncclResult_t result = ncclCommWindowRegister(comm, buffer, sizeof buffer, &window, 2);
    sample(before, now_ns());
    worker->registrations++;
    worker->failed += result != ncclSuccess || ncclCommWindowDeregister(comm, window) != ncclSuccess;
  }
  return NULL;
}

static int by_size(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int64_t median(struct samples *samples) {
  const unsigned count = samples->count < SAMPLES ? samples->count : SAMPLES;
  qsort(samples->ns, count, sizeof *samples->ns, by_size);
  return count ? samples->ns[count / 2] : 0;
}

static long resident_kib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*s %ld", &pages) != 1)
    pages = 0;
  if (file)
    fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int descriptors(void) {
  int count = 0;
  for (int fd = 0; fd < 1024; fd++)
    count += fcntl(fd, F_GETFD) >= 0;
  return count;
}

struct state {
  long kib;
  int descriptors;
};

static struct state state_now(void) { return (struct state){resident_kib(), descriptors()}; }

static void report(const struct worker *workers, int threads, struct state early, struct state late) {
  unsigned long registrations = 0, failed = 0;
  for (int i = 0; i < threads; i++) {
    registrations += workers[i].registrations;
    failed += workers[i].failed;
  }
  const int64_t before = median(&first);
  printf("%d %lu %lu %ld %ld %d %d %lld %lld\n", getpid(), registrations, failed, early.kib, late.kib,
         early.descriptors, late.descriptors, (long long)before, (long long)median(&last));
}

static int register_for(char **arguments) {
  static struct worker workers[THREADS];
  ncclUniqueId id = {{0}};
  const int threads = atoi(arguments[1]) < THREADS ? atoi(arguments[1]) : THREADS;
  memset(first.ns, 1, sizeof first.ns);
  memset(last.ns, 1, sizeof last.ns);
  nap_ns = atoll(arguments[2]) * 1000;
  began = now_ns();
  until = began + atoll(arguments[0]) * 1000000000LL;
  ncclCommInitRank(&comm, 1, id, 0);
  for (int i = 0; i < threads; i++)
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
      return 1;
  sleep_ns((until - began) / 10);
  const struct state early = state_now();
  sleep_ns(until - began - (until - began) / 10 - 200000000);
  const struct state late = state_now();
  for (int i = 0; i < threads; i++)
    pthread_join(workers[i].thread, NULL);
  report(workers, threads, early, late);
  fflush(stdout);
  sleep_ns(2000000000); /* the reader of a FIFO reads on by now, so that the end is not lost */
  return 0;
}

struct counted {
  unsigned long pid, records, torn, last, lost;
};

static unsigned long number_after(const char *line, const char *key) {
  const char *at = strstr(line, key);
  return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

static void count_line(struct counted *all, const char *line, bool whole) {
  const unsigned long pid = whole ? number_after(line, "\"pid\":") : 0, seq = number_after(line, "\"seq\":");
  int i = 0;
  while (i < PROCESSES - 1 && (all[i].records || all[i].torn) && all[i].pid != pid)
    i++;
  all[i].pid = pid;
  all[i].records += whole;
  all[i].torn += !whole;
  if (whole && seq > all[i].last) {
    all[i].last = seq;
    all[i].lost = number_after(line, "\"lost\":");
  }
}

static int count_files(char **files) {
  static struct counted all[PROCESSES];
  char *line = NULL;
  size_t room = 0;
  for (; *files; files++) {
    FILE *file = fopen(*files, "r");
    for (ssize_t length; file && (length = getline(&line, &room, file)) > 0;)
      count_line(all, line, length > 2 && strncmp(line, "{\"v\":1,", 7) == 0 && strcmp(line + length - 2, "}\n") == 0);
    if (file)
      fclose(file);
  }
  free(line);
  for (int i = 0; i < PROCESSES && (all[i].records || all[i].torn); i++)
    printf("%lu %lu %lu %lu %lu\n", all[i].pid, all[i].records, all[i].torn, all[i].last, all[i].lost);
  return 0;
}

static bool append(const char *path, const char *bytes, size_t size) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
  const bool written = fd >= 0 && write(fd, bytes, size) == (ssize_t)size;
  if (fd >= 0)
    close(fd);
  return written;
}

/* Only whole lines are moved at once, so that the file can be renamed at any time. */
static bool move(int fifo, const char *path) {
  static char held[1 << 20];
  static size_t used;
  const ssize_t got = read(fifo, held + used, sizeof held - used);
  if (got < 0)
    return errno == EINTR;
  used += (size_t)got;
  const char *end = memrchr(held, '\n', used);
  const size_t whole = got == 0 ? used : end ? (size_t)(end - held) + 1 : 0;
  if (whole && !append(path, held, whole))
    return false;
  memmove(held, held + whole, used - whole);
  used -= whole;
  return got > 0;
}

static int read_for(char **arguments) {
  const int fifo = open(arguments[0], O_RDONLY);
  const int64_t end = now_ns() + atoll(arguments[2]) * 1000000000LL;
  for (int64_t stalled = now_ns(); fifo >= 0 && move(fifo, arguments[1]);)
    if (now_ns() < end && now_ns() - stalled > 1000000000 - STALL_NS) {
      sleep_ns(STALL_NS);
      stalled = now_ns();
    }
  return fifo < 0;
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "register") == 0)
    return register_for(argv + 2);
  if (argc >= 3 && strcmp(argv[1], "count") == 0)
    return count_files(argv + 2);
  if (argc == 5 && strcmp(argv[1], "read") == 0)
    return read_for(argv + 2);
  return 2;
}
