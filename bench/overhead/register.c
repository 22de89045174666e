/*
 * register JOURNAL COPY KEPT [FOLDER]
 *
 * Registers windows under the shim, each followed by the three things it is held against: the same call of NCCL past the shim,
 * open + write + close of the same line on COPY, and a deregistration.
 *   JOURNAL   the file that WINORD_LOG names, or "-" for none
 *   KEPT      so many small windows, which the policy leaves strict, are registered first, and stay
 *   FOLDER    its libraries are loaded first
 * Prints, in nanoseconds: a registration less NCCL's own part, open + write + close, a deregistration, the first registration;
 * then the length of the line.
 */
#include "bench.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 4000, LINE_SIZE = 16384, UNIT = 2 << 20, SMALL = 4096 };

int ncclCommWindowRegister(void *comm, void *buffer, size_t size, void **window, int flags);
int ncclCommWindowDeregister(void *comm, void *window);
int pncclCommWindowRegister(void *comm, void *buffer, size_t size, void **window, int flags);

static int comm;

/* Nothing is read or written there. */
static void *buffer_at(int number) { return (void *)(((uintptr_t)number + 1) * UNIT); }

static double register_ns(int number, size_t size) {
  void *window = NULL;
  const double start = now_ns();
  const int result = ncclCommWindowRegister(&comm, buffer_at(number), size, &window, 2);
  const double end = now_ns();
  if (result != 0 || !window)
    fail("ncclCommWindowRegister: %d", result);
  return end - start;
}

static double past_us_ns(int number) {
  void *window = NULL;
  const double start = now_ns();
  (void)pncclCommWindowRegister(&comm, buffer_at(number), UNIT, &window, 2);
  return now_ns() - start;
}

static double deregister_ns(int number) {
  const double start = now_ns();
  (void)ncclCommWindowDeregister(&comm, buffer_at(number));
  return now_ns() - start;
}

static double write_ns(const char *path, const char *line, size_t length) {
  const double start = now_ns();
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const ssize_t written = write(fd, line, length);
  close(fd);
  const double end = now_ns();
  if (written != (ssize_t)length)
    fail("%s: cannot write", path);
  return end - start;
}

/* The record of the registration that came last. */
static size_t last_line(const char *path, char line[LINE_SIZE]) {
  FILE *file = fopen(path, "r");
  line[0] = '\0';
  while (file && fgets(line, LINE_SIZE, file)) {}
  if (file)
    fclose(file);
  if (!strstr(line, "\"event\":\"register\"") || !strstr(line, "\"verdict\":\"rewritten\""))
    fail("%s does not end with a rewritten registration", path);
  return strlen(line);
}

int main(int argc, char **argv) {
  static double registered[ROUNDS], past_us[ROUNDS], written[ROUNDS], deregistered[ROUNDS];
  static char line[LINE_SIZE];
  if (argc < 4)
    fail("usage: register JOURNAL COPY KEPT [FOLDER]");
  const int journalled = strcmp(argv[1], "-") != 0;
  const int kept = (int)strtol(argv[3], NULL, 10);
  pin();
  if (argc > 4)
    (void)load_folder(argv[4]);
  const double clock = clock_cost_ns(), first = register_ns(0, UNIT);
  for (int i = 1; i <= kept; i++)
    (void)register_ns(i, SMALL);
  if (kept)
    (void)register_ns(0, UNIT);
  const size_t length = journalled ? last_line(argv[1], line) : 0;
  for (int i = 0; i < ROUNDS; i++) {
    registered[i] = register_ns(kept + 1, UNIT);
    past_us[i] = past_us_ns(kept + 1);
    written[i] = journalled ? write_ns(argv[2], line, length) : 0;
    deregistered[i] = deregister_ns(kept + 1);
  }
  printf("%.1f\t%.1f\t%.1f\t%.1f\t%zu\n", median(registered, ROUNDS) - median(past_us, ROUNDS),
         median(written, ROUNDS) - clock, median(deregistered, ROUNDS) - clock, first, length);
  return 0;
}
