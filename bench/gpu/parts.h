/* The parts of bench-gpu. Each fills in results; false: error, and nothing more can be run. */
#ifndef WINORD_BENCH_GPU_PARTS_H
#define WINORD_BENCH_GPU_PARTS_H

#include "bench/gpu/results.h"
#include "bench/stress/gpu/session.h"

enum { LANE_LARGEST = 32768, PUT_LARGEST = 64 << 20, REPETITIONS = 9 };

/* What a window needs for all parts. */
size_t parts_window_bytes(unsigned ranks);

/* A lane of the hunter over lsa, rank 0 to 1, against loops written by hand; peers must reach the window. */
bool lanes_measure(struct session *session, struct results *results, char *error);

/* The hunter's tries per second with the oracle over without. */
bool oracle_measure(struct session *session, struct results *results, char *error);

/* The oracle's look against reading and summing up, on rank 0's GPU. */
bool verify_measure(struct session *session, struct results *results, char *error);

/* Indexed signals that gin puts need. */
unsigned puts_signals(unsigned ranks);

/* Pattern by size: puts over lsa and gin, as far as the session has them, and staged copies. */
bool puts_measure(struct session *session, bool lsa, bool gin, struct results *results, char *error);

#endif
