/* Running the blocks of known witnesses again. */
#ifndef WINORD_REPLAY_H
#define WINORD_REPLAY_H

#include "bench/stress/options.h"

/*
 * Reads a file that -J wrote and runs each witness's block again, with that file's seed, ranks and pattern (the command line's are
 * not looked at). Returns the exit status: 1 every block showed its violation again, 0 none did, 2 some did not, or a mistake.
 */
int replay(const struct options *options);

#endif
