#include "bench/fabric/engine.h"

#include <stdlib.h>

enum { CHILDREN = 4, ROOM_FIRST = 256 };

static bool before(const struct event *a, const struct event *b) {
  return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static bool heap_grow(struct engine *engine) {
  const size_t room = engine->heap_room ? engine->heap_room * 2 : ROOM_FIRST;
  struct event *heap = realloc(engine->heap, room * sizeof *heap);
  if (!heap)
    return false;
  engine->heap = heap;
  engine->heap_room = room;
  return true;
}

static bool heap_add(struct engine *engine, uint64_t time, fabric_actor *actor, void *user) {
  if (engine->heap_count == engine->heap_room && !heap_grow(engine))
    return false;
  const struct event event = {.time = time, .order = engine->order++, .actor = actor, .user = user};
  size_t at = engine->heap_count++;
  while (at > 0 && before(&event, &engine->heap[(at - 1) / CHILDREN])) {
    engine->heap[at] = engine->heap[(at - 1) / CHILDREN];
    at = (at - 1) / CHILDREN;
  }
  engine->heap[at] = event;
  return true;
}

static size_t first_child(const struct engine *engine, size_t at) {
  const size_t from = (at * CHILDREN) + 1;
  const size_t end = from + CHILDREN < engine->heap_count ? from + CHILDREN : engine->heap_count;
  size_t first = from;
  for (size_t i = from + 1; i < end; i++)
    if (before(&engine->heap[i], &engine->heap[first]))
      first = i;
  return first;
}

static struct event heap_take(struct engine *engine) {
  const struct event taken = engine->heap[0], event = engine->heap[--engine->heap_count];
  size_t at = 0;
  while (at * CHILDREN + 1 < engine->heap_count) {
    const size_t child = first_child(engine, at);
    if (before(&event, &engine->heap[child]))
      break;
    engine->heap[at] = engine->heap[child];
    at = child;
  }
  engine->heap[at] = event;
  return taken;
}

static bool wheel_grow(struct engine *engine) {
  const uint32_t room = engine->events_room ? engine->events_room * 2 : ROOM_FIRST;
  struct wheel_event *events = realloc(engine->events, room * sizeof *events);
  if (!events)
    return false;
  engine->events = events;
  engine->events_room = room;
  return true;
}

/* The number of an event that is not in use; 0: out of memory. */
static uint32_t wheel_event(struct engine *engine) {
  const uint32_t number = engine->events_free;
  if (number) {
    engine->events_free = engine->events[number].next;
    return number;
  }
  if (engine->events_used + 1 >= engine->events_room && !wheel_grow(engine))
    return 0;
  return ++engine->events_used;
}

static bool wheel_add(struct engine *engine, uint64_t time, fabric_actor *actor, void *user) {
  const uint32_t number = wheel_event(engine);
  if (!number)
    return false;
  const unsigned slot = time % WHEEL_SLOTS;
  struct wheel_event *event = &engine->events[number];
  event->order = engine->order++;
  event->actor = actor;
  event->user = user;
  event->next = 0;
  if (engine->slots[slot].first)
    engine->events[engine->slots[slot].last].next = number;
  else
    engine->slots[slot].first = number;
  engine->slots[slot].last = number;
  engine->occupied[slot / 64] |= 1ULL << slot % 64;
  engine->words |= 1ULL << slot / 64;
  return true;
}

bool engine_at(struct engine *engine, uint64_t time, fabric_actor *actor, void *user) {
  if (time < engine->now)
    time = engine->now;
  const bool near = time - engine->now < WHEEL_SLOTS;
  if (!(near ? wheel_add(engine, time, actor, user) : heap_add(engine, time, actor, user)))
    return false;
  engine->count++;
  return true;
}

/* The first occupied slot from now on, around the wheel, which is not empty. */
static unsigned wheel_slot(const struct engine *engine) {
  const unsigned now = engine->now % WHEEL_SLOTS, word = now / 64;
  const uint64_t here = engine->occupied[word] & ~0ULL << now % 64;
  if (here)
    return word * 64 + (unsigned)__builtin_ctzll(here);
  const uint64_t later = word == WHEEL_WORDS - 1 ? 0 : engine->words & ~0ULL << (word + 1);
  const unsigned next = (unsigned)__builtin_ctzll(later ? later : engine->words);
  return next * 64 + (unsigned)__builtin_ctzll(engine->occupied[next]);
}

static void wheel_step(struct engine *engine, unsigned slot) {
  const uint32_t number = engine->slots[slot].first;
  const struct wheel_event taken = engine->events[number];
  engine->slots[slot].first = taken.next;
  if (!taken.next) {
    engine->occupied[slot / 64] &= ~(1ULL << slot % 64);
    if (!engine->occupied[slot / 64])
      engine->words &= ~(1ULL << slot / 64);
  }
  engine->events[number].next = engine->events_free;
  engine->events_free = number;
  taken.actor(taken.user);
}

static void heap_step(struct engine *engine) {
  const struct event taken = heap_take(engine);
  engine->now = taken.time;
  taken.actor(taken.user);
}

bool engine_step(struct engine *engine) {
  if (engine->count == 0)
    return false;
  engine->count--;
  if (!engine->words) {
    heap_step(engine);
    return true;
  }
  const unsigned slot = wheel_slot(engine);
  const uint64_t time = engine->now + (slot - engine->now) % WHEEL_SLOTS;
  const struct event first = {.time = time, .order = engine->events[engine->slots[slot].first].order};
  if (engine->heap_count && before(&engine->heap[0], &first)) {
    heap_step(engine);
    return true;
  }
  engine->now = time;
  wheel_step(engine, slot);
  return true;
}

void engine_free(struct engine *engine) {
  free(engine->heap);
  free(engine->events);
}
