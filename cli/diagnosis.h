/*
 * The three subjects of `winord doctor`. Each prints its findings on stdout and returns the exit status.
 */
#ifndef WINORD_DIAGNOSIS_H
#define WINORD_DIAGNOSIS_H

#include <sys/types.h>

/* STATUS_OK: the shim sees this program's registrations; STATUS_FAILED: it does not, or not all, or there are none to see. */
int diagnose_program(const char *path);

/* Likewise for a running process. */
int diagnose_process(pid_t process);

/* STATUS_OK: the shim loads and the policy has no errors. */
int diagnose_host(void);

#endif
