/* Copies of NCCL that calls can reach past us. Looked for at the first window call and at the end of the process. */
#ifndef WINORD_UNCOVERED_H
#define WINORD_UNCOVERED_H

#include <stdbool.h>

/*
 * Looks for such copies and records each that was not recorded before.
 *   at_end   the process is ending: a copy that no call of ours reached, though some object has the means, counts too
 */
void uncovered_scan(bool at_end);

/* Whether a scan could find anything: there is a copy of NCCL, or a namespace that may hold one. Calls next to nothing. */
bool uncovered_possible(void);

/* The part of it that costs nothing: a copy whose functions found no thunk left. */
void uncovered_thunks(void);

/* Remembers that calls do reach this copy through us. */
void uncovered_not(const void *identity);

#endif
