#include "bench/stress/code.h"

enum { ROUND_SHIFT = 24, SLOT_SHIFT = 44, CONTEXT_SHIFT = 50, SOURCE_SHIFT = 54 };

/* An odd number and its inverse modulo 2^64. */
static const uint64_t factor = 0x9e3779b97f4a7c15ULL, inverse = 0xf1de83e19937733dULL;

uint64_t seed_of(uint64_t seed, uint64_t number) {
  uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

/* x ^ x >> 32 is its own inverse. */
static uint64_t mix(uint64_t seed, uint64_t packed) {
  uint64_t x = (packed ^ seed) * factor;
  x ^= x >> 32;
  return x * factor;
}

static uint64_t unmix(uint64_t seed, uint64_t word) {
  uint64_t x = word * inverse;
  x ^= x >> 32;
  return x * inverse ^ seed;
}

uint64_t code_word(uint64_t seed, const struct origin *origin) {
  return mix(seed, (uint64_t)(origin->source & (CODE_SOURCES - 1)) << SOURCE_SHIFT |
                       (uint64_t)(origin->context & (CODE_CONTEXTS - 1)) << CONTEXT_SHIFT |
                       (uint64_t)(origin->slot & (CODE_SLOTS - 1)) << SLOT_SHIFT |
                       (uint64_t)(origin->round & (CODE_ROUNDS - 1)) << ROUND_SHIFT |
                       (origin->index & (CODE_WORDS - 1)));
}

struct origin code_origin(uint64_t seed, uint64_t word) {
  const uint64_t packed = unmix(seed, word);
  return (struct origin){.source = (unsigned)(packed >> SOURCE_SHIFT),
                         .context = (unsigned)(packed >> CONTEXT_SHIFT) & (CODE_CONTEXTS - 1),
                         .slot = (unsigned)(packed >> SLOT_SHIFT) & (CODE_SLOTS - 1),
                         .round = (unsigned)(packed >> ROUND_SHIFT) & (CODE_ROUNDS - 1),
                         .index = (unsigned)packed & (CODE_WORDS - 1)};
}

int rounds_ahead(unsigned a, unsigned b) {
  const unsigned difference = (a - b) & (CODE_ROUNDS - 1);
  return difference < CODE_ROUNDS / 2 ? (int)difference : (int)difference - CODE_ROUNDS;
}
