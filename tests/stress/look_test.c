#include "bench/stress/look.h"
#include "tests/policy/rows.h"

enum { WORDS = 48, SEED = 99, ROUND = 7 };

/* What a part of the memory holds: words of this origin, whose index counts from the payload's start plus `shift`. */
struct part {
  unsigned words;
  struct origin origin;
  int shift;
  uint64_t raw; /* not 0: this word instead */
};

static const struct origin now = {.source = 3, .context = 1, .slot = 2, .round = ROUND};

#define OLD .origin = {3, 1, 2, ROUND - 1, 0}
#define NEW .origin = {3, 1, 2, ROUND, 0}
#define NEXT .origin = {3, 1, 2, ROUND + 1, 0}
#define OTHER_SOURCE .origin = {4, 1, 2, ROUND, 0}
#define OTHER_CONTEXT .origin = {3, 2, 2, ROUND, 0}
#define OTHER_SLOT .origin = {3, 1, 3, ROUND, 0}

/* Memory begins on a 128-byte line: 16 words. */
static const struct look_row {
  const char *name;
  struct part parts[4]; /* from word 0 */
  unsigned first, last, boundary;
  enum outcome outcome;
  unsigned wrong;
  int word; /* the first wrong one, from the tail; -1: none */
} look_rows[] = {
    {"all there", {{.words = 48, NEW}}, 0, 48, 0, OUTCOME_OK, 0, -1},
    {"nothing there yet", {{.words = 48, OLD}}, 0, 48, 0, OUTCOME_EARLY, 48, 47},
    {"one word, there", {{.words = 1, NEW}}, 0, 1, 0, OUTCOME_OK, 0, -1},
    {"one word, not yet there", {{.words = 1, OLD}}, 0, 1, 0, OUTCOME_EARLY, 1, 0},
    {"no words", {{.words = 1, OLD}}, 0, 0, 0, OUTCOME_OK, 0, -1},
    {"the head late, cut at a line", {{.words = 16, OLD}, {.words = 32, NEW}}, 0, 48, 0, OUTCOME_EARLY, 16, 15},
    {"the tail late, cut at a line", {{.words = 32, NEW}, {.words = 16, OLD}}, 0, 48, 0, OUTCOME_EARLY, 16, 47},
    {"the middle line late",
     {{.words = 16, NEW}, {.words = 16, OLD}, {.words = 16, NEW}},
     0,
     48,
     0,
     OUTCOME_EARLY,
     16,
     31},
    {"torn: half a line", {{.words = 8, NEW}, {.words = 8, OLD}, {.words = 32, NEW}}, 0, 48, 0, OUTCOME_TORN, 8, 15},
    {"torn: the other half", {{.words = 8, OLD}, {.words = 40, NEW}}, 0, 48, 0, OUTCOME_TORN, 8, 7},
    {"torn: one word", {{.words = 20, NEW}, {.words = 1, OLD}, {.words = 27, NEW}}, 0, 48, 0, OUTCOME_TORN, 1, 20},
    {"two puts: cut within a line, between them",
     {{.words = 24, OLD}, {.words = 24, NEW}},
     0,
     48,
     24,
     OUTCOME_EARLY,
     24,
     23},
    {"two puts: cut within a line, beside it",
     {{.words = 23, OLD}, {.words = 25, NEW}},
     0,
     48,
     24,
     OUTCOME_TORN,
     23,
     22},
    {"only the later put is looked at", {{.words = 24, OLD}, {.words = 24, NEW}}, 24, 48, 24, OUTCOME_OK, 0, -1},
    {"only the earlier put is looked at", {{.words = 24, OLD}, {.words = 24, NEW}}, 0, 24, 24, OUTCOME_EARLY, 24, 23},
    {"future", {{.words = 48, NEXT}}, 0, 48, 0, OUTCOME_FUTURE, 48, 47},
    {"future: one word", {{.words = 5, NEW}, {.words = 1, NEXT}, {.words = 42, NEW}}, 0, 48, 0, OUTCOME_FUTURE, 1, 5},
    {"future outweighs early", {{.words = 16, NEXT}, {.words = 32, OLD}}, 0, 48, 0, OUTCOME_FUTURE, 48, 47},
    {"future outweighs torn",
     {{.words = 16, NEXT}, {.words = 8, OLD}, {.words = 24, NEW}},
     0,
     48,
     0,
     OUTCOME_FUTURE,
     24,
     23},
    {"foreign: another source", {{.words = 48, OTHER_SOURCE}}, 0, 48, 0, OUTCOME_FOREIGN, 48, 47},
    {"foreign: another context", {{.words = 48, OTHER_CONTEXT}}, 0, 48, 0, OUTCOME_FOREIGN, 48, 47},
    {"foreign: another slot", {{.words = 48, OTHER_SLOT}}, 0, 48, 0, OUTCOME_FOREIGN, 48, 47},
    {"foreign: one word beside its place", {{.words = 48, NEW, .shift = 1}}, 0, 48, 0, OUTCOME_FOREIGN, 48, 47},
    {"foreign: nobody's", {{.words = 47, NEW}, {.words = 1, .raw = 0xdeadbeef}}, 0, 48, 0, OUTCOME_FOREIGN, 1, 47},
    {"foreign: one word of nobody among late ones",
     {{.words = 3, OLD}, {.words = 1, .raw = 1}, {.words = 44, OLD}},
     0,
     48,
     0,
     OUTCOME_FOREIGN,
     48,
     47},
    {"foreign outweighs future", {{.words = 16, OTHER_SLOT}, {.words = 32, NEXT}}, 0, 48, 0, OUTCOME_FOREIGN, 48, 47},
};

static void lay(const struct part *part, unsigned at, uint64_t *memory) {
  for (unsigned i = 0; i < part->words; i++) {
    struct origin origin = part->origin;
    origin.index = (unsigned)((int)(at + i) + part->shift);
    memory[at + i] = part->raw ? part->raw : code_word(SEED, origin);
  }
}

static void test_look(void **state) {
  const struct look_row *row = *state;
  static _Alignas(128) uint64_t memory[WORDS];
  unsigned at = 0;
  for (unsigned i = 0; i < 4; at += row->parts[i++].words)
    lay(&row->parts[i], at, memory);
  const struct expected expected = {
      .seed = SEED, .origin = now, .memory = memory, .first = row->first, .last = row->last, .boundary = row->boundary};
  const struct finding finding = look(&expected);
  assert_string_equal(outcome_name(row->outcome), outcome_name(finding.outcome));
  assert_int_equal(row->wrong, finding.wrong);
  if (row->word < 0)
    return;
  assert_int_equal(row->word, finding.want.index);
  assert_int_equal(ROUND, finding.want.round);
  assert_int_equal(now.source, finding.want.source);
}

/* Rounds count modulo 2^20: the round before round 0 is old, the one after the last is new. */
static const struct wrap_row {
  const char *name;
  unsigned wanted, there;
  enum outcome outcome;
} wrap_rows[] = {
    {"before round 0", 0, CODE_ROUNDS - 1, OUTCOME_EARLY},
    {"after the last round", CODE_ROUNDS - 1, 0, OUTCOME_FUTURE},
    {"eight rounds before round 3", 3, CODE_ROUNDS - 5, OUTCOME_EARLY},
};

static void test_wrap(void **state) {
  const struct wrap_row *row = *state;
  uint64_t memory[8];
  fill(SEED, (struct origin){.source = 1, .round = row->there, .index = 100}, memory, 8);
  const struct expected expected = {
      .seed = SEED, .origin = {.source = 1, .round = row->wanted, .index = 100}, .memory = memory, .last = 8};
  const struct finding finding = look(&expected);
  assert_string_equal(outcome_name(row->outcome), outcome_name(finding.outcome));
  assert_int_equal(row->there, finding.got.round);
  assert_int_equal(107, finding.got.index);
}

/* Every single wrong word is seen, wherever it is. */
static void test_each_word(void **state) {
  (void)state;
  static _Alignas(128) uint64_t memory[WORDS];
  fill(SEED, now, memory, WORDS);
  const struct expected expected = {.seed = SEED, .origin = now, .memory = memory, .last = WORDS};
  for (unsigned i = 0; i < WORDS; i++) {
    memory[i] ^= 1;
    const struct finding finding = look(&expected);
    assert_int_equal(1, finding.wrong);
    assert_int_equal(i, finding.want.index);
    memory[i] ^= 1;
  }
  assert_int_equal(OUTCOME_OK, look(&expected).outcome);
}

int main(void) {
  static struct suite suite;
  static const struct { const char *name; } each_word[] = {{"every word is looked at"}};
  ROWS(&suite, look_rows, test_look);
  ROWS(&suite, wrap_rows, test_wrap);
  ROWS(&suite, each_word, test_each_word);
  return suite_run("look", &suite);
}
