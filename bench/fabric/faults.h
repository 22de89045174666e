/*
 * Faults that can be planted in the fabric, to see whether the hunter sees them. They break what hardware or the table
 * guarantees; a fabric without one never does. WINORD_FABRIC_FAULT names the one.
 */
#ifndef WINORD_FAULTS_H
#define WINORD_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/fabric/random.h"

enum fault {
  FAULT_NONE,
  FAULT_RELAXED_SIGNAL,
  FAULT_OTHER_CONTEXT,
  FAULT_TWO_PATHS,
  FAULT_HALF_LINES,
  FAULT_DROPPED_SIGNAL,
  FAULT_DUPLICATED_SIGNAL,
  FAULT_RESET_SIGNAL,
  FAULT_EARLY_COMPLETION,
  FAULT_LATE_READ,
  FAULT_WRONG_OFFSET,
  FAULT_STALE_SLOT,
  FAULT_COUNTER_WRAP,
  FAULT_BRIEF,
  FAULT_RARE,
  FAULT_PAYLOAD_LOST,
  FAULT_FOREIGN_PAYLOAD,
  FAULTS
};

struct faults {
  enum fault planted;
  uint32_t one_in; /* of the occasions it strikes */
  struct random random; /* its own: the fabric behaves as without it until it strikes */
};

/* FAULT_NONE for NULL and "", FAULTS: no such name. */
enum fault fault_find(const char *name);

void faults_plant(struct faults *planted, enum fault fault, uint64_t seed);

/* Whether this fault, on this occasion, strikes. */
static inline bool fault_strikes(struct faults *faults, enum fault fault) {
  return __builtin_expect(faults->planted == fault, 0) && random_one_in(&faults->random, faults->one_in);
}

#endif
