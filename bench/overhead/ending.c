/*
 * ending FOLDER: loads the libraries of FOLDER, registers one window, and prints the time, CLOCK_MONOTONIC in nanoseconds, last
 * thing before it exits.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

int ncclCommWindowRegister(void *comm, void *buffer, size_t size, void **window, int flags);

int main(int argc, char **argv) {
  static char buffer[1];
  void *window = NULL;
  if (argc != 2)
    fail("usage: ending FOLDER");
  (void)load_folder(argv[1]);
  if (ncclCommWindowRegister(buffer, buffer, sizeof buffer, &window, 2) != 0)
    fail("ncclCommWindowRegister failed");
  printf("%.0f\n", now_ns());
  fflush(stdout);
  exit(0);
}
