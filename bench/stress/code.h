/*
 * The payload's code: every 8-byte word tells, keyed by the run's seed, who sent it, in which context, slot and round, and
 * where in the put it belongs. Invertible, so that a wrong word names its origin. Pure; any thread.
 *
 *   source 10 bits | context 4 | slot 6 | round 20 (wraps) | index 24: the word's place in the put, in words
 */
#ifndef WINORD_CODE_H
#define WINORD_CODE_H

#include <stdint.h>

/* The same functions on the CPU and in a kernel. */
#ifdef __CUDACC__
#define WINORD_EVERYWHERE static __host__ __device__ __forceinline__
#else
#define WINORD_EVERYWHERE static inline
#endif

enum {
  CODE_SOURCES = 1 << 10,
  CODE_CONTEXTS = 1 << 4,
  CODE_SLOTS = 1 << 6,
  CODE_ROUNDS = 1 << 20,
  CODE_WORDS = 1 << 24
};

struct origin {
  unsigned source, context, slot, round, index;
};

enum { CODE_ROUND_SHIFT = 24, CODE_SLOT_SHIFT = 44, CODE_CONTEXT_SHIFT = 50, CODE_SOURCE_SHIFT = 54 };

/* An odd number and its inverse modulo 2^64. */
#define CODE_FACTOR 0x9e3779b97f4a7c15ULL
#define CODE_INVERSE 0xf1de83e19937733dULL

/* The bits of an origin side by side; packed + n is the origin n words further on. */
WINORD_EVERYWHERE uint64_t code_pack(struct origin origin) {
  return (uint64_t)(origin.source & (CODE_SOURCES - 1)) << CODE_SOURCE_SHIFT |
         (uint64_t)(origin.context & (CODE_CONTEXTS - 1)) << CODE_CONTEXT_SHIFT |
         (uint64_t)(origin.slot & (CODE_SLOTS - 1)) << CODE_SLOT_SHIFT |
         (uint64_t)(origin.round & (CODE_ROUNDS - 1)) << CODE_ROUND_SHIFT | (origin.index & (CODE_WORDS - 1));
}

/* x ^ x >> 32 is its own inverse. */
WINORD_EVERYWHERE uint64_t code_mix(uint64_t seed, uint64_t packed) {
  uint64_t x = (packed ^ seed) * CODE_FACTOR;
  x ^= x >> 32;
  return x * CODE_FACTOR;
}

WINORD_EVERYWHERE uint64_t code_unmix(uint64_t seed, uint64_t word) {
  uint64_t x = word * CODE_INVERSE;
  x ^= x >> 32;
  return (x * CODE_INVERSE) ^ seed;
}

WINORD_EVERYWHERE uint64_t code_word(uint64_t seed, struct origin origin) { return code_mix(seed, code_pack(origin)); }

WINORD_EVERYWHERE struct origin code_origin(uint64_t seed, uint64_t word) {
  const uint64_t packed = code_unmix(seed, word);
  struct origin origin;
  origin.source = (unsigned)(packed >> CODE_SOURCE_SHIFT);
  origin.context = (unsigned)(packed >> CODE_CONTEXT_SHIFT) & (CODE_CONTEXTS - 1);
  origin.slot = (unsigned)(packed >> CODE_SLOT_SHIFT) & (CODE_SLOTS - 1);
  origin.round = (unsigned)(packed >> CODE_ROUND_SHIFT) & (CODE_ROUNDS - 1);
  origin.index = (unsigned)packed & (CODE_WORDS - 1);
  return origin;
}

/* How many rounds a is ahead of b, modulo the wrap: -CODE_ROUNDS / 2 to CODE_ROUNDS / 2 - 1. */
WINORD_EVERYWHERE int rounds_ahead(unsigned a, unsigned b) {
  const unsigned difference = (a - b) & (CODE_ROUNDS - 1);
  return difference < CODE_ROUNDS / 2 ? (int)difference : (int)difference - CODE_ROUNDS;
}

/* A seed drawn from another and a number: streams that do not overlap for all practical purposes (splitmix64). */
WINORD_EVERYWHERE uint64_t seed_of(uint64_t seed, uint64_t number) {
  uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
  return z ^ z >> 31;
}

#endif
