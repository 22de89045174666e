/* Memory that is freed whole, and growing arrays. Internal to this folder. Not for use by two threads at once. */
#ifndef WINORD_ARENA_H
#define WINORD_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is an empty one. failed stays set from the first time that memory ran out. */
struct arena {
  struct chunk *chunks;
  bool failed;
};

/* Zeroed memory for any type, or NULL. */
void *arena_alloc(struct arena *arena, size_t size);

/* A NUL-terminated copy of length bytes, or NULL. */
char *arena_copy(struct arena *arena, const char *text, size_t length);

/* The same for a whole string. */
char *arena_string(struct arena *arena, const char *text);

void arena_free(struct arena *arena);

/*
 * Room for one more item: items itself, or (count a power of two, or 0) a larger malloc'ed array in its place. NULL, items
 * untouched and arena->failed set, when memory ran out. The caller frees the array.
 */
void *array_room(struct arena *arena, void *items, size_t count, size_t item_size);

#endif
