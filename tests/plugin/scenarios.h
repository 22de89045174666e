/* What the ranks do with the plugin: each is the body of a rank. */
#ifndef WINORD_PLUGIN_SCENARIOS_H
#define WINORD_PLUGIN_SCENARIOS_H

#include <stddef.h>
#include <stdint.h>

#include "tests/plugin/harness.h"

static const size_t word_size = sizeof(uint64_t);

struct options {
  long tries;
  int memory; /* RMA_PTR_HOST, RMA_PTR_CUDA */
  uint64_t payload_flags, signal_flags; /* of registration */
  int watcher; /* of a lane: the rank that receives */
};
extern struct options options;

/* Zeroed pages. */
uint64_t *zeroed(size_t words);

/* Prints a name and a number. */
void print(const char *name, long value);

/* Whether the word reaches this value in time. */
bool comes(const uint64_t *word, uint64_t least, uint64_t patience_ns);

/* lanes.c: a payload, its signal, and a look at it: by the scenario's name, or NULL. */
int (*lane_scenario(const char *name))(struct rank *rank);

/* sums.c */
int sum(struct rank *rank);

/* sizes.c */
int sizes(struct rank *rank);

/* refusals.c */
int refusals(struct rank *rank);
int versions(struct rank *rank);

#endif
