/*
 * Around every call that takes the dynamic linker's locks. fork copies those locks as they are, so a child whose parent had a
 * thread of ours inside would wait for ever: fork waits until none is, and newcomers wait until fork is done. Both waits are
 * bounded, since the forking thread may itself hold the linker's lock (a fork in a library's constructor).
 */
#ifndef WINORD_LINKER_H
#define WINORD_LINKER_H

void linker_enter(void);
void linker_leave(void);

/* Makes fork wait, from now on. Once per process; called at the first window call. */
void linker_survive_fork(void);

#endif
