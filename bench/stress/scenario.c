#include "bench/stress/scenario.h"

#include <string.h>

#include "bench/stress/code.h"

enum { NET = ON_FABRIC | ON_GIN, ALL_BACKENDS = ON_FABRIC | ON_GIN | ON_RMA | ON_LSA };

const struct scenario scenarios[] = {
    {"signal-first", "the signal sent before its put", EXPECT_SEEN, SHAPE_SIGNAL_FIRST, false, true, 1, 0, LOOK_ALL,
     ALL_BACKENDS},
    {"put+signal", "a put that carries an indexed signal", EXPECT_NEVER, SHAPE_FUSED, false, true, 1, 0, LOOK_ALL,
     ALL_BACKENDS},
    {"put+weak", "a put that carries a weak indexed signal", EXPECT_NEVER, SHAPE_FUSED, false, false, 1, 0, LOOK_ALL,
     NET},
    {"put;signal", "a put, then an indexed signal", EXPECT_NEVER, SHAPE_SEPARATE, false, true, 1, 0, LOOK_ALL,
     NET | ON_LSA},
    {"2put+signal", "two puts, one strong signal", EXPECT_NEVER, SHAPE_TWO_PUTS, false, true, 1, 0, LOOK_ALL,
     NET | ON_RMA},
    {"2put+weak:last", "two puts, one weak signal: the put it came with", EXPECT_NEVER, SHAPE_TWO_PUTS, false, false, 1,
     0, LOOK_LAST, NET},
    {"put+va-signal", "a put that carries a VA signal", EXPECT_NEVER, SHAPE_FUSED, true, true, 1, 0, LOOK_ALL, NET},
    {"put;va-signal", "a put, then a VA signal", EXPECT_NEVER, SHAPE_SEPARATE, true, true, 1, 0, LOOK_ALL, NET},
    {"channel-tail", "a ring of 8 slots, its tail counter a VA signal", EXPECT_NEVER, SHAPE_SEPARATE, true, true, 8, 0,
     LOOK_ALL, NET | ON_LSA},
    {"source-reuse+completion", "the source overwritten after local completion", EXPECT_NEVER, SHAPE_FUSED, false, true,
     1, REUSE_COMPLETED, LOOK_ALL, NET | ON_RMA},
    {"source-reuse+flush", "the source overwritten after a flush", EXPECT_NEVER, SHAPE_FUSED, false, true, 1,
     REUSE_FLUSHED, LOOK_ALL, NET},
    {"units-16", "16 bytes stored at once, read at any time", EXPECT_NEVER, SHAPE_UNITS_16, false, true, 1, 0, LOOK_ALL,
     ON_LSA},
    {"source-reuse", "the source overwritten at once", EXPECT_ALLOWED, SHAPE_FUSED, false, true, 1, REUSE_AT_ONCE,
     LOOK_ALL, NET},
    {"2put+weak:first", "two puts, one weak signal: the earlier put", EXPECT_ALLOWED, SHAPE_TWO_PUTS, false, false, 1,
     0, LOOK_FIRST, NET},
    {"put-as-flag", "a put, then a put of one word as its flag", EXPECT_ALLOWED, SHAPE_FLAG, false, true, 1, 0,
     LOOK_ALL, NET},
    {"cross-context", "a put, then a signal on another context", EXPECT_ALLOWED, SHAPE_CROSS_CONTEXT, false, true, 1, 0,
     LOOK_ALL, NET},
    {"unfenced", "stores, then a relaxed flag without a fence", EXPECT_ALLOWED, SHAPE_UNFENCED, false, true, 1, 0,
     LOOK_ALL, ON_LSA},
    {"units-128", "128 bytes stored by a warp at once, read at any time", EXPECT_ALLOWED, SHAPE_UNITS_128, false, true,
     1, 0, LOOK_ALL, ON_LSA},
};
const size_t scenario_count = sizeof scenarios / sizeof *scenarios;

const struct scenario *scenario_find(const char *name) {
  for (size_t i = 0; i < scenario_count; i++)
    if (strcmp(scenarios[i].name, name) == 0)
      return &scenarios[i];
  return NULL;
}

unsigned backend_bit(const char *backend) {
  static const struct {
    const char *name;
    unsigned bit;
  } names[] = {{"fabric", ON_FABRIC}, {"gin", ON_GIN}, {"rma", ON_RMA}, {"lsa", ON_LSA}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i].name, backend) == 0)
      return names[i].bit;
  return 0;
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

/* A permutation of the ranks, drawn from the block (Fisher-Yates). */
void pattern_places(unsigned ranks, unsigned long long block, unsigned short places[]) {
  for (unsigned i = 0; i < ranks; i++)
    places[i] = (unsigned short)i;
  for (unsigned i = ranks; i-- > 1;) {
    const unsigned j = (unsigned)(seed_of(block, 16 + i) % (i + 1));
    const unsigned short swapped = places[i];
    places[i] = places[j];
    places[j] = swapped;
  }
}

bool pattern_joins(enum pattern pattern, unsigned ranks, unsigned source, unsigned receiver) {
  if (ranks == 1)
    return true;
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
  unsigned short places[PATTERN_RANKS_MAX];
  pattern_places(ranks, block, places);
  return pattern_joins(pattern_of_block(pattern, block), ranks, places[source], places[receiver]);
}
