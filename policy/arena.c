#include "policy/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 16384 };

struct chunk {
  struct chunk *next;
  size_t used, size;
  _Alignas(max_align_t) char bytes[];
};

static struct chunk *chunk_new(struct arena *arena, size_t least) {
  size_t size = least > CHUNK_SIZE ? least : CHUNK_SIZE;
  struct chunk *chunk = calloc(1, sizeof *chunk + size);
  if (!chunk) {
    arena->failed = true;
    return NULL;
  }
  *chunk = (struct chunk){.next = arena->chunks, .size = size};
  arena->chunks = chunk;
  return chunk;
}

static void *take(struct arena *arena, size_t size, size_t align) {
  struct chunk *chunk = arena->chunks;
  size_t start = chunk ? (chunk->used + align - 1) & ~(align - 1) : 0;
  if (!chunk || start > chunk->size || size > chunk->size - start) {
    chunk = chunk_new(arena, size);
    start = 0;
  }
  if (!chunk)
    return NULL;
  chunk->used = start + size;
  return chunk->bytes + start;
}

void *arena_alloc(struct arena *arena, size_t size) { return take(arena, size, _Alignof(max_align_t)); }

char *arena_copy(struct arena *arena, const char *text, size_t length) {
  char *copy = take(arena, length + 1, 1);
  if (copy)
    memcpy(copy, text, length);
  return copy;
}

char *arena_string(struct arena *arena, const char *text) { return arena_copy(arena, text, strlen(text)); }

void arena_free(struct arena *arena) {
  while (arena->chunks) {
    struct chunk *next = arena->chunks->next;
    free(arena->chunks);
    arena->chunks = next;
  }
}

void *array_room(struct arena *arena, void *items, size_t count, size_t item_size) {
  if (count & (count - 1))
    return items;
  size_t capacity = count ? count * 2 : 1;
  void *larger = capacity <= SIZE_MAX / item_size ? realloc(items, capacity * item_size) : NULL;
  if (!larger)
    arena->failed = true;
  return larger;
}
