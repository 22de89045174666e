/* file_slurp, with who may have written the file; and the same question about other files. No allocation beyond the text. */
#ifndef WINORD_FILE_H
#define WINORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Who may have written a file that was read, from the least to the most trusted. */
enum writers {
  WRITERS_ALL, /* its mode, or its folder's and somebody else's file in it, let everybody */
  WRITERS_SOME, /* its owner, and perhaps a group */
  WRITERS_ROOT /* owned by root and writable by nobody else */
};

/* As file_slurp (lines.h), with the writers. */
const char *file_read(const char *path, size_t limit, char **text, size_t *size, enum writers *writers);

/* Whether a file of this owner is ours, or root's. */
bool file_is_own(uid_t owner);

/* Whether everybody may put a file into the folder of this path; also when that cannot be told. */
bool file_folder_is_open(const char *path);

#endif
