#define _GNU_SOURCE
#include "command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void *must_have(void *memory) {
  if (memory == NULL) {
    say("out of memory");
    exit(STATUS_FAILED);
  }
  return memory;
}

char *text_format(const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0) {
    text = NULL;
  }
  va_end(arguments);
  return must_have(text);
}

char *text_copy(const char *text) { return must_have(strdup(text)); }

const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *absolute_path(const char *path) {
  if (path[0] == '/') {
    return text_copy(path);
  }
  char *folder = getcwd(NULL, 0);
  if (folder == NULL) {
    return NULL;
  }
  char *absolute = text_format("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, path);
  free(folder);
  return absolute;
}

int today_utc(void) {
  time_t now = time(NULL);
  struct tm day;
  gmtime_r(&now, &day);
  return (day.tm_year + 1900) * 10000 + (day.tm_mon + 1) * 100 + day.tm_mday;
}
