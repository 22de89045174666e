/* The oracle: what a receiver finds in a payload at one moment. Pure but for reading the memory; any thread. */
#ifndef WINORD_LOOK_H
#define WINORD_LOOK_H

#include <stddef.h>

#include "bench/stress/outcome.h"

/* What should be there: words first to last - 1 of a put, whose word 0 lies at memory. */
struct expected {
  uint64_t seed;
  struct origin origin; /* of word 0; index counts up from it */
  const volatile uint64_t *memory;
  unsigned first, last;
  unsigned boundary; /* a second put begins at this word: nothing is torn across it; 0: there is one put */
};

struct finding {
  enum outcome outcome; /* OK, or by the worst word: FOREIGN, FUTURE, TORN, else EARLY (which may yet heal) */
  unsigned wrong; /* words */
  struct origin want, got; /* of the first wrong word, from the tail */
};

/* Reads the tail first. */
struct finding look(const struct expected *expected);

/* Writes the words of a payload. */
void fill(uint64_t seed, struct origin origin, uint64_t *memory, unsigned words);

#endif
