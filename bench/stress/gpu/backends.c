/* The backends of winord-stress-gpu.so. */
#include <stdio.h>
#include <string.h>

#include "bench/stress/gpu/blocks.h"
#include "bench/stress/gpu/plan.h"
#include "bench/stress/gpu/rma.h"

static struct session session;
static size_t largest_payload;

static const struct kind_of_block gin_blocks = {.launch = gin_launch, .capacity = gin_capacity};
static const struct kind_of_block lsa_blocks = {.launch = lsa_launch, .capacity = lsa_capacity, .all_signals_va = true};

static bool open_for(const struct session_wants *wants, const struct world *world, size_t largest, int flags,
                     char *error) {
  largest_payload = largest;
  blocks_watch_s = world->watchdog;
  return session_open(&session, world, plan_window_bytes(world->ranks, largest), flags, wants, error);
}

static bool gin_open(const struct world *world, size_t largest, int flags, char *error) {
  const unsigned lanes = plan_signals(world->ranks);
  return open_for(&(struct session_wants){.gin = true, .signals = lanes, .counters = lanes}, world, largest, flags,
                  error);
}

static bool lsa_open(const struct world *world, size_t largest, int flags, char *error) {
  return open_for(&(struct session_wants){.peers = true}, world, largest, flags, error);
}

static bool host_rma_open(const struct world *world, size_t largest, int flags, char *error) {
  return open_for(&(struct session_wants){.host_rma = true}, world, largest, flags, error) && rma_open(&session, error);
}

static bool gin_run(const struct block *block, struct outcomes *sums, char *error) {
  return blocks_run(&session, &gin_blocks, largest_payload, block, true, sums, error);
}

static bool lsa_run(const struct block *block, struct outcomes *sums, char *error) {
  return blocks_run(&session, &lsa_blocks, largest_payload, block, true, sums, error);
}

static bool host_rma_run(const struct block *block, struct outcomes *sums, char *error) {
  return blocks_run(&session, &rma_blocks, largest_payload, block, true, sums, error);
}

static int cannot_be_told(unsigned rank) {
  (void)rank;
  return -1;
}

static void *mail(void) { return session.mail; }
static bool meet(int timeout_ms, char *error) { return session_meet(&session, timeout_ms, error); }
static void close_windows(void) { session_close(&session); }

static void finish(void) {
  if (!session.abandoned) {
    blocks_free();
    rma_free_words();
  }
  session_finish(&session);
}

static char transport[256];

static const struct backend backends[] = {
    {.name = "gin",
     .transport = transport,
     .window_flags = true,
     .tries = 240,
     .open = gin_open,
     .run = gin_run,
     .together = true,
     .registered_relaxed = cannot_be_told,
     .mail = mail,
     .meet = meet,
     .close = close_windows,
     .finish = finish},
    {.name = "lsa",
     .transport = transport,
     .tries = 16000,
     .open = lsa_open,
     .run = lsa_run,
     .together = true,
     .registered_relaxed = cannot_be_told,
     .mail = mail,
     .meet = meet,
     .close = close_windows,
     .finish = finish},
    {.name = "rma",
     .transport = transport,
     .tries = 100,
     .open = host_rma_open,
     .run = host_rma_run,
     .together = true,
     .registered_relaxed = cannot_be_told,
     .mail = mail,
     .meet = meet,
     .close = close_windows,
     .finish = finish},
};

const struct backend *gpu_backend(const char *name, char *error);

/* What winord-stress looks up. */
const struct backend *gpu_backend(const char *name, char *error) {
  session_set_up_cuda();
  static const char *const ways[] = {"GIN", "NVLink loads and stores", "host RMA"};
  for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
    char text[160];
    if (strcmp(backends[i].name, name) != 0)
      continue;
    if (!session_describe(text, sizeof text, error))
      return NULL;
    snprintf(transport, sizeof transport, "%s of %s, timer of %u ns", ways[i], text, timer_resolution());
    return &backends[i];
  }
  snprintf(error, ERROR_SIZE, "no backend %s", name);
  return NULL;
}
