#include "bench/fabric/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { STAT_SIZE = 1024 };

/* Fields 3 and 22 of /proc/PID/stat; the second, a name, may hold blanks and parentheses. */
static bool read_stat(pid_t pid, char *state, unsigned long long *started) {
  char text[STAT_SIZE];
  snprintf(text, sizeof text, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(text, "re");
  if (!file)
    return false;
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *rest = strrchr(text, ')');
  return rest && sscanf(rest, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                        state, started) == 2;
}

uint64_t process_started(pid_t pid) {
  char state;
  unsigned long long started;
  return read_stat(pid, &state, &started) ? started : 0;
}

bool process_alive(pid_t pid, uint64_t started) {
  char state;
  unsigned long long since;
  if (started != 0)
    return read_stat(pid, &state, &since) && since == started && state != 'Z' && state != 'X';
  return kill(pid, 0) == 0 || errno == EPERM;
}
