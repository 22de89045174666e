/*
 * Rank 0 sends a payload and a signal, the watcher looks when the signal has come, tail first, and sends an inline value back.
 * The source is overwritten once the put is complete.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "bench/fabric/random.h"
#include "tests/plugin/scenarios.h"

enum { SLOTS = 16, SLOT_WORDS = 512, WINDOW_WORDS = SLOTS * SLOT_WORDS, LINE_WORDS = 16 };
static const uint64_t heal_ns = 300000000, lost_signal_ns = 1000000000, ack_ns = 10000000000;

struct lane {
  uint64_t *source, *window, *signal, *ack, *inlined;
  void *source_region, *window_region, *signal_region, *ack_region, *inlined_region, *flush_region;
  uint64_t *flush;
};

struct seen {
  long early, wrong, torn, short_signals, long_signals;
};

static const struct variant {
  const char *name;
  bool separate; /* the signal is an operation of its own */
  bool weak;
  bool ahead; /* another put goes between payload and signal, with the signal */
  int signal_context;
  bool flushed; /* the watcher puts to itself, strictly, before it looks */
} variants[] = {
    {.name = "order"},
    {.name = "separate", .separate = true},
    {.name = "separate-weak", .separate = true, .weak = true},
    {.name = "strong-second", .ahead = true},
    {.name = "weak-second", .ahead = true, .weak = true},
    {.name = "weak", .weak = true},
    {.name = "cross", .separate = true, .signal_context = 1},
    {.name = "flushed", .flushed = true},
};

static const struct variant *variant;

static uint64_t code(long iteration, size_t word) { return (uint64_t)(iteration + 1) << 24 | word; }

/* From 16 bytes to a whole slot. */
static size_t words_of(long iteration) {
  struct random random;
  random_seed(&random, (uint64_t)iteration);
  return 2 + random_below(&random, SLOT_WORDS - 2);
}

static void open_lane(struct rank *rank, struct lane *lane) {
  lane->source = zeroed(WINDOW_WORDS);
  lane->window = zeroed(WINDOW_WORDS);
  lane->signal = zeroed(1);
  lane->ack = zeroed(1);
  lane->inlined = zeroed(1);
  lane->flush = zeroed(1);
  lane->source_region = registered(rank, lane->source, WINDOW_WORDS * word_size, options.memory, 0);
  lane->window_region = registered(rank, lane->window, WINDOW_WORDS * word_size, options.memory, options.payload_flags);
  lane->signal_region = registered(rank, lane->signal, word_size, options.memory, options.signal_flags);
  lane->ack_region = registered(rank, lane->ack, word_size, options.memory, 0);
  lane->inlined_region = registered(rank, lane->inlined, word_size, RMA_PTR_HOST, 0);
  lane->flush_region = registered(rank, lane->flush, word_size, options.memory, RMA_MR_FORCE_SO);
  meet(rank);
}

static void close_lane(struct rank *rank, struct lane *lane) {
  meet(rank);
  void *regions[] = {lane->source_region, lane->window_region,  lane->signal_region,
                     lane->ack_region,    lane->inlined_region, lane->flush_region};
  void *memories[] = {lane->source, lane->window, lane->signal, lane->ack, lane->inlined, lane->flush};
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
    if (rank->table->dereg(rank->comm, regions[i]) != RMA_SUCCESS)
      fail("deregistration");
    free(memories[i]);
  }
}

static void send_signal(struct rank *rank, const struct lane *lane, struct put *put) {
  put->signal = lane->signal_region;
  put->add = 1;
  put->index = variant->signal_context;
  put->weak = variant->weak;
  if (variant->separate)
    put->from = put->to = NULL, put->bytes = 0;
  if (variant->ahead)
    put->from_offset = put->to_offset = 0, put->bytes = 2 * word_size;
  wait_for(rank, post(rank, put));
}

/* The first slot is for the put that goes between. */
static size_t slot_of(long iteration) { return (size_t)(1 + iteration % (SLOTS - 1)) * SLOT_WORDS; }

static void send_one(struct rank *rank, const struct lane *lane, long iteration) {
  const size_t words = words_of(iteration), at = slot_of(iteration);
  for (size_t i = 0; i < words; i++)
    store(&lane->source[at + i], code(iteration, i));
  struct put put = {.from = lane->source_region,
                    .to = lane->window_region,
                    .from_offset = at * word_size,
                    .to_offset = at * word_size,
                    .bytes = words * word_size,
                    .to_rank = options.watcher};
  if (variant->separate || variant->ahead)
    wait_for(rank, post(rank, &put));
  send_signal(rank, lane, &put);
  for (size_t i = 0; i < words; i++)
    store(&lane->source[at + i], UINT64_MAX);
}

static void send_lane(struct rank *rank, const struct lane *lane) {
  for (long i = 0; i < options.tries; i++) {
    send_one(rank, lane, i);
    if (!comes(lane->ack, (uint64_t)i + 1, ack_ns))
      fail("an inline value does not come");
  }
}

static bool right(const uint64_t *slot, long iteration, bool *torn) {
  bool first_halves = true, all = true;
  for (size_t i = words_of(iteration); i-- > 0;) {
    const bool fits = load(&slot[i]) == code(iteration, i);
    all = all && fits;
    first_halves = first_halves && (fits || i % LINE_WORDS >= LINE_WORDS / 2);
  }
  *torn = !all && first_halves;
  return all;
}

static void look(const uint64_t *slot, long iteration, struct seen *seen) {
  bool torn, again, late = false;
  if (right(slot, iteration, &torn))
    return;
  for (const uint64_t end = clock_ns() + heal_ns; !late && clock_ns() < end; sched_yield())
    late = right(slot, iteration, &again);
  seen->early += late;
  seen->torn += late && torn;
  seen->wrong += !late;
}

static void flush(struct rank *rank, const struct lane *lane) {
  const struct put put = {
      .from = lane->flush_region, .to = lane->flush_region, .bytes = word_size, .to_rank = rank->rank, .index = 2};
  wait_for(rank, post(rank, &put));
}

static void acknowledge(struct rank *rank, const struct lane *lane, long iteration) {
  const struct put ack = {.from = lane->inlined_region, .to = lane->ack_region, .bytes = word_size, .index = 1};
  *lane->inlined = (uint64_t)iteration + 1;
  wait_for(rank, post(rank, &ack));
}

static void watch_lane(struct rank *rank, const struct lane *lane) {
  struct seen seen = {0};
  uint64_t expected = 0;
  for (long i = 0; i < options.tries; i++) {
    if (!comes(lane->signal, ++expected, lost_signal_ns)) {
      seen.short_signals++;
      expected = load(lane->signal);
    }
    if (variant->flushed)
      flush(rank, lane);
    look(&lane->window[slot_of(i)], i, &seen);
    const uint64_t now = load(lane->signal);
    seen.long_signals += now > expected;
    expected = now;
    acknowledge(rank, lane, i);
  }
  print("tries", options.tries);
  print("early", seen.early);
  print("torn", seen.torn);
  print("wrong", seen.wrong);
  print("short", seen.short_signals);
  print("long", seen.long_signals);
}

static int run(struct rank *rank) {
  struct lane lane;
  open_lane(rank, &lane);
  if (rank->rank == 0)
    send_lane(rank, &lane);
  else if (rank->rank == options.watcher)
    watch_lane(rank, &lane);
  close_lane(rank, &lane);
  return 0;
}

int (*lane_scenario(const char *name))(struct rank *rank) {
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
    if (strcmp(variants[i].name, name) == 0)
      variant = &variants[i];
  return variant ? run : NULL;
}
