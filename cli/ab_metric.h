/*
 * The metric of a run: a number that it prints.
 */
#ifndef WINORD_AB_METRIC_H
#define WINORD_AB_METRIC_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* One run's metric so far. All zero but for the expression: nothing was printed yet. */
struct metric {
  const regex_t *expression; /* extended, with a group; NULL: nothing is looked for */
  double value; /* of the latest match whose first group is a positive number */
  size_t matches; /* such matches */
  char odd[64]; /* the first group of a match that is none; "": there was none */
};

/* A line of output that has not ended yet. */
struct line {
  char text[1 << 16]; /* a longer line is looked at in pieces */
  size_t used;
};

/*
 * Takes output as it comes. Lines end with \n or \r (a progress bar's); each is searched for all matches, and the last match
 * of all counts.
 */
void metric_take(struct metric *metric, struct line *line, const char *data, size_t size);

/* Takes what came after the last end of a line. */
void metric_end(struct metric *metric, struct line *line);

/* Compiles a POSIX extended regular expression. False: it is none, or has no group; *why in fresh memory. */
bool metric_compile(regex_t *expression, const char *text, char **why);

#endif
