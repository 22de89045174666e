#include "report/table.h"

#include "report/memory.h"

#include <stdlib.h>
#include <string.h>

void table_free(struct table *table) {
  free(table->entries);
  free(table->slots);
  *table = (struct table){.key_size = table->key_size, .entry_size = table->entry_size};
}

void *table_at(const struct table *table, size_t n) { return table->entries + n * table->entry_size; }

/* A slot holds the entry's place plus one; 0: none. */
static uint32_t *slot_of(const struct table *table, const void *key) {
  size_t at = memory_hash(key, table->key_size);
  for (;; at++) {
    uint32_t *slot = &table->slots[at & (table->slot_count - 1)];
    if (*slot == 0 || memcmp(table_at(table, *slot - 1), key, table->key_size) == 0) {
      return slot;
    }
  }
}

static void make_room(struct table *table) {
  table->entries = memory_for_one_more(table->entries, table->count, &table->room, table->entry_size);
  if ((table->count + 1) * 2 < table->slot_count) {
    return;
  }
  table->slot_count = table->slot_count ? table->slot_count * 2 : 64;
  table->slots = memory_sized(table->slots, table->slot_count, sizeof *table->slots);
  memset(table->slots, 0, table->slot_count * sizeof *table->slots);
  for (size_t i = 0; i < table->count; i++) {
    *slot_of(table, table_at(table, i)) = (uint32_t)i + 1;
  }
}

void *table_entry(struct table *table, const void *key) {
  make_room(table);
  uint32_t *slot = slot_of(table, key);
  if (*slot == 0) {
    char *entry = table_at(table, table->count);
    memset(entry, 0, table->entry_size);
    memcpy(entry, key, table->key_size);
    *slot = (uint32_t)++table->count;
  }
  return table_at(table, *slot - 1);
}
