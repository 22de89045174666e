/*
 * Programs as the kernel and the loader see them, before they run.
 */
#ifndef WINORD_PROGRAM_H
#define WINORD_PROGRAM_H

#include <stdbool.h>

/*
 * The file that execvp(name) would run: fresh memory. NULL: none, said, and *status is what a shell would return:
 * STATUS_NOT_FOUND or STATUS_NOT_EXECUTABLE.
 */
char *program_find(const char *name, int *status);

/*
 * The file whose loader would read LD_PRELOAD: the program itself, or a script's interpreter, and what stands behind `env`.
 * Fresh memory. A file that cannot be read is returned as it is.
 */
char *program_behind(const char *path);

/*
 * Why the loader would not preload the shim into this ELF program: "is statically linked" and the like, static. NULL: it would,
 * or nothing is known against it.
 *   shim   path of the shim, with whose class and machine the program's must agree; NULL: this program's own
 */
const char *program_obstacle(const char *path, const char *shim);

/* Whether the program is linked to AddressSanitizer's run-time library, which ends programs that preload anything before it. */
bool program_wants_asan_first(const char *path);

/* Whether root or this user owns the file and nobody else can write it: its code may be run without being asked to. */
bool program_trusted(const char *path);

#endif
