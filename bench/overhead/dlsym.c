/*
 * dlsym default NAME | next NAME | handle LIBRARY NAME
 *
 * Prints what one look-up of NAME costs, in nanoseconds: the median of blocks of calls.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { BLOCKS = 30, CALLS = 10000 };

static double block_ns(void *handle, const char *name) {
  const double start = now_ns();
  for (int i = 0; i < CALLS; i++) {
    void *volatile found = dlsym(handle, name);
    (void)found;
  }
  return (now_ns() - start) / CALLS;
}

int main(int argc, char **argv) {
  const char *name = argc > 2 ? argv[argc - 1] : NULL;
  void *handle = RTLD_DEFAULT;
  double values[BLOCKS];
  if (!name)
    fail("usage: dlsym default NAME | next NAME | handle LIBRARY NAME");
  if (strcmp(argv[1], "next") == 0)
    handle = RTLD_NEXT;
  if (strcmp(argv[1], "handle") == 0)
    handle = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (!dlsym(handle, name))
    fail("%s: not found", name);
  for (int i = 0; i < BLOCKS; i++)
    values[i] = block_ns(handle, name);
  printf("%.3f\n", median(values, BLOCKS));
  return 0;
}
