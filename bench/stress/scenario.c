#include "bench/stress/scenario.h"

#include <string.h>

#include "bench/stress/code.h"

const struct scenario scenarios[] = {
    {"signal-first", "the signal sent before its put", EXPECT_SEEN, SHAPE_SIGNAL_FIRST, false, true, 1, 0, LOOK_ALL},
    {"put+signal", "a put that carries an indexed signal", EXPECT_NEVER, SHAPE_FUSED, false, true, 1, 0, LOOK_ALL},
    {"put+weak", "a put that carries a weak indexed signal", EXPECT_NEVER, SHAPE_FUSED, false, false, 1, 0, LOOK_ALL},
    {"put;signal", "a put, then an indexed signal", EXPECT_NEVER, SHAPE_SEPARATE, false, true, 1, 0, LOOK_ALL},
    {"2put+signal", "two puts, one strong signal", EXPECT_NEVER, SHAPE_TWO_PUTS, false, true, 1, 0, LOOK_ALL},
    {"2put+weak:last", "two puts, one weak signal: the put it came with", EXPECT_NEVER, SHAPE_TWO_PUTS, false, false, 1,
     0, LOOK_LAST},
    {"put+va-signal", "a put that carries a VA signal", EXPECT_NEVER, SHAPE_FUSED, true, true, 1, 0, LOOK_ALL},
    {"put;va-signal", "a put, then a VA signal", EXPECT_NEVER, SHAPE_SEPARATE, true, true, 1, 0, LOOK_ALL},
    {"channel-tail", "a ring of 8 slots, its tail counter a VA signal", EXPECT_NEVER, SHAPE_SEPARATE, true, true, 8, 0,
     LOOK_ALL},
    {"source-reuse+completion", "the source overwritten after local completion", EXPECT_NEVER, SHAPE_FUSED, false, true,
     1, REUSE_COMPLETED, LOOK_ALL},
    {"source-reuse+flush", "the source overwritten after a flush", EXPECT_NEVER, SHAPE_FUSED, false, true, 1,
     REUSE_FLUSHED, LOOK_ALL},
    {"source-reuse", "the source overwritten at once", EXPECT_ALLOWED, SHAPE_FUSED, false, true, 1, REUSE_AT_ONCE,
     LOOK_ALL},
    {"2put+weak:first", "two puts, one weak signal: the earlier put", EXPECT_ALLOWED, SHAPE_TWO_PUTS, false, false, 1,
     0, LOOK_FIRST},
    {"put-as-flag", "a put, then a put of one word as its flag", EXPECT_ALLOWED, SHAPE_FLAG, false, true, 1, 0,
     LOOK_ALL},
    {"cross-context", "a put, then a signal on another context", EXPECT_ALLOWED, SHAPE_CROSS_CONTEXT, false, true, 1, 0,
     LOOK_ALL},
};
const size_t scenario_count = sizeof scenarios / sizeof *scenarios;

const struct scenario *scenario_find(const char *name) {
  for (size_t i = 0; i < scenario_count; i++)
    if (strcmp(scenarios[i].name, name) == 0)
      return &scenarios[i];
  return NULL;
}

const char *expectation_name(enum expectation expectation) {
  static const char *const names[] = {"never", "allowed", "seen"};
  return names[expectation];
}

static const char *const pattern_names[PATTERNS] = {"peer",   "pairs",     "ring", "fan-out",
                                                    "fan-in", "bipartite", "all",  "mixed"};

const char *pattern_name(enum pattern pattern) { return pattern_names[pattern]; }

enum pattern pattern_find(const char *name) {
  int pattern = 0;
  while (pattern < PATTERNS && strcmp(pattern_names[pattern], name) != 0)
    pattern++;
  return (enum pattern)pattern;
}

enum { RANKS_MAX = 1024 };

/* A permutation of the ranks, drawn from the block (Fisher-Yates). */
static unsigned permuted(unsigned rank, unsigned ranks, unsigned long long block) {
  unsigned short places[RANKS_MAX] = {0};
  const unsigned count = ranks < RANKS_MAX ? ranks : RANKS_MAX;
  for (unsigned i = 0; i < count; i++)
    places[i] = (unsigned short)i;
  for (unsigned i = count; i-- > 1;) {
    const unsigned j = (unsigned)(seed_of(block, 16 + i) % (i + 1));
    const unsigned short swapped = places[i];
    places[i] = places[j];
    places[j] = swapped;
  }
  return places[rank];
}

static bool sends(enum pattern pattern, unsigned ranks, unsigned source, unsigned receiver) {
  switch (pattern) {
  case PATTERN_PEER: return source == 0 && receiver == 1;
  case PATTERN_PAIRS: return (source ^ 1) == receiver;
  case PATTERN_RING: return (source + 1) % ranks == receiver;
  case PATTERN_FAN_OUT: return source == 0 && receiver != 0;
  case PATTERN_FAN_IN: return source != 0 && receiver == 0;
  case PATTERN_BIPARTITE: return source < ranks / 2 && receiver >= ranks / 2;
  default: return source != receiver;
  }
}

enum pattern pattern_of_block(enum pattern pattern, unsigned long long block) {
  return pattern == PATTERN_MIXED ? (enum pattern)(seed_of(block, 3) % PATTERN_MIXED) : pattern;
}

bool pattern_sends(enum pattern pattern, unsigned ranks, unsigned source, unsigned receiver, unsigned long long block) {
  if (ranks == 1)
    return true;
  pattern = pattern_of_block(pattern, block);
  return sends(pattern, ranks, permuted(source, ranks, block), permuted(receiver, ranks, block));
}
