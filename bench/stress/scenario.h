/* What is tried: an operation of a program, between ranks of a pattern, with an expectation. */
#ifndef WINORD_SCENARIO_H
#define WINORD_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

/* What the sender does in one round. */
enum shape {
  SHAPE_FUSED, /* a put that carries its signal */
  SHAPE_SEPARATE, /* a put, then a signal on the same context */
  SHAPE_TWO_PUTS, /* two puts, the second carries the signal */
  SHAPE_FLAG, /* a put, then a put of one word that says it is there */
  SHAPE_CROSS_CONTEXT, /* a put, then a signal on another context */
  SHAPE_SIGNAL_FIRST, /* the signal, then its put */
  SHAPE_UNFENCED, /* stores, then a relaxed flag: nothing orders them */
  SHAPE_UNITS_16, /* stores of 16 bytes over and over, read at any time */
  SHAPE_UNITS_128 /* stores of 128 bytes by a warp over and over, read at any time */
};

/* Where a scenario can run. */
enum backend_bit { ON_FABRIC = 1, ON_GIN = 2, ON_RMA = 4, ON_LSA = 8 };

/* When the sender writes the next round's payload over the source memory. */
enum reuse {
  REUSE_ACKNOWLEDGED, /* after the receiver has looked */
  REUSE_COMPLETED, /* after the put's local completion */
  REUSE_FLUSHED, /* after a flush */
  REUSE_AT_ONCE
};

/* Which of two puts the receiver looks at. */
enum looked_at { LOOK_ALL, LOOK_FIRST, LOOK_LAST };

enum expectation {
  EXPECT_NEVER, /* NCCL's rules forbid it */
  EXPECT_ALLOWED, /* the rules allow it: a fabric control, reported, and void nothing when not seen */
  EXPECT_SEEN /* a detector control: wrong by construction; not seen: the run is inconclusive */
};

struct scenario {
  const char *name, *text;
  enum expectation expectation;
  enum shape shape;
  bool va, strong; /* the signal */
  unsigned depth; /* rounds in flight on one lane, slots of its ring: 1 to 8, a power of two */
  enum reuse reuse;
  enum looked_at look;
  unsigned backends; /* bits */
};

extern const struct scenario scenarios[];
extern const size_t scenario_count;

/* The bit of a backend's name; 0: no such backend. */
unsigned backend_bit(const char *backend);

/* NULL: no such name. */
const struct scenario *scenario_find(const char *name);
const char *expectation_name(enum expectation expectation);

enum pattern {
  PATTERN_PEER,
  PATTERN_PAIRS,
  PATTERN_RING,
  PATTERN_FAN_OUT,
  PATTERN_FAN_IN,
  PATTERN_BIPARTITE,
  PATTERN_ALL,
  PATTERN_MIXED,
  PATTERNS
};

const char *pattern_name(enum pattern pattern);

/* The pattern that a block runs: of mixed, the one its number chooses. */
enum pattern pattern_of_block(enum pattern pattern, unsigned long long block);

/* PATTERNS: no such name. */
enum pattern pattern_find(const char *name);

enum { PATTERN_RANKS_MAX = 1024 };

/*
 * Whether rank `source` sends to rank `receiver` (0 to ranks - 1, ranks 1 to PATTERN_RANKS_MAX; a single rank sends to itself).
 *   block   permutes the pattern's ranks, for mixed also chooses it; any number
 */
bool pattern_sends(enum pattern pattern, unsigned ranks, unsigned source, unsigned receiver, unsigned long long block);

/* The same in two steps, for many pairs of one block: the place of each rank in the pattern, and whether places are joined. */
void pattern_places(unsigned ranks, unsigned long long block, unsigned short places[]);
bool pattern_joins(enum pattern pattern_of_block, unsigned ranks, unsigned source_place, unsigned receiver_place);

#endif
