/* Whether the hunter sees: every fault of the simulated fabric planted in turn, and the same seed without it. */
#ifndef WINORD_PROVE_H
#define WINORD_PROVE_H

#include <stdio.h>

#include "bench/stress/options.h"

/*
 * Plants each fault in a process of its own, two at a time, and hunts until it has been found often enough that missing it in as
 * many tries again has a chance of at most 1e-5; then runs the same blocks without it. Prints a line for each.
 * Returns the exit status: 0 all found in the class the table declares and nothing found without them, else 2.
 */
int prove(const struct options *options, const volatile int *stop);

/* The faults, one a line. */
void prove_list(FILE *out);

#endif
