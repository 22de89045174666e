/*
 * Preloaded: memory is short for one library. STARVE=N: the Nth allocation that libwinord.so makes fails, and every later one;
 * before that, and for all others, there is memory.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static int is_short(const void *caller) {
  static int allocations;
  Dl_info info = {0};
  const char *limit = getenv("STARVE");
  if (limit == NULL || dladdr(caller, &info) == 0 || info.dli_fname == NULL)
    return 0;
  if (strstr(info.dli_fname, "libwinord") == NULL)
    return 0;
  if (__atomic_add_fetch(&allocations, 1, __ATOMIC_SEQ_CST) < atoi(limit))
    return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return is_short(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
  return is_short(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return is_short(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}
