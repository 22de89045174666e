/* A set of names, each with the place where it first stood. Internal to this folder. */
#ifndef WINORD_NAMES_H
#define WINORD_NAMES_H

#include <stddef.h>

struct place {
  const char *name;
  const char *file;
  int line;
};

/* All zero is an empty set. Names and files are borrowed. */
struct names {
  struct place *slots; /* open addressing; a power of two of them, at most half in use */
  size_t capacity, count;
};

enum names_result { NAMES_ADDED, NAMES_PRESENT, NAMES_NO_MEMORY };

/* Adds a name; where it is present already, *first is where it stands. */
enum names_result names_add(struct names *names, struct place place, struct place *first);

/* The place of a name, or NULL. */
const struct place *names_find(const struct names *names, const char *name);

void names_free(struct names *names);

#endif
