#include "bench/stress/code.h"
#include "tests/policy/rows.h"

static const uint64_t seeds[] = {0, 1, 0x9e3779b97f4a7c15ULL, UINT64_MAX};

static bool same(const struct origin *a, const struct origin *b) {
  return a->source == b->source && a->context == b->context && a->slot == b->slot && a->round == b->round &&
         a->index == b->index;
}

static const struct origin_row {
  const char *name;
  struct origin origin, back; /* what was put in, and what comes back where that differs */
} origin_rows[] = {
    {"code of nothing", {0}, {0}},
    {"code of a source alone", {.source = 1023}, {.source = 1023}},
    {"code of a context alone", {.context = 15}, {.context = 15}},
    {"code of a slot alone", {.slot = 63}, {.slot = 63}},
    {"code of a round alone", {.round = CODE_ROUNDS - 1}, {.round = CODE_ROUNDS - 1}},
    {"code of an index alone", {.index = CODE_WORDS - 1}, {.index = CODE_WORDS - 1}},
    {"code of the greatest",
     {1023, 15, 63, CODE_ROUNDS - 1, CODE_WORDS - 1},
     {1023, 15, 63, CODE_ROUNDS - 1, CODE_WORDS - 1}},
    {"code of some", {3, 2, 17, 123456, 654321}, {3, 2, 17, 123456, 654321}},
    {"code: a round wraps, and touches no neighbour", {3, 2, 18, CODE_ROUNDS + 5, 9}, {3, 2, 18, 5, 9}},
    {"code: a round below 0 wraps", {3, 2, 17, (unsigned)-1, 9}, {3, 2, 17, CODE_ROUNDS - 1, 9}},
    {"code: a source wraps", {1024, 0, 0, 0, 0}, {0}},
    {"code: a context wraps, and touches no neighbour", {2, 16, 0, 0, 0}, {.source = 2}},
    {"code: a slot wraps, and touches no neighbour", {0, 2, 64, 0, 0}, {.context = 2}},
    {"code: an index wraps, and touches no neighbour", {0, 0, 0, 2, CODE_WORDS}, {.round = 2}},
};

static void test_origin(void **state) {
  const struct origin_row *row = *state;
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    const struct origin back = code_origin(seeds[i], code_word(seeds[i], row->origin));
    assert_true(same(&row->back, &back));
  }
}

/* Inverse both ways: every word is somebody's, so no two origins share one. */
static void test_bijection(void **state) {
  (void)state;
  uint64_t word = 1;
  for (unsigned i = 0; i < 100000; i++) {
    word = seed_of(word, i);
    const uint64_t seed = seeds[i % 4];
    const struct origin origin = code_origin(seed, word);
    assert_true(code_word(seed, origin) == word);
  }
}

/* A word of another seed, or one flipped bit, names another origin than the one wanted. */
static void test_keyed(void **state) {
  (void)state;
  const struct origin origin = {.source = 2, .context = 1, .slot = 3, .round = 4, .index = 5};
  for (unsigned i = 0; i < 1000; i++) {
    const struct origin other = code_origin(i + 1, code_word(i, origin));
    assert_false(same(&origin, &other));
  }
  for (unsigned bit = 0; bit < 64; bit++) {
    const struct origin other = code_origin(7, code_word(7, origin) ^ 1ULL << bit);
    assert_false(same(&origin, &other));
  }
}

/* Neighbours in memory look nothing alike: half of their bits differ, on the whole. */
static void test_spread(void **state) {
  (void)state;
  unsigned long bits = 0;
  for (unsigned i = 0; i < 10000; i++) {
    const struct origin a = {.index = i}, b = {.index = i + 1};
    const unsigned differ = (unsigned)__builtin_popcountll(code_word(1, a) ^ code_word(1, b));
    assert_true(differ > 0);
    bits += differ;
  }
  assert_in_range(bits, 280000, 360000);
}

static const struct ahead_row {
  const char *name;
  unsigned a, b;
  int ahead;
} ahead_rows[] = {
    {"ahead: equal", 5, 5, 0},
    {"ahead: one", 6, 5, 1},
    {"ahead: behind", 5, 6, -1},
    {"ahead across the wrap", 0, CODE_ROUNDS - 1, 1},
    {"behind across the wrap", CODE_ROUNDS - 1, 0, -1},
    {"ahead: the furthest", CODE_ROUNDS / 2 - 1, 0, CODE_ROUNDS / 2 - 1},
    {"ahead: half is behind", CODE_ROUNDS / 2, 0, -CODE_ROUNDS / 2},
    {"ahead: bits above do not count", CODE_ROUNDS * 3 + 1, 0, 1},
};

static void test_ahead(void **state) {
  const struct ahead_row *row = *state;
  assert_int_equal(row->ahead, rounds_ahead(row->a, row->b));
}

static void test_seeds(void **state) {
  (void)state;
  assert_true(seed_of(0, 0) == 0xe220a8397b1dcdafULL); /* splitmix64's first output for seed 0, by its reference code */
  for (uint64_t a = 0; a < 100; a++)
    for (uint64_t b = 0; b < 100; b++)
      assert_true(a == b || (seed_of(1, a) != seed_of(1, b) && seed_of(a, 1) != seed_of(b, 1)));
}

static const struct plain_row {
  const char *name;
  CMUnitTestFunction test;
} plain_rows[] = {
    {"every word has one origin", test_bijection},
    {"words depend on the seed", test_keyed},
    {"words of neighbours", test_spread},
    {"seeds of seeds", test_seeds},
};

static void test_plain(void **state) { ((const struct plain_row *)*state)->test(NULL); }

int main(void) {
  static struct suite suite;
  ROWS(&suite, origin_rows, test_origin);
  ROWS(&suite, ahead_rows, test_ahead);
  ROWS(&suite, plain_rows, test_plain);
  return suite_run("code", &suite);
}
