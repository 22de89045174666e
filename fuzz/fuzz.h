/* Common to the libFuzzer targets: each is one file with LLVMFuzzerTestOneInput, linked with what it tests. */
#ifndef WINORD_FUZZ_H
#define WINORD_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, as a finding. */
_Noreturn void broken(const char *rule);

/* A finding unless the rule holds. */
static inline void check(bool holds, const char *rule) {
  if (!holds) {
    broken(rule);
  }
}

/* The bytes and a NUL in memory of exactly that size, so that a read beyond them is seen. Freed by the caller. */
char *text_of(const void *data, size_t size);

/* Cuts the text at its first newline; what follows, or "" when nothing does. */
char *cut_line(char *text);

/* The path of a file in this process's own folder below TMPDIR, which whoever runs it removes: libFuzzer ends by _exit. */
const char *folder_path(char path[static 128], const char *name);

/* Writes the file of that name in the folder, making folders above it; bytes NULL: removes it. */
void folder_write(const char *name, const void *bytes, size_t size);

#endif
