/* The receiving NIC: payload and signals on their way through PCIe into memory. */
#include <string.h>

#include "bench/fabric/host.h"

enum { LINE = 128, HALF = LINE / 2, COUNTER_BITS = 16, RESET_FIRST = 6, RESET_LAST = 12 };

static void count(struct fabric *fabric, bool passed) {
  fabric->counts.tlps++;
  fabric->counts.passed += passed;
}

static void write_memory(struct packet *packet, size_t from, size_t to) {
  memcpy(packet->to + from, packet->data + from, to - from);
}

/* The first, or the second half of each line that is all in this TLP, and what is in none. */
static void write_halves(struct packet *packet, bool second) {
  const size_t first_line = -(uintptr_t)packet->to & (LINE - 1);
  size_t line = first_line;
  if (!second)
    write_memory(packet, 0, first_line);
  for (; line + LINE <= packet->bytes; line += LINE)
    write_memory(packet, line + (second ? HALF : 0), line + (second ? LINE : HALF));
  if (!second)
    write_memory(packet, line, packet->bytes);
}

static bool has_line(const struct packet *packet) {
  return (-(uintptr_t)packet->to & (LINE - 1)) + LINE <= packet->bytes;
}

static void packet_delivered(void *user);

/* Whether the second halves come later. */
static bool split(struct fabric *fabric, struct packet *packet) {
  if (packet->half || !has_line(packet) || !fault_strikes(&fabric->faults, FAULT_HALF_LINES))
    return false;
  const uint64_t late = random_spread(random_next(&fabric->faults.random), HOLD_FIRST, HOLD_LAST);
  packet->half = true;
  write_halves(packet, false);
  host_at(fabric, fabric->engine.now + late, packet_delivered, packet);
  watches_fire(&fabric->watches, packet->to, packet->bytes);
  return true;
}

static void packet_delivered(void *user) {
  struct packet *packet = user;
  struct fabric *fabric = packet->fabric;
  const size_t bytes = packet->bytes;
  const uint8_t *to = packet->to;
  if (!packet->half)
    count(fabric, packet->passed);
  if (packet->half)
    write_halves(packet, true);
  else if (split(fabric, packet))
    return;
  else if (!packet->lost)
    write_memory(packet, 0, bytes);
  pool_give(&fabric->packets, packet);
  watches_fire(&fabric->watches, to, bytes);
}

/* One that escapes is delivered later than its turn, and nobody behind it knows. */
void packet_arrives(void *user) {
  struct packet *packet = user;
  struct fabric *fabric = packet->fabric;
  struct passage passage = host_enter(fabric, TLP_WRITE, packet->relaxed);
  packet->passed = passage.passed;
  op_acknowledge_at(packet->last_of, passage.entry + NETWORK_NS);
  host_at(fabric, passage.delivery + packet->escape, packet_delivered, packet);
}

static void set_word(struct fabric *fabric, uint64_t *word, uint64_t value) {
  *word = value;
  watches_fire(&fabric->watches, word, sizeof *word);
}

/* A late reset of a signal, as a fault. */
static void reset(void *user) {
  struct arriving *signal = user;
  struct fabric *fabric = signal->fabric;
  uint64_t *word = signal->target.word;
  pool_give(&fabric->signals, signal);
  set_word(fabric, word, 0);
}

static void plan_reset(struct fabric *fabric, const struct arriving *cause) {
  if (fabric->was_reset || !fault_strikes(&fabric->faults, FAULT_RESET_SIGNAL))
    return;
  struct arriving *signal = pool_take(&fabric->signals);
  if (!signal)
    return;
  fabric->was_reset = true;
  *signal = *cause;
  const uint64_t late = random_spread(random_next(&fabric->faults.random), RESET_FIRST, RESET_LAST);
  host_at(fabric, fabric->engine.now + late, reset, signal);
}

static struct arriving **rmw_bucket(struct fabric *fabric, const uint64_t *word) {
  return &fabric->rmw[(uintptr_t)word / sizeof *word % RMW_BUCKETS];
}

static void enter_step(struct arriving *signal);

/* The NIC's unit does one read-modify-write of a word at a time. */
static void rmw_begin(struct arriving *signal) {
  struct arriving **link = rmw_bucket(signal->fabric, signal->target.word);
  bool busy = false;
  for (; *link; link = &(*link)->next)
    busy = busy || (*link)->target.word == signal->target.word;
  *link = signal;
  if (!busy)
    enter_step(signal);
}

/* Its write is on the path, and the next one's read cannot pass it. */
static void rmw_end(struct arriving *signal) {
  struct arriving **link = rmw_bucket(signal->fabric, signal->target.word);
  while (*link != signal)
    link = &(*link)->next;
  *link = signal->next;
  struct arriving *next = signal->next;
  while (next && next->target.word != signal->target.word)
    next = next->next;
  if (next)
    enter_step(next);
}

/* What the word becomes. */
static uint64_t sum(struct fabric *fabric, const struct arriving *signal, uint64_t old) {
  const uint64_t value = old + signal->target.add;
  return fault_strikes(&fabric->faults, FAULT_COUNTER_WRAP) ? value & ((1U << COUNTER_BITS) - 1) : value;
}

static enum tlp_kind kind_of(const struct arriving *signal) {
  return signal->fabric->steps[signal->target.relaxed][signal->step].tlp.kind;
}

/* The last step is in memory: the receiver sees it. */
static void signal_delivered(struct arriving *signal) {
  struct fabric *fabric = signal->fabric;
  uint64_t *word = signal->target.word;
  const uint64_t value = kind_of(signal) == TLP_ATOMIC ? sum(fabric, signal, *word) : signal->value;
  fabric->counts.signals++;
  if (kind_of(signal) == TLP_ATOMIC)
    op_acknowledge_at(signal->op, fabric->engine.now + READ_NS + NETWORK_NS);
  plan_reset(fabric, signal);
  pool_give(&fabric->signals, signal);
  set_word(fabric, word, value);
}

/* The answer to the read is back at the NIC. */
static void answered(void *user) {
  struct arriving *signal = user;
  signal->value = sum(signal->fabric, signal, signal->value);
  signal->step++;
  enter_step(signal);
}

static void step_delivered(void *user) {
  struct arriving *signal = user;
  struct fabric *fabric = signal->fabric;
  count(fabric, signal->passed);
  if (signal->step + 1 == fabric->step_count) {
    signal_delivered(signal);
    return;
  }
  signal->value = *signal->target.word;
  host_at(fabric, fabric->engine.now + READ_NS, answered, signal);
}

/* Each step waits for the answer to the one before. */
static void enter_step(struct arriving *signal) {
  struct fabric *fabric = signal->fabric;
  const struct tlp tlp = fabric->steps[signal->target.relaxed][signal->step].tlp;
  const struct passage passage = host_enter(fabric, tlp.kind, tlp.relaxed);
  signal->passed = passage.passed;
  host_at(fabric, passage.delivery, step_delivered, signal);
  if (tlp.kind == TLP_WRITE) {
    op_acknowledge_at(signal->op, passage.entry + NETWORK_NS);
    rmw_end(signal);
  }
}

static void start(struct arriving *signal) {
  if (signal->fabric->step_count > 1)
    rmw_begin(signal);
  else
    enter_step(signal);
}

static void duplicate(struct fabric *fabric, const struct arriving *signal) {
  struct arriving *second = pool_take(&fabric->signals);
  if (!second)
    return;
  *second = *signal;
  second->op = NULL;
  start(second);
}

void signal_arrives(void *user) {
  struct arriving *signal = user;
  struct fabric *fabric = signal->fabric;
  if (fault_strikes(&fabric->faults, FAULT_DROPPED_SIGNAL)) {
    op_acknowledge_at(signal->op, fabric->engine.now + NETWORK_NS);
    pool_give(&fabric->signals, signal);
    return;
  }
  if (fault_strikes(&fabric->faults, FAULT_RELAXED_SIGNAL))
    signal->target.relaxed = true;
  if (fault_strikes(&fabric->faults, FAULT_DUPLICATED_SIGNAL))
    duplicate(fabric, signal);
  start(signal);
}
