/*
 * Which numbers were seen, as ranges: a journal without gaps is one range, in whatever order its files are read.
 */
#ifndef WINORD_REPORT_SEQUENCE_H
#define WINORD_REPORT_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Beyond so many ranges of one process numbers are only counted, and a second look at one is not noticed. */
enum { SEQUENCE_RANGES = 4096 };

struct range {
  uint64_t first, last;
};

struct sequence {
  struct range *ranges; /* ascending, none touches the next */
  size_t count, room;
  uint64_t uncounted; /* numbers that no range holds */
};

/* Adds a number, from 1. false: it was there. All zeros is an empty set; freed by sequence_free. */
bool sequence_add(struct sequence *sequence, uint64_t number);
bool sequence_has(const struct sequence *sequence, uint64_t number);
void sequence_free(struct sequence *sequence);

/* How many numbers from 1 to the greatest are missing. */
uint64_t sequence_missing(const struct sequence *sequence);

#endif
