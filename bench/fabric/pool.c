#include "bench/fabric/pool.h"

#include <stdint.h>
#include <stdlib.h>

enum { SLAB_BYTES = 16384, SLAB_LEAST = 8 };

struct pool_slab {
  struct pool_slab *next;
  max_align_t objects[];
};

void *pool_grow(struct pool *pool) {
  const size_t count = SLAB_BYTES / pool->size > SLAB_LEAST ? SLAB_BYTES / pool->size : SLAB_LEAST;
  struct pool_slab *slab = malloc(sizeof *slab + count * pool->size);
  if (!slab)
    return NULL;
  slab->next = pool->slabs;
  pool->slabs = slab;
  for (size_t i = count - 1; i > 0; i--)
    pool_give(pool, (uint8_t *)slab->objects + i * pool->size);
  return slab->objects;
}

void pool_free(struct pool *pool) {
  while (pool->slabs) {
    struct pool_slab *slab = pool->slabs;
    pool->slabs = slab->next;
    free(slab);
  }
}
