/* speed [TRIES]: what a try costs the fabric, a put with its signal that somebody waits for. Nothing is asserted. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/fabric/fabric.h"
#include "bench/fabric/nccl.h"

enum { TRIES = 1000000, DEPTH = 8, SLOT = 4096, WINDOW = 1 << 22, LARGE = 1 << 20 };

struct lane {
  struct fabric *fabric;
  struct fabric_put put;
  struct fabric_signal signal;
  uint64_t left;
};

static void post(void *user) {
  struct lane *lane = user;
  if (lane->left == 0)
    return;
  lane->left--;
  fabricWatch(lane->fabric, &lane->signal, post, lane);
  fabricPut(lane->fabric, &lane->put, NULL, NULL);
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void measure(ncclComm_t comm, ncclWindow_t window, const void *source, int mode, size_t bytes, uint64_t tries) {
  const struct fabric_settings settings = {.seed = 1, .pci_atomic_mode = mode};
  struct fabric *fabric = fabricOpen(comm, &settings);
  struct lane lanes[DEPTH];
  for (unsigned i = 0; i < DEPTH; i++) {
    lanes[i] = (struct lane){.fabric = fabric, .left = tries / DEPTH};
    lanes[i].signal = (struct fabric_signal){.strong = true, .index = i, .add = 1};
    lanes[i].put = (struct fabric_put){.to = window, .to_offset = i * (size_t)SLOT, .from = source, .bytes = bytes};
    lanes[i].put.context = (int)i;
    lanes[i].put.signal = &lanes[i].signal;
    fabricAt(fabric, 0, post, &lanes[i]);
  }
  const double begin = seconds();
  while (fabricStep(fabric))
    ;
  const double spent = seconds() - begin;
  printf("mode %d, %7zu bytes: %8.1f ns a try, %.0f MB/s, %.1f virtual ns a try\n", mode, bytes,
         spent / (double)tries * 1e9, (double)bytes * (double)tries / spent * 1e-6,
         (double)fabricNow(fabric) / (double)tries);
  fabricClose(fabric);
}

int main(int argc, char **argv) {
  static uint64_t source[LARGE / sizeof(uint64_t)];
  const uint64_t tries = argc > 1 ? strtoull(argv[1], NULL, 10) : TRIES;
  ncclComm_t comm;
  ncclWindow_t window;
  void *memory;
  if (ncclCommInitAll(&comm, 1, NULL) != ncclSuccess || ncclMemAlloc(&memory, WINDOW) != ncclSuccess ||
      ncclCommWindowRegister(comm, memory, WINDOW, &window, NCCL_WIN_STRICT_ORDERING) != ncclSuccess) {
    fprintf(stderr, "speed: %s\n", ncclGetLastError(NULL));
    return 1;
  }
  for (int mode = 0; mode <= 4; mode += 4)
    measure(comm, window, source, mode, 64, tries);
  measure(comm, window, source, 4, 4096, tries / 10);
  measure(comm, window, source, 4, LARGE, tries / 5000);
  ncclCommWindowDeregister(comm, window);
  ncclMemFree(memory);
  return ncclCommDestroy(comm) == ncclSuccess ? 0 : 1;
}
