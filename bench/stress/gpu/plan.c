#include "bench/stress/gpu/plan.h"

#include <stdlib.h>

enum { OFFSET_MAX = 4096 };

static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }
static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

/*
 * A window: slots of what is received, as many for what is sent; then lines of single words: for each lane that is received a
 * signal, and for each pair of ranks and lane an acknowledgement and a final count. The last two are found by peer, not by
 * number: a fast peer may already write those of its next block.
 */
struct layout {
  uint64_t received, sent, signals, acks, finals, end;
};

static unsigned receiver_slots(unsigned ranks) { return larger(LANES_OF_RECEIVER, ranks) * DEPTH_MAX; }
static unsigned sender_slots(unsigned ranks) { return larger(LANES_OF_SENDER, ranks) * DEPTH_MAX; }

static uint64_t slot_bytes(size_t largest) { return (largest + OFFSET_MAX + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES; }

/* With rings the slots are more, the lanes fewer: LANES times DEPTH_MAX bounds both, for small payloads as for large ones. */
static struct layout layout_of(unsigned ranks, size_t largest) {
  struct layout layout = {0};
  const uint64_t words = (uint64_t)ranks * LANES_OF_PAIR * LINE_BYTES;
  layout.sent = slot_bytes(largest) * receiver_slots(ranks);
  layout.signals = layout.sent + slot_bytes(largest) * sender_slots(ranks);
  layout.acks = layout.signals + (uint64_t)plan_signals(ranks) * LINE_BYTES;
  layout.finals = layout.acks + words;
  layout.end = layout.finals + words;
  return layout;
}

size_t plan_window_bytes(unsigned ranks, size_t largest) { return layout_of(ranks, largest).end; }

unsigned plan_signals(unsigned ranks) { return larger(LANES_OF_SENDER, ranks); }

/* The pattern of one block: who sends to whom. */
struct pairs {
  unsigned ranks;
  enum pattern pattern;
  unsigned short places[PATTERN_RANKS_MAX];
  unsigned sources[PATTERN_RANKS_MAX],
      targets[PATTERN_RANKS_MAX]; /* how many send to each rank, and how many each sends to */
};

static bool sends(const struct pairs *pairs, unsigned source, unsigned receiver) {
  return pattern_joins(pairs->pattern, pairs->ranks, pairs->places[source], pairs->places[receiver]);
}

static void pairs_of(struct pairs *pairs, unsigned ranks, const struct block *block) {
  *pairs = (struct pairs){.ranks = ranks, .pattern = pattern_of_block(block->pattern, block->number)};
  pattern_places(ranks, block->number, pairs->places);
  for (unsigned source = 0; source < ranks; source++)
    for (unsigned receiver = 0; receiver < ranks; receiver++)
      if (sends(pairs, source, receiver)) {
        pairs->sources[receiver]++;
        pairs->targets[source]++;
      }
}

/* Both ends come to the same number; a ring counts as one lane. */
static unsigned lanes_between(const struct pairs *pairs, unsigned source, unsigned receiver) {
  const unsigned most = smaller(LANES_OF_RECEIVER / pairs->sources[receiver], LANES_OF_SENDER / pairs->targets[source]);
  return larger(smaller(most, LANES_OF_PAIR), 1);
}

/* How many lanes the ranks before this one have to the receiver, or from the sender. */
static unsigned lanes_before(const struct pairs *pairs, unsigned source, unsigned receiver, bool at_receiver) {
  unsigned count = 0;
  for (unsigned rank = 0; rank < (at_receiver ? source : receiver); rank++)
    if (at_receiver ? sends(pairs, rank, receiver) : sends(pairs, source, rank))
      count += at_receiver ? lanes_between(pairs, rank, receiver) : lanes_between(pairs, source, rank);
  return count;
}

static struct end *next_end(struct plan *plan) {
  if (plan->count == plan->capacity) {
    const unsigned capacity = plan->capacity ? 2 * plan->capacity : 64;
    struct end *grown = realloc(plan->ends, capacity * sizeof *grown);
    if (!grown)
      return NULL;
    plan->ends = grown;
    plan->capacity = capacity;
  }
  return &plan->ends[plan->count++];
}

/* Of one pair of ranks in one block. */
struct pair {
  unsigned source, receiver, first_at_receiver, first_at_sender, lanes;
};

static struct end end_of(const struct layout *layout, uint64_t stride, const struct block *block,
                         const struct pair *pair, unsigned lane, bool receiving) {
  const unsigned depth = block->scenario->depth, number = pair->first_at_receiver + lane;
  const unsigned at_sender = pair->first_at_sender + lane;
  const uint64_t seed = seed_of(seed_of(block->seed, block->number), pair->receiver), line = LINE_BYTES;
  struct end end = {.receiving = receiving, .peer = receiving ? pair->source : pair->receiver, .number = number};
  end.counter = at_sender;
  end.context = (unsigned)(seed_of(seed, number) % 4);
  end.words = (unsigned)(block->bytes / sizeof(uint64_t));
  end.stride = stride;
  end.slots = number * depth * stride + block->offset;
  end.source = layout->sent + at_sender * depth * stride + block->offset;
  end.signal = layout->signals + number * line;
  end.ack = layout->acks + (pair->receiver * (uint64_t)LANES_OF_PAIR + lane) * line;
  end.final = layout->finals + (pair->source * (uint64_t)LANES_OF_PAIR + lane) * line;
  end.seed = seed;
  end.origin = (struct origin){.source = pair->source, .context = end.context, .slot = number % CODE_SLOTS};
  return end;
}

/* The rounds of a receiver are shared by its lanes. */
static unsigned quota_of(const struct pairs *pairs, unsigned tries, unsigned receiver) {
  const unsigned lanes = lanes_before(pairs, pairs->ranks, receiver, true);
  return (tries + lanes - 1) / lanes;
}

static bool add_pair(struct plan *plan, const struct layout *layout, const struct pairs *pairs,
                     const struct block *block, unsigned source, unsigned receiver, bool receiving) {
  if (!sends(pairs, source, receiver))
    return true;
  const struct pair pair = {.source = source,
                            .receiver = receiver,
                            .first_at_receiver = lanes_before(pairs, source, receiver, true),
                            .first_at_sender = lanes_before(pairs, source, receiver, false),
                            .lanes = lanes_between(pairs, source, receiver)};
  for (unsigned lane = 0; lane < pair.lanes; lane++) {
    struct end *end = next_end(plan);
    if (!end)
      return false;
    *end = end_of(layout, plan->stride, block, &pair, lane, receiving);
    end->quota = quota_of(pairs, block->tries, receiver);
    plan->receiving += receiving;
  }
  return true;
}

bool plan_block(struct plan *plan, unsigned ranks, unsigned rank, size_t largest, const struct block *block) {
  const struct layout layout = layout_of(ranks, largest);
  struct pairs pairs;
  bool good = true;
  pairs_of(&pairs, ranks, block);
  plan->count = plan->receiving = 0;
  plan->stride = slot_bytes(block->bytes);
  for (unsigned peer = 0; good && peer < ranks; peer++)
    good = add_pair(plan, &layout, &pairs, block, peer, rank, true);
  for (unsigned peer = 0; good && peer < ranks; peer++)
    good = add_pair(plan, &layout, &pairs, block, rank, peer, false);
  return good;
}
