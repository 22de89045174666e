/*
 * One run of the compared command: its output is read and still reaches the user, and signals end the comparison, not this process.
 */
#ifndef WINORD_AB_RUN_H
#define WINORD_AB_RUN_H

#include "ab_metric.h"

/*
 * From here on SIGINT, SIGTERM and SIGHUP (those that are not ignored) are remembered, and handed on to the running command where
 * a process sent them; a terminal's reach it by themselves. A closed pipe is an error of write. The handlers stay.
 */
void run_catch_signals(void);

/* The signal that came, or 0. */
int run_interrupted(void);

/*
 * Runs the command to its end, with no input.
 *   out      where its standard output goes, too (STDOUT_FILENO or STDERR_FILENO); its errors go to STDERR_FILENO
 *   metric   takes both streams' lines in the order in which they come
 * Returns the exit status, 128 + the signal that killed it, or -1: not started, said, or interrupted before. What descendants
 * print after the command has ended is waited for until half a second is silent, at most five.
 */
int run_measured(char **argv, int out, struct metric *metric);

#endif
