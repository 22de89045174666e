#include "lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/fabric/host.h"

enum {
  STRIDE = 16384,
  LEAD = 4096,
  SIGNALS = LANES_MOST * STRIDE,
  WORD = sizeof(uint64_t),
  POLL_NS = 8,
  POLLS = 4096,
  ADD = 4099
};

struct run;

struct lane {
  struct run *run;
  unsigned number;
  int context;
  uint64_t try; /* being sent or looked at, from 1 */
  uint64_t seen_at;
  unsigned polls;
  bool looked, read; /* the payload of this try; the source, as completion says */
  struct fabric_signal signal;
  uint64_t source[LANES_BYTES_MOST / sizeof(uint64_t)], flag;
};

struct run {
  struct fabric *fabric;
  struct lanes_world *world;
  const struct lanes_program *program;
  struct lanes_result result;
  uint64_t left;
  bool until_violation;
  struct lane lanes[LANES_MOST];
};

void lanes_open(struct lanes_world *world) {
  *world = (struct lanes_world){0};
  assert_int_equal(ncclCommInitAll(world->comms, LANES_RANKS, NULL), ncclSuccess);
  for (int relaxed = 0; relaxed < 2; relaxed++) {
    const int flags = relaxed ? 0 : NCCL_WIN_STRICT_ORDERING;
    assert_int_equal(ncclMemAlloc(&world->memory[relaxed], LANES_WINDOW), ncclSuccess);
    assert_int_equal(
        ncclCommWindowRegister(world->comms[0], world->memory[relaxed], LANES_WINDOW, &world->windows[relaxed], flags),
        ncclSuccess);
  }
}

void lanes_close(struct lanes_world *world) {
  for (int relaxed = 0; relaxed < 2; relaxed++) {
    assert_int_equal(ncclCommWindowDeregister(world->comms[0], world->windows[relaxed]), ncclSuccess);
    ncclMemFree(world->memory[relaxed]);
  }
  for (int rank = 0; rank < LANES_RANKS; rank++)
    assert_int_equal(ncclCommDestroy(world->comms[rank]), ncclSuccess);
}

static void trace(struct run *run, uint64_t value) {
  run->result.trace = (run->result.trace ^ value) * 0x100000001b3 + 1;
}

static uint64_t code(const struct lane *lane, uint64_t try, size_t word) {
  return (uint64_t)lane->number << 56 | try << 16 | word;
}

static void fill(struct lane *lane, uint64_t try) {
  for (size_t i = 0; i < lane->run->program->bytes / WORD; i++)
    lane->source[i] = code(lane, try, i);
}

static size_t offset_of(const struct lane *lane) { return lane->number * (size_t)STRIDE + LEAD; }

static const uint64_t *payload_of(const struct lane *lane) {
  const struct run *run = lane->run;
  return (const uint64_t *)((const char *)run->world->memory[run->program->payload_relaxed] + offset_of(lane));
}

static size_t first_wrong(const struct lane *lane) {
  const size_t words = lane->run->program->bytes / WORD;
  size_t i = 0;
  while (i < words && payload_of(lane)[i] == code(lane, lane->try, i))
    i++;
  return i;
}

static size_t last_wrong(const struct lane *lane) {
  size_t i = lane->run->program->bytes / WORD;
  while (i > 0 && payload_of(lane)[i - 1] == code(lane, lane->try, i - 1))
    i--;
  return i;
}

/* The words before and behind the payload are zero, unless something went there. */
static uint64_t beside(const struct lane *lane) {
  const uint64_t *memory = payload_of(lane);
  uint64_t count = 0;
  for (size_t i = 1; i <= 128 / WORD; i++)
    count += (memory[-(ptrdiff_t)i] != 0) + (memory[lane->run->program->bytes / WORD + i - 1] != 0);
  return count;
}

static void seen(void *user);

static void source_done(void *user);

static void put(struct lane *lane, size_t from, size_t to, bool signal, fabric_actor *done) {
  struct run *run = lane->run;
  const struct fabric_put put = {.source = (int)lane->number % LANES_RANKS,
                                 .context = lane->context,
                                 .to = run->world->windows[run->program->payload_relaxed],
                                 .to_offset = offset_of(lane) + from,
                                 .from = (char *)lane->source + from,
                                 .bytes = to - from,
                                 .signal = signal ? &lane->signal : NULL};
  assert_true(fabricPut(run->fabric, &put, done, lane));
}

static void put_flag(struct lane *lane) {
  const struct fabric_put put = {.source = (int)lane->number % LANES_RANKS,
                                 .context = lane->context,
                                 .to = lane->signal.window,
                                 .to_offset = lane->signal.offset,
                                 .from = &lane->flag,
                                 .bytes = sizeof lane->flag};
  lane->flag = lane->try;
  assert_true(fabricPut(lane->run->fabric, &put, NULL, NULL));
}

static void post(struct lane *lane) {
  struct run *run = lane->run;
  const struct lanes_program *program = run->program;
  const size_t half = program->bytes / 2;
  const bool fused = !program->flag && !program->apart;
  run->left--;
  lane->try++;
  lane->looked = lane->read = false;
  fill(lane, lane->try);
  fabricWatch(run->fabric, &lane->signal, seen, lane);
  if (program->two)
    put(lane, 0, half, false, NULL);
  put(lane, program->two ? half : 0, program->bytes, fused, source_done);
  if (program->flag)
    put_flag(lane);
  else if (program->apart)
    assert_true(fabricSignal(run->fabric, (int)lane->number % LANES_RANKS, lane->context, &lane->signal));
}

/* When the try has been looked at and its source may be used again. */
static void again(struct lane *lane) {
  struct run *run = lane->run;
  if (!lane->looked || !lane->read)
    return;
  if (run->left > 0 && !(run->until_violation && lanes_violations(&run->result)))
    post(lane);
}

static void begin(void *user) {
  struct lane *lane = user;
  lane->looked = lane->read = true;
  again(lane);
}

/* A program that believes it writes the next payload at once. */
static void source_done(void *user) {
  struct lane *lane = user;
  fill(lane, lane->try + 1);
  lane->read = true;
  again(lane);
}

/* Until the payload is there, or long enough. */
static void poll_payload(void *user) {
  struct lane *lane = user;
  struct run *run = lane->run;
  const uint64_t now = fabricNow(run->fabric);
  if (last_wrong(lane) > 0 && lane->polls++ < POLLS) {
    fabricAt(run->fabric, now + POLL_NS, poll_payload, lane);
    return;
  }
  if (now - lane->seen_at > run->result.late_most)
    run->result.late_most = now - lane->seen_at;
  lane->looked = true;
  again(lane);
}

static void seen(void *user) {
  struct lane *lane = user;
  struct run *run = lane->run;
  const size_t words = run->program->bytes / WORD, last = last_wrong(lane);
  const uint64_t value = fabricSignalValue(run->fabric, &lane->signal);
  run->result.tries++;
  run->result.wrong_value += value != lane->try * (run->program->flag ? 1 : ADD);
  trace(run, value);
  trace(run, last * words + first_wrong(lane));
  if (last == 0) {
    lane->looked = true;
    again(lane);
    return;
  }
  run->result.early++;
  run->result.own_early += last > words / 2;
  lane->seen_at = fabricNow(run->fabric);
  lane->polls = 0;
  poll_payload(lane);
}

static void open_lane(struct run *run, unsigned number) {
  struct lane *lane = &run->lanes[number];
  const struct lanes_program *program = run->program;
  lane->run = run;
  lane->number = number;
  lane->context = (int)(number / LANES_RANKS);
  lane->signal = (struct fabric_signal){.va = program->va || program->flag,
                                        .strong = !program->weak,
                                        .index = number,
                                        .window = run->world->windows[program->signal_relaxed],
                                        .offset = SIGNALS + number * 256UL,
                                        .add = ADD};
  fabricAt(run->fabric, number, begin, lane);
}

struct lanes_result lanes_run(struct lanes_world *world, const struct ordering *table,
                              const struct fabric_settings *settings, const struct lanes_program *program,
                              uint64_t tries, bool until_violation) {
  struct run *run = calloc(1, sizeof *run);
  assert_non_null(run);
  run->world = world;
  run->program = program;
  run->left = tries;
  run->until_violation = until_violation;
  for (int relaxed = 0; relaxed < 2; relaxed++)
    memset(world->memory[relaxed], 0, LANES_WINDOW);
  run->fabric = fabric_open_by(table ? table : &pcie_ordering, world->comms[0], settings);
  assert_non_null(run->fabric);
  for (unsigned i = 0; i < program->lanes; i++)
    open_lane(run, i);
  while (fabricStep(run->fabric))
    trace(run, fabricNow(run->fabric));
  for (unsigned i = 0; i < program->lanes; i++) {
    run->result.beside += beside(&run->lanes[i]);
    run->result.unfinished += run->lanes[i].try;
  }
  run->result.unfinished -= run->result.tries;
  run->result.counts = fabricCounts(run->fabric);
  fabricClose(run->fabric);
  const struct lanes_result result = run->result;
  free(run);
  return result;
}

uint64_t lanes_violations(const struct lanes_result *result) {
  return result->early + result->wrong_value + result->beside + result->unfinished;
}
