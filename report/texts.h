/*
 * Each distinct text once, with a number.
 */
#ifndef WINORD_REPORT_TEXTS_H
#define WINORD_REPORT_TEXTS_H

#include <stddef.h>
#include <stdint.h>

struct text {
  const char *bytes; /* ends in NUL; stays where it is */
  uint32_t size; /* without the NUL */
};

struct texts {
  struct text *list; /* list[0]: no text */
  size_t count, room, slot_count;
  uint32_t *slots, *ranks;
};

/* All zeros is an empty set. */
void texts_free(struct texts *texts);

/* The number of a text, which is copied when it is new; NULL: 0. Fewer than 2^32 texts. */
uint32_t texts_number(struct texts *texts, const char *bytes, size_t size);

/* The text of a number; of 0: NULL. */
const char *texts_text(const struct texts *texts, uint32_t number);

/* Sorts; after it texts_rank compares, until a text is added. Digits count as numbers: h9 before h10. */
void texts_sort(struct texts *texts);
uint32_t texts_rank(const struct texts *texts, uint32_t number);

#endif
