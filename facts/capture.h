/*
 * What somebody saved or pasted, made plain: lines without terminal colours, mail quotes, escapes and line breaks
 * that a mail client, a log or a terminal put there. ASCII only: any other character is a `?`, so that every word can
 * be printed and written as JSON.
 */
#ifndef WINORD_FACTS_CAPTURE_H
#define WINORD_FACTS_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

struct capture {
  char *data; /* one string after another */
  const char *
      *lines; /* into data, without outer blanks; empty lines are left out: mails and pastes add them anywhere */
  size_t count;
  bool cut; /* the last line has no line end: its last word may be half a word */
};

/* A run of non-blanks. */
struct word {
  const char *text;
  size_t size;
};

/* Reads size bytes, any bytes. False: no memory. Freed by capture_free. */
bool capture_read(struct capture *capture, const char *text, size_t size);
void capture_free(struct capture *capture);

/* The next word at *cursor, which moves behind it; false: none on this line. */
bool next_word(const char **cursor, struct word *word);

/* Up to max words of a line; the result is how many. */
size_t split_line(const char *line, struct word *words, size_t max);

bool word_is(struct word word, const char *text);
bool word_begins(struct word word, const char *prefix);
bool text_begins(const char *text, const char *prefix);

/* The word as a string, cut at size - 1. */
void word_copy(char *to, size_t size, struct word word);

/* What follows "LABEL" and blanks in a line that begins with it, or NULL. */
const char *after_label(const char *line, const char *label);

/* A whole PCI address, with or without domain. */
bool is_pci_address(struct word word);

/* A line a shell printed: it begins with a prompt. */
bool is_prompt(const char *line);

#endif
