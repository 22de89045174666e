/* Whether a process still runs. */
#ifndef WINORD_PROCESS_H
#define WINORD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* When it was started, in the kernel's ticks since boot; 0: there is none, or /proc does not tell. */
uint64_t process_started(pid_t pid);

/* Whether the process of this pid is the one that was started then, and has not ended (one that waits to be reaped has). */
bool process_alive(pid_t pid, uint64_t started);

#endif
