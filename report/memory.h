/*
 * Memory that is there: a report that lacks some ends the program, with a message and STATUS_FAILED.
 */
#ifndef WINORD_REPORT_MEMORY_H
#define WINORD_REPORT_MEMORY_H

#include <stddef.h>

/* reallocarray. old: NULL, or memory of this function. Freed by free. */
void *memory_sized(void *old, size_t count, size_t size);

/* Makes room for one more entry of `size` bytes in an array of `count`; *room is how many it can hold. */
void *memory_for_one_more(void *old, size_t count, size_t *room, size_t size);

/* A hash of bytes, another one in each process: whoever writes journals cannot choose names that collide. */
size_t memory_hash(const void *bytes, size_t size);

#endif
