#include "report.h"
#include "command.h"

#include <stdio.h>

void report_problems(const struct policy *policy) {
  for (size_t i = 0; i < policy->problem_count; i++) {
    const struct problem *problem = &policy->problems[i];
    const char *kind = problem->warning ? "warning" : "error";
    if (problem->line > 0) {
      print_plain(stderr, "%s:%d: %s: %s\n", problem->file, problem->line, kind, problem->text);
    } else {
      print_plain(stderr, "%s: %s: %s\n", problem->file, kind, problem->text);
    }
  }
}

static const char *s(size_t count) { return count == 1 ? "" : "s"; }

const char *policy_summary(const struct policy *policy, char *text, size_t size) {
  size_t errors = policy->error_count, warnings = policy->problem_count - errors;
  char error_words[40] = "ok", warning_words[40] = "";
  if (errors > 0) {
    snprintf(error_words, sizeof error_words, "%zu error%s", errors, s(errors));
  }
  if (warnings > 0) {
    snprintf(warning_words, sizeof warning_words, ", %zu warning%s", warnings, s(warnings));
  }
  snprintf(text, size, "%zu rule%s, %zu pool%s: %s%s", policy->rule_count, s(policy->rule_count), policy->pool_count,
           s(policy->pool_count), error_words, warning_words);
  return text;
}
