#include "ab_metric.h"
#include "command.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A positive, finite number and nothing else but blanks around it; 0: it is none. */
static double positive_number(const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || !(value > 0 && value <= DBL_MAX)) {
    return 0;
  }
  return end[strspn(end, " \t")] == '\0' ? value : 0;
}

static void take_match(struct metric *metric, const char *at, const regmatch_t *group) {
  char text[sizeof metric->odd];
  if (group->rm_so < 0) {
    snprintf(text, sizeof text, "nothing");
  } else {
    snprintf(text, sizeof text, "%.*s", (int)(group->rm_eo - group->rm_so), at + group->rm_so);
  }
  double value = positive_number(text);
  if (value > 0) {
    metric->value = value;
    metric->matches++;
  } else {
    snprintf(metric->odd, sizeof metric->odd, "%s", text);
  }
}

static void take_line(struct metric *metric, const char *text) {
  regmatch_t found[2];
  int flags = 0;
  while (metric->expression != NULL && regexec(metric->expression, text, 2, found, flags) == 0) {
    take_match(metric, text, &found[1]);
    text += found[0].rm_eo;
    if (*text == '\0') {
      return;
    }
    text += found[0].rm_eo == found[0].rm_so; /* an empty match would be found again */
    flags = REG_NOTBOL;
  }
}

void metric_end(struct metric *metric, struct line *line) {
  line->text[line->used] = '\0';
  if (line->used > 0) {
    take_line(metric, line->text);
  }
  line->used = 0;
}

void metric_take(struct metric *metric, struct line *line, const char *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (data[i] == '\n' || data[i] == '\r') {
      metric_end(metric, line);
    } else {
      line->text[line->used] = data[i];
      if (data[i] == '\0') {
        line->text[line->used] = ' ';
      }
      line->used++;
    }
    if (line->used == sizeof line->text - 1) {
      metric_end(metric, line);
    }
  }
}

bool metric_compile(regex_t *expression, const char *text, char **why) {
  char error[128];
  int result = regcomp(expression, text, REG_EXTENDED);
  if (result != 0) {
    regerror(result, expression, error, sizeof error);
    *why = text_copy(error);
    return false;
  }
  if (expression->re_nsub == 0) {
    *why = text_copy("it has no group: put the number in ( )");
    regfree(expression);
    return false;
  }
  return true;
}
