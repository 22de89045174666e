#include "policy/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 1024, ERRORS_MAX = 100 };

static size_t file_rank(const struct policy *policy, const char *file) {
  size_t rank = 0;
  while (rank < policy->file_count && policy->files[rank] != file)
    rank++;
  return rank;
}

static bool stands_behind(const struct policy *policy, const struct problem *problem, const char *file, int line) {
  if (problem->file == file)
    return problem->line > line;
  return file_rank(policy, problem->file) > file_rank(policy, file);
}

static void insert(struct policy *policy, struct problem problem) {
  struct problem *room =
      array_room(policy_arena(policy), policy->problems, policy->problem_count, sizeof *policy->problems);
  if (!room || !problem.text)
    return;
  policy->problems = room;
  size_t i = policy->problem_count++;
  for (; i > 0 && stands_behind(policy, &room[i - 1], problem.file, problem.line); i--)
    room[i] = room[i - 1];
  room[i] = problem;
  policy->error_count += !problem.warning;
}

static void insert_text(struct policy *policy, const char *file, int line, bool warning, const char *format,
                        va_list arguments) {
  char text[TEXT_MAX];
  vsnprintf(text, sizeof text, format, arguments);
  insert(policy, (struct problem){file, line, warning, arena_string(policy_arena(policy), text)});
}

void policy_problem(struct policy *policy, const char *file, int line, bool warning, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  insert_text(policy, file, line, warning, format, arguments);
  va_end(arguments);
}

void reader_error(struct reader *reader, int line, const char *format, ...) {
  if (reader->errors > ERRORS_MAX)
    return;
  if (reader->errors++ == ERRORS_MAX) {
    policy_problem(reader->policy, reader->file, line, false, "more problems; not listed");
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  insert_text(reader->policy, reader->file, line, false, format, arguments);
  va_end(arguments);
}
