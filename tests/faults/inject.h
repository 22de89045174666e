/* Faults in the system calls of one thread, by a seccomp filter whose signal handler answers in the kernel's place. */
#ifndef FAULTS_INJECT_H
#define FAULTS_INJECT_H

#include <stdbool.h>

/* Answers that are no errno value: part of what was asked is done, nothing is done, or the calls are only written down. */
enum { INJECT_SHORT = -1, INJECT_EMPTY = -2, INJECT_LIST = -3 };

/* In the thread that sets it, calls are looked at. */
extern __thread bool inject_inside;

/*
 * Traps a call from now on; the whole process keeps the filter.
 *   number  of the system call; not looked at with INJECT_LIST
 *   nth     which of them fails, from 1; 0: each
 *   answer  an errno value, or one of the above; with INJECT_LIST the numbers of all calls go to descriptor 2, a line each
 * Close is carried out all the same, as Linux does. False: there is no filter here.
 */
bool inject_install(long number, long nth, int answer);

/*
 * From now on there are only the calls that tests/faults/worker needs; with `shim`, also those that the shim makes with a policy,
 * facts and a journal. Another one ends the process, or fails as not permitted. False: there is no filter here.
 */
bool inject_strict(bool kill, bool shim);

/* A system call of our own, which is not looked at. The answer is the kernel's: -errno. */
long inject_raw(long number, long a, long b, long c, long d, long e, long f);

/* The same, looked at. */
long inject_seen(long number, long a, long b, long c, long d, long e, long f);

#endif
