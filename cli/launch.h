/*
 * What a program is started with: the shim in LD_PRELOAD, the variables that the shim reads, and what its user is told before.
 */
#ifndef WINORD_LAUNCH_H
#define WINORD_LAUNCH_H

#include <stdbool.h>

/* Sets a variable. False: value is NULL or there is no memory; said. */
bool launch_set(const char *name, const char *value);

/* Puts the shim at the front of LD_PRELOAD. False: it cannot be named there, said. */
bool launch_preload(const char *shim);

/* Puts the audit library at the front of LD_AUDIT, and takes any shim out of LD_PRELOAD. False: said. */
bool launch_audit(const char *audit);

/* A new identifier for WINORD_RUN. Fresh memory. */
char *launch_run_id(void);

/* The path as a part of WINORD_LOG in which no % begins a pattern. Fresh memory. */
char *launch_log_literal(const char *path);

/*
 * A new folder `winord-NAME-XXXXXX`, closed to others, in TMPDIR (where that is absolute and free of %, else /tmp). Fresh
 * memory; NULL: said.
 */
char *launch_private_folder(const char *name);

/* Says the policy's first error. A broken policy stops no program; but whoever named it is told. */
void launch_warn_of_policy(const char *path);

/* Warns where nothing can be preloaded into the program, or a preload would end it. path as of program_find. */
void launch_warn_of_program(const char *path, const char *shim);

#endif
