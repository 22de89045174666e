#include "report/sequence.h"

#include "report/memory.h"

#include <stdlib.h>
#include <string.h>

void sequence_free(struct sequence *sequence) {
  free(sequence->ranges);
  *sequence = (struct sequence){0};
}

/* The first range that ends at or after the number; count: none does. */
static size_t place_of(const struct sequence *sequence, uint64_t number) {
  size_t low = 0, high = sequence->count;
  if (high > 0 && sequence->ranges[high - 1].last < number) {
    return high;
  }
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (sequence->ranges[middle].last < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool holds(const struct sequence *sequence, size_t place, uint64_t number) {
  return place < sequence->count && sequence->ranges[place].first <= number;
}

bool sequence_has(const struct sequence *sequence, uint64_t number) {
  return holds(sequence, place_of(sequence, number), number);
}

static void insert(struct sequence *sequence, size_t place, uint64_t number) {
  if (sequence->count == SEQUENCE_RANGES) {
    sequence->uncounted++;
    return;
  }
  sequence->ranges = memory_for_one_more(sequence->ranges, sequence->count, &sequence->room, sizeof *sequence->ranges);
  struct range *at = &sequence->ranges[place];
  memmove(at + 1, at, (sequence->count++ - place) * sizeof *at);
  *at = (struct range){number, number};
}

static void join_with_next(struct sequence *sequence, size_t place) {
  struct range *at = &sequence->ranges[place];
  at->last = at[1].last;
  memmove(at + 1, at + 2, (--sequence->count - place - 1) * sizeof *at);
}

bool sequence_add(struct sequence *sequence, uint64_t number) {
  size_t place = place_of(sequence, number);
  if (holds(sequence, place, number)) {
    return false;
  }
  bool after = place > 0 && sequence->ranges[place - 1].last + 1 == number;
  bool before = place < sequence->count && sequence->ranges[place].first == number + 1;
  if (after) {
    sequence->ranges[place - 1].last = number;
  } else if (before) {
    sequence->ranges[place].first = number;
  } else {
    insert(sequence, place, number);
  }
  if (after && before) {
    join_with_next(sequence, place - 1);
  }
  return true;
}

uint64_t sequence_missing(const struct sequence *sequence) {
  uint64_t seen = sequence->uncounted, last = sequence->count ? sequence->ranges[sequence->count - 1].last : 0;
  for (size_t i = 0; i < sequence->count; i++) {
    seen += sequence->ranges[i].last - sequence->ranges[i].first + 1;
  }
  return seen < last ? last - seen : 0;
}
