/* Objects of one size, taken and given back without malloc; all are freed together. */
#ifndef WINORD_POOL_H
#define WINORD_POOL_H

#include <stddef.h>

struct pool_free {
  struct pool_free *next;
};

/* All zero but the size (bytes, pool_size's). */
struct pool {
  size_t size;
  struct pool_free *free;
  struct pool_slab *slabs;
};

/* The size to give a pool of objects of so many bytes. */
static inline size_t pool_size(size_t bytes) { return (bytes + 15) / 16 * 16; }

/* Adds a slab of free objects and takes one. NULL: out of memory. */
void *pool_grow(struct pool *pool);

/* Not initialised. NULL: out of memory. */
static inline void *pool_take(struct pool *pool) {
  struct pool_free *object = pool->free;
  if (!object)
    return pool_grow(pool);
  pool->free = object->next;
  return object;
}

static inline void pool_give(struct pool *pool, void *object) {
  struct pool_free *given = object;
  given->next = pool->free;
  pool->free = given;
}

void pool_free(struct pool *pool);

#endif
