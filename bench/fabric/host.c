/* The receiving host as its user sees it: what fabric.h declares. */
#include "bench/fabric/host.h"

#include <stdlib.h>
#include <string.h>

enum { TLP_LEAST = 64, TLP_MOST = 4096, TLP_DEFAULT = 256, LINK_DEFAULT = 10, JITTER_DEFAULT = 200, MODE_MOST = 4 };
enum { BACKGROUND_MOST = 4096, BACKGROUND_GAP_NS = 2000, TIME_MOST = 1 << 30 };
enum { NIC_ID = 0x100 };
/* Powers of two ns: lateness below 1 us whatever else holds, and well above the time a read-modify-write takes. */
enum { BRIEF_FIRST = 6, BRIEF_LAST = 9, RARE_FIRST = 11, RARE_LAST = 13 };
static const size_t PUT_MOST = (size_t)1 << 31;
static const double REORDER_DEFAULT = 0.5;
#define OUT_OF_MEMORY "the fabric is out of memory"

void host_at(struct fabric *fabric, uint64_t time, fabric_actor *actor, void *user) {
  if (!engine_at(&fabric->engine, time, actor, user))
    fabric->failed = true;
}

/* The low bits of the draw tell whether the network is congested and how much, the upper half is the jitter. */
uint64_t host_arrival(struct fabric *fabric) {
  const uint64_t draw = random_next(&fabric->random);
  uint64_t time = fabric->engine.now + NETWORK_NS + ((draw >> 32) * fabric->jitter_ns >> 32);
  if (draw % CONGESTED_ONE_IN == 0)
    time += random_spread(draw >> 6, HOLD_FIRST, HOLD_LAST);
  return time;
}

struct passage host_enter(struct fabric *fabric, enum tlp_kind kind, bool relaxed) {
  const bool second = fabric->faults.planted == FAULT_TWO_PATHS && random_one_in(&fabric->faults.random, 2);
  return ingress_enter(&fabric->ingress[second], &fabric->rules, &fabric->random, fabric->engine.now, kind, relaxed);
}

/* A TLP of somebody else: it takes its turn on the path, and another follows. */
static void background(void *user) {
  struct fabric *fabric = user;
  const struct passage passage = host_enter(fabric, TLP_WRITE, true);
  host_at(fabric, passage.delivery + random_below(&fabric->random, BACKGROUND_GAP_NS), background, fabric);
}

/* The mode that WINORD_FABRIC_MODE names, else this one; -1: no such mode. */
static int mode_of(int set) {
  const char *named = getenv("WINORD_FABRIC_MODE");
  if (named && *named)
    set = named[1] == '\0' ? *named - '0' : -1;
  return set >= 0 && set <= MODE_MOST ? set : -1;
}

static bool set_mode(struct fabric *fabric, int set) {
  const int mode = mode_of(set);
  if (mode < 0) {
    set_error("the PCI atomic mode of the fabric is not 0 to %d (settings, or WINORD_FABRIC_MODE)", MODE_MOST);
    return false;
  }
  for (int relaxed = 0; relaxed < 2; relaxed++) {
    const struct tlp signal = {.relaxed = relaxed, .id = NIC_ID};
    fabric->step_count = signal_steps(atomic_engine((unsigned)mode), signal, 0, fabric->steps[relaxed]);
  }
  return true;
}

static bool set_fault(struct fabric *fabric, uint64_t seed) {
  const char *name = getenv("WINORD_FABRIC_FAULT");
  const enum fault fault = fault_find(name);
  if (fault == FAULTS) {
    set_error("WINORD_FABRIC_FAULT: the fabric has no fault \"%s\"", name);
    return false;
  }
  faults_plant(&fabric->faults, fault, seed);
  return true;
}

static bool payload_open(struct fabric *fabric) {
  if (fabric->faults.planted != FAULT_FOREIGN_PAYLOAD)
    return true;
  fabric->latest_payload = calloc(1, fabric->tlp_bytes);
  return fabric->latest_payload != NULL;
}

static unsigned or_default(unsigned set, unsigned otherwise) { return set ? set : otherwise; }

static bool set_times(struct fabric *fabric, const struct fabric_settings *settings) {
  fabric->tlp_bytes = or_default(settings->tlp_bytes, TLP_DEFAULT);
  fabric->link_ns = or_default(settings->link_ns, LINK_DEFAULT);
  fabric->jitter_ns = or_default(settings->jitter_ns, JITTER_DEFAULT);
  fabric->background = settings->background;
  const unsigned tlp = fabric->tlp_bytes;
  if (tlp >= TLP_LEAST && tlp <= TLP_MOST && (tlp & (tlp - 1)) == 0 && settings->reorder <= 1 &&
      fabric->link_ns <= TIME_MOST && fabric->jitter_ns <= TIME_MOST && fabric->background <= BACKGROUND_MOST)
    return true;
  set_error("settings of the fabric are out of range");
  return false;
}

static double reorder_of(double set) { return set == 0 ? REORDER_DEFAULT : set < 0 ? 0 : set; }

static bool queues_open(struct fabric *fabric) {
  const size_t count = (size_t)fabric->receiver->nranks * FABRIC_CONTEXTS;
  fabric->queues = calloc(count, sizeof *fabric->queues);
  for (size_t i = 0; fabric->queues && i < count; i++)
    fabric->queues[i].fabric = fabric;
  return fabric->queues != NULL;
}

static bool background_start(struct fabric *fabric) {
  for (unsigned i = 0; i < fabric->background; i++)
    host_at(fabric, random_below(&fabric->random, BACKGROUND_GAP_NS), background, fabric);
  return !fabric->failed;
}

static bool memory_open(struct fabric *fabric) {
  if (queues_open(fabric) && payload_open(fabric) && background_start(fabric))
    return true;
  set_error(OUT_OF_MEMORY);
  return false;
}

static bool set_up(struct fabric *fabric, const struct ordering *table, const struct fabric_settings *settings) {
  if (!set_times(fabric, settings) || !set_mode(fabric, settings->pci_atomic_mode) ||
      !set_fault(fabric, settings->seed))
    return false;
  random_seed(&fabric->random, settings->seed);
  ingress_rules_set(&fabric->rules, table, reorder_of(settings->reorder), fabric->link_ns);
  watches_open(&fabric->watches);
  fabric->ops.size = pool_size(sizeof(struct op));
  fabric->packets.size = pool_size(sizeof(struct packet) + fabric->tlp_bytes);
  fabric->signals.size = pool_size(sizeof(struct arriving));
  return memory_open(fabric);
}

struct fabric *fabric_open_by(const struct ordering *table, struct ncclComm *receiver,
                              const struct fabric_settings *settings) {
  struct fabric *fabric = calloc(1, sizeof *fabric);
  if (!fabric) {
    set_error(OUT_OF_MEMORY);
    return NULL;
  }
  fabric->receiver = receiver;
  if (set_up(fabric, table, settings))
    return fabric;
  fabricClose(fabric);
  return NULL;
}

struct fabric *fabricOpen(struct ncclComm *receiver, const struct fabric_settings *settings) {
  return fabric_open_by(&pcie_ordering, receiver, settings);
}

void fabricClose(struct fabric *fabric) {
  if (!fabric)
    return;
  engine_free(&fabric->engine);
  watches_close(&fabric->watches);
  pool_free(&fabric->ops);
  pool_free(&fabric->packets);
  pool_free(&fabric->signals);
  free(fabric->latest_payload);
  free(fabric->queues);
  free(fabric);
}

uint64_t fabricNow(const struct fabric *fabric) { return fabric->engine.now; }

void fabricAt(struct fabric *fabric, uint64_t time, fabric_actor *actor, void *user) {
  host_at(fabric, time, actor, user);
}

static struct send_queue *queue_of(struct fabric *fabric, int source, int context) {
  if (source < 0 || source >= fabric->receiver->nranks || context < 0 || context >= FABRIC_CONTEXTS)
    return NULL;
  return &fabric->queues[source * FABRIC_CONTEXTS + context];
}

/* The queue a signal takes with the fault other-context. */
static struct send_queue *other_queue(struct send_queue *queue) {
  const ptrdiff_t number = queue - queue->fabric->queues;
  return &queue->fabric->queues[number / FABRIC_CONTEXTS * FABRIC_CONTEXTS + (number + 1) % FABRIC_CONTEXTS];
}

static bool in_window(const struct fabric *fabric, const struct ncclWindow_vidmem *window, size_t offset,
                      size_t bytes) {
  return window && window->comm == fabric->receiver && offset <= window->size && bytes <= window->size - offset;
}

/* NULL: there is no such signal. */
static uint64_t *word_of(const struct fabric *fabric, const struct fabric_signal *signal) {
  if (!signal->va)
    return signal->index < FABRIC_SIGNALS ? (uint64_t *)&fabric->signals_memory[signal->index] : NULL;
  if (signal->offset % sizeof(uint64_t) != 0 || !in_window(fabric, signal->window, signal->offset, sizeof(uint64_t)))
    return NULL;
  return (uint64_t *)((uint8_t *)signal->window->base + signal->offset);
}

static struct op *op_take(struct fabric *fabric, struct send_queue *queue, enum op_kind kind) {
  struct op *op = pool_take(&fabric->ops);
  if (op)
    *op = (struct op){.queue = queue, .kind = kind};
  else
    fabric->failed = true;
  return op;
}

/* A weak signal takes its put along past earlier puts, half of the time. */
static bool set_signal(struct fabric *fabric, struct op *op, const struct fabric_signal *signal) {
  op->target.word = word_of(fabric, signal);
  op->target.add = signal->add;
  op->target.relaxed = signal->va && op->target.word && window_relaxed(signal->window);
  op->has_signal = true;
  op->alone = !signal->strong && random_one_in(&fabric->random, 2);
  return op->target.word != NULL;
}

static bool post_signal(struct send_queue *queue, const struct fabric_signal *signal) {
  struct op *op = op_take(queue->fabric, queue, OP_SIGNAL);
  if (!op)
    return false;
  if (!set_signal(queue->fabric, op, signal)) {
    pool_give(&queue->fabric->ops, op);
    return false;
  }
  if (fault_strikes(&queue->fabric->faults, FAULT_OTHER_CONTEXT))
    op->queue = other_queue(queue);
  queue_post(op->queue, op);
  return true;
}

static uint64_t long_time(struct fabric *fabric) {
  return random_spread(random_next(&fabric->faults.random), HOLD_LAST - 4, HOLD_LAST);
}

/* The faults of a put as a whole. */
static void spoil_put(struct fabric *fabric, struct op *op) {
  const uint64_t now = fabric->engine.now;
  op->dropped = fault_strikes(&fabric->faults, FAULT_STALE_SLOT);
  if (fault_strikes(&fabric->faults, FAULT_BRIEF))
    op->escape = random_spread(random_next(&fabric->faults.random), BRIEF_FIRST, BRIEF_LAST);
  if (fault_strikes(&fabric->faults, FAULT_RARE))
    op->escape = random_spread(random_next(&fabric->faults.random), RARE_FIRST, RARE_LAST);
  if (fault_strikes(&fabric->faults, FAULT_EARLY_COMPLETION)) {
    op->early = true;
    op->delay = long_time(fabric);
    op_acknowledge_at(op, now + fabric->link_ns);
  }
  if (fault_strikes(&fabric->faults, FAULT_LATE_READ)) {
    op->early = true;
    op->delay = ROUND_TRIP_NS + long_time(fabric);
    op_acknowledge_at(op, now + READ_NS + ROUND_TRIP_NS);
  }
}

/* As fault: the signal goes by itself, at once, on another queue. */
static bool split_signal(struct fabric *fabric, struct op *op, const struct fabric_signal *signal) {
  if (!signal || !fault_strikes(&fabric->faults, FAULT_OTHER_CONTEXT))
    return false;
  op->has_signal = false;
  op->delay = long_time(fabric);
  return true;
}

bool fabricPut(struct fabric *fabric, const struct fabric_put *put, fabric_actor *source_done, void *user) {
  struct send_queue *queue = queue_of(fabric, put->source, put->context);
  if (!queue || put->bytes == 0 || put->bytes > PUT_MOST || !in_window(fabric, put->to, put->to_offset, put->bytes))
    return false;
  struct op *op = op_take(fabric, queue, OP_PUT);
  if (!op)
    return false;
  op->from = put->from;
  op->window = put->to;
  op->offset = put->to_offset;
  op->bytes = put->bytes;
  op->actor = source_done;
  op->user = user;
  if (put->signal && !set_signal(fabric, op, put->signal)) {
    pool_give(&fabric->ops, op);
    return false;
  }
  if (fabric->faults.planted != FAULT_NONE)
    spoil_put(fabric, op);
  const bool apart = split_signal(fabric, op, put->signal);
  queue_post(queue, op);
  if (apart)
    post_signal(other_queue(queue), put->signal);
  return !fabric->failed;
}

bool fabricSignal(struct fabric *fabric, int source, int context, const struct fabric_signal *signal) {
  struct send_queue *queue = queue_of(fabric, source, context);
  return queue && post_signal(queue, signal) && !fabric->failed;
}

void fabricFlush(struct fabric *fabric, int source, int context, fabric_actor *done, void *user) {
  struct send_queue *queue = queue_of(fabric, source, context);
  struct op *op = queue ? op_take(fabric, queue, OP_FLUSH) : NULL;
  if (!op)
    return;
  op->actor = done;
  op->user = user;
  queue_post(queue, op);
}

uint64_t fabricSignalValue(const struct fabric *fabric, const struct fabric_signal *signal) {
  const uint64_t *word = word_of(fabric, signal);
  return word ? *word : 0;
}

void fabricWatch(struct fabric *fabric, const struct fabric_signal *signal, fabric_actor *actor, void *user) {
  const uint64_t *word = word_of(fabric, signal);
  if (word && !watches_add(&fabric->watches, word, actor, user))
    fabric->failed = true;
}

bool fabricStep(struct fabric *fabric) {
  if (fabric->failed) {
    set_error(OUT_OF_MEMORY);
    return false;
  }
  return fabric->engine.count > fabric->background && engine_step(&fabric->engine);
}

struct fabric_counts fabricCounts(const struct fabric *fabric) {
  return fabric->counts;
}

bool fabricWindowRelaxed(const struct ncclWindow_vidmem *window) { return window_relaxed(window); }
