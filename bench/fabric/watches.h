/* Who is to be told when a word of memory changes. */
#ifndef WINORD_WATCHES_H
#define WINORD_WATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/fabric/fabric.h"
#include "bench/fabric/pool.h"

enum { WATCH_BUCKETS = 256 };

struct watch {
  struct watch *next;
  const uint64_t *word;
  uint64_t seen;
  fabric_actor *actor;
  void *user;
};

struct watches {
  struct pool pool;
  size_t count;
  struct watch *buckets[WATCH_BUCKETS]; /* by the word's granule, in the order of the calls */
};

/* All zero before. */
void watches_open(struct watches *watches);
void watches_close(struct watches *watches);

/* Calls actor(user) once, when the word (aligned) is found to be another than now. False: out of memory. */
bool watches_add(struct watches *watches, const uint64_t *word, fabric_actor *actor, void *user);

/* Memory from `at` on was written: calls the actors of the words there that have changed. */
void watches_fire(struct watches *watches, const void *at, size_t bytes);

#endif
