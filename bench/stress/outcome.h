/* What one try can come to, and what many add up to. */
#ifndef WINORD_OUTCOME_H
#define WINORD_OUTCOME_H

#include <stdint.h>

#include "bench/stress/code.h"
#include "bench/stress/histogram.h"

/*
 * Each try is counted in exactly one class. All but OK are violations. A receiver looks at the moment it sees the signal, tail
 * first; what it finds wrong it looks at again until it heals or nothing is left to happen.
 */
enum outcome {
  OUTCOME_OK,
  OUTCOME_EARLY, /* an older round's words at first; the right ones came later (lateness is measured) */
  OUTCOME_STALE, /* an older round's words that never healed */
  OUTCOME_FUTURE, /* a newer round's words: the source was overwritten before the put read it */
  OUTCOME_TORN, /* two rounds within one aligned unit of 128 bytes */
  OUTCOME_FOREIGN, /* words of another source, slot or place, or of nobody */
  OUTCOME_LOST, /* the signal never came */
  OUTCOME_DUPLICATE, /* the signal counts more than was ever sent */
  OUTCOME_EARLY_SIGNAL, /* the signal stood there before its put was posted */
  OUTCOMES
};

const char *outcome_name(enum outcome outcome);

/* One violation, for a person to read. */
struct witness {
  enum outcome outcome;
  uint64_t time_ns; /* when the signal was seen */
  uint64_t lateness_ns; /* until it healed; 0: it did not, or there is nothing to heal */
  unsigned receiver;
  uint64_t block;
  struct origin want, got; /* of the first wrong word, from the tail; for signals got.round counts nothing */
  unsigned wrong, words; /* words that were wrong at first, and all */
};

enum { WITNESSES = 8, WITNESSES_OF_BLOCK = 1 };

/* Sums over tries; of several receivers, blocks or ranks by outcome_merge. */
struct outcomes {
  uint64_t tries, posted; /* tries that ended; puts that were posted: equal, or there is no verdict */
  uint64_t count[OUTCOMES];
  uint64_t blocks, blocks_with_violation;
  uint64_t time_ns; /* of the transport's clock */
  uint64_t found_at_end; /* lanes wrong when everything has settled: all that a check after the run would find */
  struct histogram lateness;
  unsigned witness_count;
  struct witness witness[WITNESSES];
};

/* Counts one try of a block; of its witnesses the first WITNESSES_OF_BLOCK are kept. witness may be NULL for OUTCOME_OK. */
void outcome_add(struct outcomes *sum, enum outcome outcome, const struct witness *witness);
void outcome_merge(struct outcomes *sum, const struct outcomes *more);

/* All classes but OK. */
uint64_t outcome_violations(const struct outcomes *sum);

/* Whether the classes add up to the tries and the tries to the puts posted: without that there is no verdict. */
int outcome_complete(const struct outcomes *sum);

#endif
