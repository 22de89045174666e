/* An allocator of the kind that looks its successor up at the first malloc, and again each time: dlsym must not allocate. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

void *malloc(size_t size) {
  static int inside;
  void *(*next)(size_t) = NULL;
  if (inside > 8)
    __builtin_trap();
  inside++;
  *(void **)&next = dlsym(RTLD_NEXT, "malloc");
  inside--;
  return next(size);
}
