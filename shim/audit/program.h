/*
 * The program, seen from the audit library's own namespace. There the library has a libc of its own, with an environment
 * as of the start, handlers of fork that nobody calls, and a list of objects that lacks the program's. program.c defines
 * these functions of libc anew for the whole library, so that they are about the program.
 */
#ifndef WINORD_PROGRAM_H
#define WINORD_PROGRAM_H

#include <link.h>

/* An object comes into the program's own namespace. Called under the dynamic linker's lock. */
void program_opens(const struct link_map *map);

#endif
