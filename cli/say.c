#define _GNU_SOURCE
#include "command.h"
#include "policy/text.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *prefix;

void say_as(const char *command) { prefix = command; }

static void begin(void) {
  fflush(stdout);
  fprintf(stderr, prefix ? "winord %s: " : "winord: ", prefix);
}

/* What is printed names files, programs and rules, which come from anywhere. A newline at the end is ours. */
__attribute__((format(printf, 2, 0))) static void put_plain(FILE *to, const char *format, va_list arguments) {
  char *text = NULL;
  int length = vasprintf(&text, format, arguments);
  if (length < 0) {
    fputs("out of memory\n", to);
    return;
  }
  text_make_plain(text, (size_t)length - (length > 0 && text[length - 1] == '\n'));
  fputs(text, to);
  free(text);
}

void print_plain(FILE *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_plain(to, format, arguments);
  va_end(arguments);
}

void say(const char *format, ...) {
  va_list arguments;
  begin();
  va_start(arguments, format);
  put_plain(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

int usage_error(const char *format, ...) {
  va_list arguments;
  begin();
  va_start(arguments, format);
  put_plain(stderr, format, arguments);
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
