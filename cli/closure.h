/*
 * The shared objects that a program is started with.
 */
#ifndef WINORD_CLOSURE_H
#define WINORD_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>

struct closure {
  char **paths; /* in the loader's order, without the program itself */
  size_t count;
  char **missing; /* names that were not found */
  size_t missing_count;
  bool listed; /* by the loader; else nothing is resolved, and missing holds the DT_NEEDED names */
};

/*
 * Asks the program's own loader (ld.so --list), where root or this user owns it, else this program's; at most ten seconds.
 * Freed by closure_free.
 */
void closure_find(struct closure *closure, const char *path);
void closure_free(struct closure *closure);

#endif
