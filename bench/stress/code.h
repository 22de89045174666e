/*
 * The payload's code: every 8-byte word tells, keyed by the run's seed, who sent it, in which context, slot and round, and
 * where in the put it belongs. Invertible, so that a wrong word names its origin. Pure; any thread.
 *
 *   source 10 bits | context 4 | slot 6 | round 20 (wraps) | index 24: the word's place in the put, in words
 */
#ifndef WINORD_CODE_H
#define WINORD_CODE_H

#include <stdint.h>

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

uint64_t code_word(uint64_t seed, const struct origin *origin);
struct origin code_origin(uint64_t seed, uint64_t word);

/* How many rounds a is ahead of b, modulo the wrap: -CODE_ROUNDS / 2 to CODE_ROUNDS / 2 - 1. */
int rounds_ahead(unsigned a, unsigned b);

/* A seed drawn from another and a number: streams that do not overlap for all practical purposes (splitmix64). */
uint64_t seed_of(uint64_t seed, uint64_t number);

#endif
