/*
 * What the commands share: exit statuses, messages, small text helpers.
 */
#ifndef WINORD_COMMAND_H
#define WINORD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum status {
  STATUS_OK = 0,
  STATUS_FAILED = 1, /* check, explain, env, doctor: the answer is no */
  STATUS_USAGE = 2,
  STATUS_UNKNOWN = 3, /* qualify: it could not be told */
  STATUS_UNAVAILABLE = 69, /* the shim is not there, or cannot be named in LD_PRELOAD (sysexits.h, EX_UNAVAILABLE) */
  STATUS_UNEXPECTED = 70, /* run --expect: not what was expected (sysexits.h, EX_SOFTWARE) */
  STATUS_NOT_EXECUTABLE = 126,
  STATUS_NOT_FOUND = 127
};

/* One command. argv[0] is the command's name; the result is the exit status. run does not return once the command runs. */
int command_run(int argc, char **argv);
int command_ab(int argc, char **argv);
int command_qualify(int argc, char **argv);
int command_check(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_env(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_facts(int argc, char **argv);
int command_report(int argc, char **argv);
int command_tag(int argc, char **argv);

/* Sets the command's name, as messages begin with it ("winord run: "). The string is kept. */
void say_as(const char *command);

/* fprintf for people: control characters and what is no UTF-8 become `?`, but for a newline at the end. So in all below. */
void print_plain(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One line on stderr: "winord run: TEXT". */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The line, then "; try 'winord run --help'". Returns STATUS_USAGE. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The usage error for what getopt_long returned (`?` or `:`), its short options having begun with `:`. */
int option_error(int answer, char **argv);

/* A formatted string in fresh memory, freed by the caller. Never NULL: without memory the program ends. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* strdup; without memory the program ends. */
char *text_copy(const char *text);

/* What follows the last slash. Points into path. */
const char *base_name(const char *path);

/* The path made absolute by the working directory, symbolic links kept; fresh memory. NULL: there is no working directory. */
char *absolute_path(const char *path);

/* This day, UTC, as yyyymmdd. */
int today_utc(void);

#endif
