/*
 * decided COUNT: registers and deregisters so many windows, for callgrind: what one costs is a difference of two runs.
 */
#include "bench.h"

#include <stdlib.h>

int ncclCommWindowRegister(void *comm, void *buffer, size_t size, void **window, int flags);
int ncclCommWindowDeregister(void *comm, void *window);

int main(int argc, char **argv) {
  static char buffer[1 << 20], comm;
  const long count = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
  void *window = NULL;
  if (count <= 0)
    fail("usage: decided COUNT");
  for (long i = 0; i < count; i++)
    if (ncclCommWindowRegister(&comm, buffer, sizeof buffer, &window, 2) || ncclCommWindowDeregister(&comm, window))
      fail("a call failed");
  return 0;
}
