/*
 * A table of entries that begin with their key: bytes, compared as such, so that padding must be zero.
 */
#ifndef WINORD_REPORT_TABLE_H
#define WINORD_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table {
  size_t key_size, entry_size, count, room, slot_count;
  char *entries; /* count of them, in the order in which they came */
  uint32_t *slots;
};

/* A table with nothing in it: these two sizes, in bytes, set, and all else zero. */
void table_free(struct table *table);

/* The entry of this key; a new one is all zeros beyond it. Valid until the next call. Fewer than 2^32 - 1 entries. */
void *table_entry(struct table *table, const void *key);

/* The nth entry. */
void *table_at(const struct table *table, size_t n);

#endif
