#include "bench/plugin/log.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_MOST = 2048 };

/* %p becomes the process; any other % stays. False: too long. */
static bool expand(char expanded[PATH_MAX], const char *path) {
  size_t used = 0;
  while (*path && used + 1 < PATH_MAX) {
    if (path[0] != '%' || path[1] != 'p') {
      expanded[used++] = *path++;
      continue;
    }
    used += (size_t)snprintf(expanded + used, PATH_MAX - used, "%d", (int)getpid());
    path += 2;
  }
  if (used >= PATH_MAX)
    return false;
  expanded[used] = 0;
  return *path == 0;
}

void log_record(const char *path, const char *format, ...) {
  char expanded[PATH_MAX], line[LINE_MOST];
  if (!path || !expand(expanded, path))
    return;
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= LINE_MOST - 1)
    return;
  line[length] = '\n';
  const int file = open(expanded, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (file < 0)
    return;
  const ssize_t written = write(file, line, (size_t)length + 1);
  (void)written;
  close(file);
}

void say(const char *format, ...) {
  char line[LINE_MOST];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(stderr, "winord fabric: %s\n", line);
}
