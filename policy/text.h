/* Small text helpers of this folder: ASCII only, no locale, no allocation. Internal. */
#ifndef WINORD_TEXT_H
#define WINORD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

static inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Value of a hexadecimal digit, or -1. */
int hex_digit(char c);

/* Reads decimal digits. Returns what follows them, or NULL: none there, or beyond 64 bits. */
const char *read_digits(const char *text, uint64_t *value);

/*
 * Copies length bytes and a NUL. Out of line on purpose: where gcc sees a bound it turns memcpy into `rep movs`, which costs
 * more than the line that is copied.
 */
void copy_text(char *to, const char *from, size_t length);

/*
 * The next entry of a comma list, without its outer blanks, into item (cut at size - 1). *cursor starts at the text and moves
 * on. False when there is no more; an empty entry is an empty item.
 */
bool next_item(const char **cursor, char *item, size_t size);

/*
 * The closest of count names to a word that is none of them, or NULL when nothing is close.
 *   names    array whose elements begin with the name itself
 *   stride   size of an element
 */
const char *nearest(const char *word, const void *names, size_t count, size_t stride);

/* Equal but for the case of ASCII letters. */
bool equal_ignoring_case(const char *a, const char *b);

/* Length of the UTF-8 sequence at s, within n bytes; 0: none starts here. Surrogates and overlong forms are none. */
size_t text_utf8_length(const unsigned char *s, size_t n);

/* Whether the UTF-8 sequence at s is a control character, C0, DEL or C1 (U+0080 to U+009F): terminals obey all of them. */
bool text_is_control(const unsigned char *s);

/* Puts `?` for every byte that ends a line, speaks to a terminal or is no UTF-8: names come from anywhere. */
void text_make_plain(char *text, size_t length);

#endif
