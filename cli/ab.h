/*
 * `winord ab`: one command under two policies, in turn.
 */
#ifndef WINORD_AB_H
#define WINORD_AB_H

#include "ab_journal.h"
#include "ab_stats.h"

#include <regex.h>

struct json_t;

enum { SIDES = 2, FAILURES_MAX = 2 };

/* Windows as NCCL was asked for them, and how many of them a policy changed or was refused to. */
struct windows {
  size_t strict, relaxed, rewritten, refused;
};

/* One side of the comparison. */
struct side {
  const char *policy; /* as the user named it: a file, or none, strict, relaxed */
  char *conf; /* the file that the shim reads, absolute */
  struct registrations latest; /* of the latest run */
  struct windows windows; /* of the pairs that count */
};

struct comparison {
  /* what was asked */
  size_t pairs;
  const char *pattern;
  bool lower_is_better, json;
  const char *folder_asked; /* -o */
  char **command;
  /* what it came to */
  regex_t expression;
  char *folder; /* journals and built-in policies */
  struct side sides[SIDES];
  double warm_up[SIDES]; /* 0: no value */
  double values[SIDES][ESTIMATE_PAIRS_MAX];
  size_t measured; /* pairs that count */
  char *failures[FAILURES_MAX]; /* what went wrong, in words */
  size_t failure_count;
  size_t several; /* most matches of one run */
  bool alike; /* the warm-up's two runs registered alike, or what they registered cannot be compared */
  int signal; /* that ended it, or 0 */
};

/* "A" or "B". */
const char *side_name(int side);

/*
 * Runs the pairs in turn, from the warm-up on. A pair that fails is lost; a second one, or a warm-up that fails, ends it, as does
 * a signal. Sets WINORD_* in this process; the shim must stand in LD_PRELOAD.
 */
void comparison_measure(struct comparison *comparison);

/* The ratios of the pairs that count, in their order: B/A, or A/B where lower is better, so that above 1 B is better. */
void comparison_ratios(const struct comparison *comparison, double *ratios);

/* Everything on stdout, as text or as one JSON object. */
void comparison_text(const struct comparison *comparison);
void comparison_json(const struct comparison *comparison);

/* The JSON object alone, owned by the caller; the last line of the text, fresh memory. */
struct json_t *comparison_object(const struct comparison *comparison);
char *comparison_verdict(const struct comparison *comparison);

/* What the pairs came to; FINDING_TOO_FEW also where both sides registered alike. */
enum finding comparison_finding(const struct comparison *comparison);

/* The option -n: -1, or the usage error. */
int comparison_parse_pairs(struct comparison *comparison, const char *text);

/* -1, or the usage error of a variable with which no policy would change anything. */
int comparison_check_environment(void);

/*
 * Makes the folder, and the two sides' policies in it where they are words. False: said; nothing is left behind.
 * comparison_remove takes away what was made, unless the user named the folder.
 */
bool comparison_prepare(struct comparison *comparison);
void comparison_remove(struct comparison *comparison);

/*
 * The folder that the user named: made, or there and empty, so that nothing of another run is read. Absolute, fresh memory;
 * NULL: said.
 */
char *folder_named(const char *name);

/* Writes a new policy file that has a default and nothing else. False: said. */
bool policy_write_default(const char *path, const char *ordering);

#endif
