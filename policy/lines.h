/*
 * inih fed line by line by us: the line number is known to the handler, and what inih would hide (a line cut at 199
 * characters, a NUL byte, an indented line taken as a continuation, an overlong section name) is reported instead.
 * Shared by policy files and facts files.
 */
#ifndef WINORD_LINES_H
#define WINORD_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_handler {
  /* A section header. section is valid during the call. */
  void (*section)(void *user, int line, const char *section);
  /* A key with its value, comment and outer blanks removed; never empty strings. */
  void (*pair)(void *user, int line, const char *section, const char *key, const char *value);
  /* Something wrong with the line itself; its content is not handed on. line 0: the file. text is valid during the call. */
  void (*problem)(void *user, int line, const char *text);
  void *user;
};

/*
 * Reads a whole file into fresh memory (*text, *size, NUL-terminated; the caller frees).
 *   limit   bytes; a longer file is refused
 * Only regular files are read: anything else, and a file that changes size beyond the limit, is an error. Never blocks.
 * Returns NULL on success, else a static description ("is a directory", "no such file", "permission denied", ...).
 */
const char *file_slurp(const char *path, size_t limit, char **text, size_t *size);

/* Parses size bytes of INI text, calling the handler in file order. CRLF is accepted; a UTF-8 byte order mark is skipped. */
void lines_parse(const char *text, size_t size, const struct line_handler *handler);

/* FNV-1a, 64 bits, continued from hash (start with FNV_START). */
#define FNV_START 14695981039346656037ULL
uint64_t fnv1a(uint64_t hash, const void *data, size_t size);

#endif
