#include "command.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *prefix;

void say_as(const char *command) { prefix = command; }

static void begin(void) {
  fflush(stdout);
  fprintf(stderr, prefix ? "winord %s: " : "winord: ", prefix);
}

void say(const char *format, ...) {
  va_list arguments;
  begin();
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

int usage_error(const char *format, ...) {
  va_list arguments;
  begin();
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, prefix ? "; try 'winord %s --help'\n" : "; try 'winord --help'\n", prefix);
  return STATUS_USAGE;
}

int option_error(int answer, char **argv) {
  const char *word = argv[optind - 1];
  if (answer == ':') {
    return usage_error("option '%s' needs a value", word);
  }
  if (optopt > 0 && optopt < 128 && strncmp(word, "--", 2) != 0) {
    return usage_error("unknown option '-%c'", optopt);
  }
  return usage_error("unknown, ambiguous or misused option '%s'", word);
}
