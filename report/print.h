/*
 * Text that somebody else wrote, made harmless for where it goes.
 */
#ifndef WINORD_REPORT_PRINT_H
#define WINORD_REPORT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * For a terminal: control characters, also C1 and those that turn the direction of writing, and bytes that are not
 * UTF-8 stand as \xNN. Fresh memory, freed by the caller.
 */
char *printable(const char *text);

/* The same, with at most `columns` characters, the last three dots where it is longer; or 0: all. */
void print_text(FILE *file, const char *text, size_t columns);

/* For HTML text and attributes in double quotes; control characters and wrong bytes as U+FFFD. */
void print_html(FILE *file, const char *text);

/*
 * For CSV (RFC 4180): in double quotes where needed. Text that a spreadsheet would take for a formula (it begins with
 * = + - @, a tab or a carriage return) has an apostrophe before it.
 */
void print_csv(FILE *file, const char *text);

/*
 * The length of the UTF-8 character at text, 1 to 4; 0: it is none (end of text, wrong or overlong bytes, a surrogate).
 * *code is the character.
 */
size_t utf8_length(const char *text, uint32_t *code);

/* Whether it is shown, and moves no other text: no control, format or separator character. */
bool is_shown(uint32_t code);

#endif
