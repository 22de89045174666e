/*
 * A command as a child that is waited for.
 */
#ifndef WINORD_CHILD_H
#define WINORD_CHILD_H

/* Replaces this process by the command. Returns only on failure, said: STATUS_NOT_EXECUTABLE. */
int command_exec(char **argv);

/*
 * Runs the command and waits. SIGINT, SIGTERM and SIGHUP sent to this process are handed on (what a terminal sends, it sends to
 * the child as well). Returns the exit status, or 128 + the signal that killed the child.
 */
int command_wait(char **argv);

/*
 * Runs a program with its output caught, its errors thrown away and its input empty.
 *   seconds   after so long it is killed
 *   output    fresh memory, NUL-terminated, at most 1 MiB; set also on failure
 * Returns the exit status; -1: it could not be run or was killed.
 */
int command_output(char *const *argv, int seconds, char **output);

#endif
