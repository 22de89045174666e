#include "bench/fabric/watches.h"

/* What the host's memory is cut into for the search: 256 bytes, so that a TLP meets few of them. */
enum { GRANULE_BITS = 8 };

static uintptr_t granule_of(const void *at) { return (uintptr_t)at >> GRANULE_BITS; }

static struct watch **bucket_of(struct watches *watches, uintptr_t granule) {
  return &watches->buckets[granule % WATCH_BUCKETS];
}

void watches_open(struct watches *watches) { watches->pool.size = pool_size(sizeof(struct watch)); }

void watches_close(struct watches *watches) { pool_free(&watches->pool); }

static struct watch **end_of(struct watch **list) {
  while (*list)
    list = &(*list)->next;
  return list;
}

bool watches_add(struct watches *watches, const uint64_t *word, fabric_actor *actor, void *user) {
  struct watch *watch = pool_take(&watches->pool);
  if (!watch)
    return false;
  *watch = (struct watch){.word = word, .seen = *word, .actor = actor, .user = user};
  *end_of(bucket_of(watches, granule_of(word))) = watch;
  watches->count++;
  return true;
}

/* Takes the changed ones of this granule off their list: actors may add to it. */
static struct watch *take_changed(struct watches *watches, uintptr_t granule) {
  struct watch *changed = NULL, **last = &changed;
  struct watch **link = bucket_of(watches, granule);
  while (*link) {
    struct watch *watch = *link;
    if (granule_of(watch->word) != granule || *watch->word == watch->seen) {
      link = &watch->next;
      continue;
    }
    *link = watch->next;
    watch->next = NULL;
    *last = watch;
    last = &watch->next;
  }
  return changed;
}

static void call(struct watches *watches, struct watch *changed) {
  while (changed) {
    const struct watch watch = *changed;
    pool_give(&watches->pool, changed);
    watches->count--;
    watch.actor(watch.user);
    changed = watch.next;
  }
}

void watches_fire(struct watches *watches, const void *at, size_t bytes) {
  const uintptr_t last = granule_of((const uint8_t *)at + bytes - 1);
  for (uintptr_t granule = granule_of(at); watches->count > 0 && granule <= last; granule++)
    call(watches, take_changed(watches, granule));
}
