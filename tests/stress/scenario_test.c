#include "bench/stress/scenario.h"
#include "tests/policy/rows.h"

enum { RANKS_MAX = 9, BLOCKS = 200, MANY_BLOCKS = 4000 };

static unsigned to(enum pattern pattern, unsigned ranks, unsigned source, unsigned long long block) {
  unsigned count = 0;
  for (unsigned receiver = 0; receiver < ranks; receiver++)
    count += pattern_sends(pattern, ranks, source, receiver, block);
  return count;
}

static unsigned from(enum pattern pattern, unsigned ranks, unsigned receiver, unsigned long long block) {
  unsigned count = 0;
  for (unsigned source = 0; source < ranks; source++)
    count += pattern_sends(pattern, ranks, source, receiver, block);
  return count;
}

static unsigned edges(enum pattern pattern, unsigned ranks, unsigned long long block) {
  unsigned count = 0;
  for (unsigned source = 0; source < ranks; source++)
    count += to(pattern, ranks, source, block);
  return count;
}

/* What everybody's degrees look like, whichever ranks have them. */
static bool degrees(enum pattern pattern, unsigned ranks, unsigned long long block) {
  unsigned senders = 0, receivers = 0, both = 0, most_out = 0, most_in = 0;
  for (unsigned rank = 0; rank < ranks; rank++) {
    const unsigned out = to(pattern, ranks, rank, block), in = from(pattern, ranks, rank, block);
    senders += out > 0;
    receivers += in > 0;
    both += out && in;
    most_out = out > most_out ? out : most_out;
    most_in = in > most_in ? in : most_in;
  }
  switch (pattern) {
  case PATTERN_PEER: return senders == 1 && receivers == 1 && both == 0;
  case PATTERN_PAIRS: return senders == ranks / 2 * 2 && both == senders && most_out == 1 && most_in == 1;
  case PATTERN_RING: return both == ranks && most_out == 1 && most_in == 1;
  case PATTERN_FAN_OUT: return senders == 1 && receivers == ranks - 1 && both == 0;
  case PATTERN_FAN_IN: return senders == ranks - 1 && receivers == 1 && both == 0;
  case PATTERN_BIPARTITE: return senders == ranks / 2 && receivers == ranks - ranks / 2 && both == 0;
  default: return both == ranks && most_out == ranks - 1 && most_in == ranks - 1;
  }
}

static unsigned expected_edges(enum pattern pattern, unsigned ranks) {
  switch (pattern) {
  case PATTERN_PEER: return 1;
  case PATTERN_PAIRS: return ranks / 2 * 2;
  case PATTERN_RING: return ranks;
  case PATTERN_FAN_OUT:
  case PATTERN_FAN_IN: return ranks - 1;
  case PATTERN_BIPARTITE: return ranks / 2 * (ranks - ranks / 2);
  default: return ranks * (ranks - 1);
  }
}

static const struct pattern_row {
  const char *name;
  enum pattern pattern;
} pattern_rows[] = {
    {"peer", PATTERN_PEER},     {"pairs", PATTERN_PAIRS},         {"ring", PATTERN_RING}, {"fan-out", PATTERN_FAN_OUT},
    {"fan-in", PATTERN_FAN_IN}, {"bipartite", PATTERN_BIPARTITE}, {"all", PATTERN_ALL},
};

static void test_pattern(void **state) {
  const struct pattern_row *row = *state;
  assert_int_equal(row->pattern, pattern_find(row->name));
  assert_string_equal(row->name, pattern_name(row->pattern));
  for (unsigned ranks = 2; ranks <= RANKS_MAX; ranks++)
    for (unsigned long long block = 0; block < BLOCKS; block++) {
      assert_int_equal(expected_edges(row->pattern, ranks), edges(row->pattern, ranks, block));
      assert_true(degrees(row->pattern, ranks, block));
      for (unsigned rank = 0; rank < ranks; rank++)
        assert_false(pattern_sends(row->pattern, ranks, rank, rank, block));
      assert_true(pattern_sends(row->pattern, 1, 0, 0, block));
    }
}

/* Any rank comes to send to any other. */
static void test_meetings(void **state) {
  const struct pattern_row *row = *state;
  for (unsigned ranks = 2; ranks <= RANKS_MAX; ranks++)
    for (unsigned source = 0; source < ranks; source++)
      for (unsigned receiver = 0; receiver < ranks; receiver++) {
        unsigned long long block = 0;
        while (block < MANY_BLOCKS && !pattern_sends(row->pattern, ranks, source, receiver, block))
          block++;
        assert_int_equal(source != receiver, block < MANY_BLOCKS);
      }
}

/* A ring is one ring, not several. */
static void test_ring(void **state) {
  (void)state;
  for (unsigned ranks = 2; ranks <= RANKS_MAX; ranks++)
    for (unsigned long long block = 0; block < BLOCKS; block++) {
      unsigned at = 0, steps = 0;
      do {
        unsigned next = 0;
        while (next < ranks && !pattern_sends(PATTERN_RING, ranks, at, next, block))
          next++;
        assert_true(next < ranks);
        at = next;
        steps++;
      } while (at != 0 && steps <= ranks);
      assert_int_equal(ranks, steps);
    }
}

/* Partners are each other's. */
static void test_pairs(void **state) {
  (void)state;
  for (unsigned ranks = 2; ranks <= RANKS_MAX; ranks++)
    for (unsigned long long block = 0; block < BLOCKS; block++)
      for (unsigned a = 0; a < ranks; a++)
        for (unsigned b = 0; b < ranks; b++)
          assert_int_equal(pattern_sends(PATTERN_PAIRS, ranks, a, b, block),
                           pattern_sends(PATTERN_PAIRS, ranks, b, a, block));
}

static bool same_edges(enum pattern a, enum pattern b, unsigned ranks, unsigned long long block) {
  for (unsigned source = 0; source < ranks; source++)
    for (unsigned receiver = 0; receiver < ranks; receiver++)
      if (pattern_sends(a, ranks, source, receiver, block) != pattern_sends(b, ranks, source, receiver, block))
        return false;
  return true;
}

/* Mixed is one of the others, another one from block to block. */
static void test_mixed(void **state) {
  (void)state;
  unsigned blocks[PATTERNS] = {0};
  for (unsigned long long block = 0; block < BLOCKS; block++) {
    int pattern = 0;
    while (pattern < PATTERN_MIXED && !same_edges(PATTERN_MIXED, (enum pattern)pattern, 5, block))
      pattern++;
    assert_int_not_equal(PATTERN_MIXED, pattern);
    blocks[pattern]++;
  }
  for (int pattern = 0; pattern < PATTERN_MIXED; pattern++)
    assert_in_range(blocks[pattern], BLOCKS / 20, BLOCKS / 3);
}

static void test_names(void **state) {
  (void)state;
  assert_int_equal(PATTERNS, pattern_find("nosuch"));
  assert_int_equal(PATTERNS, pattern_find(""));
  assert_null(scenario_find("nosuch"));
  assert_null(scenario_find(""));
  for (size_t i = 0; i < scenario_count; i++) {
    assert_ptr_equal(&scenarios[i], scenario_find(scenarios[i].name));
    assert_null(strchr(scenarios[i].name, ',')); /* what parts them on the command line */
    assert_in_range(scenarios[i].depth, 1, 8);
    assert_int_equal(0, scenarios[i].depth & (scenarios[i].depth - 1));
  }
}

/* NCCL's rules: what a signal promises. */
static void test_expectations(void **state) {
  (void)state;
  unsigned seen = 0;
  for (size_t i = 0; i < scenario_count; i++) {
    const struct scenario *it = &scenarios[i];
    const bool promised = it->shape == SHAPE_FUSED || it->shape == SHAPE_SEPARATE || it->shape == SHAPE_UNITS_16 ||
                          (it->shape == SHAPE_TWO_PUTS && (it->strong || it->look == LOOK_LAST));
    if (it->shape == SHAPE_SIGNAL_FIRST)
      assert_int_equal(EXPECT_SEEN, it->expectation);
    else
      assert_int_equal(promised && it->reuse != REUSE_AT_ONCE ? EXPECT_NEVER : EXPECT_ALLOWED, it->expectation);
    seen += it->expectation == EXPECT_SEEN;
  }
  assert_true(seen > 0); /* without a detector control no run could be trusted */
}

static const struct plain_row {
  const char *name;
  CMUnitTestFunction test;
} plain_rows[] = {
    {"a ring is one ring", test_ring},          {"pairs are mutual", test_pairs},
    {"mixed is one of the others", test_mixed}, {"names", test_names},
    {"expectations", test_expectations},
};

static void test_plain(void **state) { ((const struct plain_row *)*state)->test(NULL); }

int main(void) {
  static struct suite suite;
  ROWS(&suite, pattern_rows, test_pattern);
  ROWS(&suite, pattern_rows, test_meetings);
  ROWS(&suite, plain_rows, test_plain);
  return suite_run("scenario", &suite);
}
