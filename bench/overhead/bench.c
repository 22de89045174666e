#define _GNU_SOURCE
#include "bench.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double clock_cost_ns(void) {
  double least = 1e9;
  for (int i = 0; i < 1000; i++) {
    const double before = now_ns(), cost = now_ns() - before;
    least = cost < least ? cost : least;
  }
  return least;
}

static int compare(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

void pin(void) {
  cpu_set_t allowed, one;
  int last = CPU_SETSIZE - 1;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return; /* more processors than the set holds: the medians must do */
  while (last > 0 && !CPU_ISSET(last, &allowed))
    last--;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  (void)sched_setaffinity(0, sizeof one, &one);
}

int load_folder(const char *folder) {
  DIR *entries = opendir(folder);
  int count = 0;
  if (!entries)
    fail("cannot open %s", folder);
  for (const struct dirent *entry; (entry = readdir(entries));) {
    char path[4096];
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".so") != 0)
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (!dlopen(path, RTLD_NOW | RTLD_LOCAL))
      fail("%s", dlerror());
    count++;
  }
  closedir(entries);
  return count;
}

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("bench/overhead: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

void *room(size_t size) {
  void *memory = malloc(size);
  if (!memory)
    fail("no memory");
  return memory;
}
