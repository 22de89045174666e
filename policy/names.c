#include "policy/names.h"

#include "policy/lines.h"

#include <stdlib.h>
#include <string.h>

/* The slot that holds name, or the free one where it belongs. */
static struct place *slot_of(const struct names *names, const char *name) {
  size_t mask = names->capacity - 1;
  size_t i = (size_t)fnv1a(FNV_START, name, strlen(name)) & mask;
  while (names->slots[i].name && strcmp(names->slots[i].name, name) != 0)
    i = (i + 1) & mask;
  return &names->slots[i];
}

static bool grow(struct names *names) {
  struct names larger = {.capacity = names->capacity ? names->capacity * 2 : 16, .count = names->count};
  larger.slots = calloc(larger.capacity, sizeof *larger.slots);
  if (!larger.slots)
    return false;
  for (size_t i = 0; i < names->capacity; i++)
    if (names->slots[i].name)
      *slot_of(&larger, names->slots[i].name) = names->slots[i];
  free(names->slots);
  *names = larger;
  return true;
}

enum names_result names_add(struct names *names, struct place place, struct place *first) {
  if (names->count * 2 >= names->capacity && !grow(names))
    return NAMES_NO_MEMORY;
  struct place *slot = slot_of(names, place.name);
  if (slot->name) {
    *first = *slot;
    return NAMES_PRESENT;
  }
  *slot = place;
  names->count++;
  return NAMES_ADDED;
}

const struct place *names_find(const struct names *names, const char *name) {
  if (!names->capacity)
    return NULL;
  const struct place *slot = slot_of(names, name);
  return slot->name ? slot : NULL;
}

void names_free(struct names *names) {
  free(names->slots);
  *names = (struct names){0};
}
