/*
 * Policies as the commands report them.
 */
#ifndef WINORD_REPORT_H
#define WINORD_REPORT_H

#include "policy/policy.h"

#include <stddef.h>

/* Every problem on stderr: "FILE:LINE: error: TEXT", without the line where it concerns the whole file. */
void report_problems(const struct policy *policy);

/* "3 rules, 2 pools: ok", "0 rules, 1 pool: 2 errors, 1 warning" into text. Returns text. */
const char *policy_summary(const struct policy *policy, char *text, size_t size);

#endif
