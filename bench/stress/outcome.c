#include "bench/stress/outcome.h"

#include <stddef.h>

const char *outcome_name(enum outcome outcome) {
  static const char *const names[] = {"ok",      "early", "stale",     "future",      "torn",
                                      "foreign", "lost",  "duplicate", "early-signal"};
  return names[outcome];
}

static void keep_witness(struct outcomes *sum, const struct witness *witness, unsigned most) {
  if (witness && sum->witness_count < most)
    sum->witness[sum->witness_count++] = *witness;
}

void outcome_add(struct outcomes *sum, enum outcome outcome, const struct witness *witness) {
  sum->tries++;
  sum->count[outcome]++;
  if (outcome == OUTCOME_OK)
    return;
  keep_witness(sum, witness, WITNESSES_OF_BLOCK);
  if (outcome == OUTCOME_EARLY && witness)
    histogram_add(&sum->lateness, witness->lateness_ns);
}

void outcome_merge(struct outcomes *sum, const struct outcomes *more) {
  sum->tries += more->tries;
  sum->posted += more->posted;
  for (int i = 0; i < OUTCOMES; i++)
    sum->count[i] += more->count[i];
  sum->blocks += more->blocks;
  sum->blocks_with_violation += more->blocks_with_violation;
  sum->time_ns += more->time_ns;
  sum->found_at_end += more->found_at_end;
  histogram_merge(&sum->lateness, &more->lateness);
  for (unsigned i = 0; i < more->witness_count; i++)
    keep_witness(sum, &more->witness[i], WITNESSES);
}

uint64_t outcome_violations(const struct outcomes *sum) { return sum->tries - sum->count[OUTCOME_OK]; }

int outcome_complete(const struct outcomes *sum) {
  uint64_t all = 0;
  for (int i = 0; i < OUTCOMES; i++)
    all += sum->count[i];
  return all == sum->tries && sum->tries == sum->posted;
}
