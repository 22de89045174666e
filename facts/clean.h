/* The steps of capture_read that look at characters. Internal. */
#ifndef WINORD_FACTS_CLEAN_H
#define WINORD_FACTS_CLEAN_H

#include <stddef.h>

/* text: size bytes and a NUL, changed in place, each step making it no longer; the result is the new size. */

/* Terminal escapes, carriage returns, UTF-16, control and non-ASCII characters. */
size_t clean_bytes(char *text, size_t size);

/* `\n`, `\t` and `\"` in lines that hold several `\n`: tool output inside a log record, which ends at its quotes. */
size_t clean_escapes(char *text, size_t size);

/* The name and colon that pdsh and its like put before each line of one host's output; of several hosts it stays. */
size_t clean_prefix(char *text, size_t size);

/* Quoted-printable mail: `=` at the end of a long line joins, `=20` is a blank. */
size_t clean_printable(char *text, size_t size);

/* Lines folded at a terminal's or a mail's width, in the middle of a word. */
size_t clean_folds(char *text, size_t size);

#endif
