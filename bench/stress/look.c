#include "bench/stress/look.h"

#include <stdbool.h>

enum { UNIT_BYTES = 128 };

void fill(uint64_t seed, struct origin origin, uint64_t *memory, unsigned words) {
  for (unsigned i = 0; i < words; i++, origin.index++)
    memory[i] = code_word(seed, origin);
}

static bool same_place(const struct origin *a, const struct origin *b) {
  return a->source == b->source && a->context == b->context && a->slot == b->slot && a->index == b->index;
}

static enum outcome judge(const struct origin *want, const struct origin *got) {
  if (!same_place(want, got))
    return OUTCOME_FOREIGN;
  return rounds_ahead(got->round, want->round) > 0 ? OUTCOME_FUTURE : OUTCOME_EARLY;
}

/* What outweighs what when several words are wrong. */
static int weight(enum outcome outcome) {
  return outcome == OUTCOME_FOREIGN ? 3 : outcome == OUTCOME_FUTURE ? 2 : outcome == OUTCOME_TORN ? 1 : 0;
}

static bool one_unit(const volatile uint64_t *a, const volatile uint64_t *b) {
  return (uintptr_t)a / UNIT_BYTES == (uintptr_t)b / UNIT_BYTES;
}

static void note(struct finding *finding, enum outcome outcome, const struct origin *want, const struct origin *got) {
  if (finding->wrong++ == 0) {
    finding->want = *want;
    finding->got = *got;
    finding->outcome = outcome;
  } else if (weight(outcome) > weight(finding->outcome)) {
    finding->outcome = outcome;
  }
}

struct finding look(const struct expected *expected) {
  struct finding finding = {.outcome = OUTCOME_OK};
  struct origin want = expected->origin;
  bool last_right = false, last_old = false; /* of the word behind this one */
  bool torn = false;
  for (unsigned i = expected->last; i-- > expected->first;) {
    want.index = expected->origin.index + i;
    const uint64_t word = expected->memory[i];
    const bool right = word == code_word(expected->seed, want);
    const bool neighbours = i + 1 < expected->last && i + 1 != expected->boundary &&
                            one_unit(&expected->memory[i], &expected->memory[i + 1]);
    bool old = false;
    if (!right) {
      const struct origin got = code_origin(expected->seed, word);
      const enum outcome outcome = judge(&want, &got);
      old = outcome == OUTCOME_EARLY;
      note(&finding, outcome, &want, &got);
    }
    torn |= neighbours && ((right && last_old) || (old && last_right));
    last_right = right;
    last_old = old;
  }
  if (torn && weight(finding.outcome) < weight(OUTCOME_TORN))
    finding.outcome = OUTCOME_TORN;
  return finding;
}
