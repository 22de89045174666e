/* Virtual time: what is still to happen, in the order of its time and, at one time, of the calls. */
#ifndef WINORD_ENGINE_H
#define WINORD_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/fabric/fabric.h"

enum { WHEEL_WORDS = 64, WHEEL_SLOTS = WHEEL_WORDS * 64 }; /* a slot is 1 ns */

struct event {
  uint64_t time, order;
  fabric_actor *actor;
  void *user;
};

struct wheel_event { /* its time is its slot's */
  uint64_t order;
  fabric_actor *actor;
  void *user;
  uint32_t next; /* of its slot, or free; 0: none */
};

/* All zero: empty, at time 0. Events of the next WHEEL_SLOTS ns are in the wheel, which costs little, later ones in the heap. */
struct engine {
  uint64_t now, order;
  size_t count; /* in both */
  struct event *heap; /* four children to a node */
  size_t heap_count, heap_room;
  struct wheel_event *events; /* number 0 is never used */
  uint32_t events_used, events_room, events_free;
  uint64_t words, occupied[WHEEL_WORDS]; /* slots with events, and words of it that are not 0 */
  struct {
    uint32_t first, last;
  } slots[WHEEL_SLOTS];
};

/* Calls actor(user) at this time, or now if that has passed. False: out of memory. */
bool engine_at(struct engine *engine, uint64_t time, fabric_actor *actor, void *user);

/* Lets the next event happen. False: there is none. */
bool engine_step(struct engine *engine);

void engine_free(struct engine *engine);

#endif
