/* file_slurp, with the owner. Internal to this folder. */
#ifndef WINORD_FILE_H
#define WINORD_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* As file_slurp (lines.h); *trusted: what was read is owned by root and writable by nobody else. */
const char *file_read(const char *path, size_t limit, char **text, size_t *size, bool *trusted);

#endif
