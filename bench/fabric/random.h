/* Pseudo-random numbers of our own, so that one seed gives one run everywhere: xoshiro256++ (Blackman, Vigna; public domain). */
#ifndef WINORD_RANDOM_H
#define WINORD_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
  uint64_t state[4];
};

/* Any seed, 0 too: splitmix64 spreads it. */
static inline void random_seed(struct random *random, uint64_t seed) {
  for (unsigned i = 0; i < 4; i++) {
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    random->state[i] = z ^ z >> 31;
  }
}

static inline uint64_t random_rotate(uint64_t x, unsigned bits) { return x << bits | x >> (64 - bits); }

static inline uint64_t random_next(struct random *random) {
  uint64_t *s = random->state;
  const uint64_t result = random_rotate(s[0] + s[3], 23) + s[0];
  const uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = random_rotate(s[3], 45);
  return result;
}

/* 0 to below - 1, off by no more than 2^-32; below is 1 to 2^32. */
static inline uint64_t random_below(struct random *random, uint64_t below) {
  return (random_next(random) >> 32) * below >> 32;
}

static inline bool random_one_in(struct random *random, uint64_t n) { return random_below(random, n) == 0; }

/* 2^first to 2^last - 1, every power of two as likely as the next; `draw` is a random number. */
static inline uint64_t random_spread(uint64_t draw, unsigned first, unsigned last) {
  const uint64_t base = 1ULL << (first + (draw & 0xffff) % (last - first));
  return base + (draw >> 16 & (base - 1));
}

#endif
