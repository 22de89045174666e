/* The parts of report_html's page, and how they write text and numbers. Any thread; one per FILE. */
#ifndef WINORD_PAGE_H
#define WINORD_PAGE_H

#include <stdio.h>

#include "bench/stress/hunt.h"

enum { NUMBER_SIZE = 32 };

/* Escaped for text and for attributes in double quotes; what is no UTF-8 or not allowed in XML becomes U+FFFD. */
void page_text(FILE *out, const char *text);

/* The same as a word for a shell: quoted where it must be. */
void page_shell_word(FILE *out, const char *word);

/* These write into text and return it. */
const char *count_text(uint64_t count, char text[NUMBER_SIZE]); /* 22,880 */
const char *short_count_text(uint64_t count, char text[NUMBER_SIZE]); /* 22.9k */
const char *duration_text(uint64_t ns, char text[NUMBER_SIZE]); /* three digits: 481 ns, 16.9 µs */
const char *bytes_text(size_t bytes, char text[NUMBER_SIZE]); /* 4,088 B, 4 KiB */

/* "strict" or "default": what the row's windows asked for. */
const char *asked_text(const struct row *row);

/* A row that shows what must never be seen. */
bool row_is_violation(const struct row *row);

extern const char page_style[];

/* The parts, each a <section>, or nothing where there is nothing to show. */
void page_verdict(FILE *out, const struct hunt *hunt);
void page_rows(FILE *out, const struct hunt *hunt);
void page_heatmap(FILE *out, const struct hunt *hunt);
void page_histograms(FILE *out, const struct hunt *hunt);
void page_witnesses(FILE *out, const struct hunt *hunt);
void page_configuration(FILE *out, const struct hunt *hunt);
void page_replay(FILE *out, const struct hunt *hunt);

#endif
