/* What a person reads: the table on stdout, in nccl-tests' manners, then verdict lines that can be read aloud. */
#ifndef WINORD_STRESS_REPORT_H
#define WINORD_STRESS_REPORT_H

#include <stdio.h>

#include "bench/stress/hunt.h"

void report_header(FILE *out, const struct hunt *hunt);
void report_row(FILE *out, const struct hunt *hunt, const struct row *row);

/* The observations, bounds, witnesses, and the verdict of the whole. */
void report_verdict(FILE *out, const struct hunt *hunt);

/* Everything as JSON into a file. False: errno says why not. */
bool report_json(const char *path, const struct hunt *hunt);

/* "strict", "relaxed", "1 of 4 relaxed", "unknown": what the transport was given. */
const char *registered_text(const struct row *row, char text[32]);

const char *verdict_text(enum verdict_kind verdict);

#endif
