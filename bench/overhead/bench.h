/* What the measuring programs of this folder share. */
#ifndef WINORD_BENCH_H
#define WINORD_BENCH_H

#include <stddef.h>

/* CLOCK_MONOTONIC in nanoseconds. */
double now_ns(void);

/* What a pair of now_ns() costs: the least of many, to be taken off what they enclose. */
double clock_cost_ns(void);

/* The median; sorts the values. count is at least 1. */
double median(double *values, size_t count);

/* Binds the process, and what it starts, to one processor: the last it may use. */
void pin(void);

/* dlopens every *.so in a folder, RTLD_LOCAL, and returns their number. Ends the program when one cannot be loaded. */
int load_folder(const char *folder);

/* Ends the program with a line on stderr and status 1. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* malloc, or fail. */
void *room(size_t size);

#endif
