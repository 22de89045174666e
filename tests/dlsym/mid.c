/* The middle of a chain: at -O0 a dlsym that is a plain wrapper makes this find itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int chain_value(void);
int chain_missing(void);

int chain_value(void) {
  int (*next)(void) = NULL;
  *(void **)&next = dlsym(RTLD_NEXT, "chain_value");
  return next == NULL ? -1 : 10 + next();
}

/* Whether a name that no later library has is found, and whether dlerror says so. */
int chain_missing(void) {
  void *found = dlsym(RTLD_NEXT, "chain_missing");
  return found != NULL ? -1 : dlerror() != NULL;
}
