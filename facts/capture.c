#include "capture.h"
#include "clean.h"

#include <stdlib.h>
#include <string.h>

static char *trimmed(char *line, char *end) {
  while (end > line && end[-1] == ' ') {
    end--;
  }
  *end = '\0';
  return line + strspn(line, " ");
}

/* The line without the marks of quoted mail: "> > text", ">> text". */
static char *unquoted(char *line) {
  char *after = line + strspn(line, " ");
  while (*after == '>') {
    after++;
    line = after;
    after += strspn(after, " ");
  }
  return line;
}

/* `"text",`, an element of a list of lines (Ansible's stdout_lines): the text. */
static char *unlisted(char *line) {
  char *close = line[0] == '"' ? strchr(line + 1, '"') : NULL;
  if (!close || (strcmp(close, "\"") != 0 && strcmp(close, "\",") != 0)) {
    return line;
  }
  return trimmed(line + 1, close);
}

static bool split(struct capture *capture) {
  size_t lines = 1;
  for (const char *p = capture->data; *p; p++) {
    lines += *p == '\n';
  }
  capture->lines = malloc(lines * sizeof *capture->lines);
  if (!capture->lines) {
    return false;
  }
  for (char *line = capture->data; *line;) {
    char *end = line + strcspn(line, "\n");
    bool last = *end == '\0';
    char *next = last ? end : end + 1;
    const char *text = unlisted(trimmed(unquoted(line), end));
    if (text[0] != '\0') {
      capture->lines[capture->count++] = text;
      capture->cut = last;
    }
    line = next;
  }
  return true;
}

bool capture_read(struct capture *capture, const char *text, size_t size) {
  *capture = (struct capture){.data = malloc(size + 1)};
  if (!capture->data) {
    return false;
  }
  memcpy(capture->data, text, size);
  capture->data[size] = '\0';
  size = clean_bytes(capture->data, size);
  size = clean_prefix(capture->data, size);
  size = clean_escapes(capture->data, size);
  size = clean_printable(capture->data, size);
  clean_folds(capture->data, size);
  if (!split(capture)) {
    capture_free(capture);
    return false;
  }
  return true;
}

void capture_free(struct capture *capture) {
  free(capture->data);
  free(capture->lines);
  *capture = (struct capture){0};
}

bool next_word(const char **cursor, struct word *word) {
  *cursor += strspn(*cursor, " ");
  word->text = *cursor;
  word->size = strcspn(*cursor, " ");
  *cursor += word->size;
  return word->size > 0;
}

size_t split_line(const char *line, struct word *words, size_t max) {
  size_t count = 0;
  while (count < max && next_word(&line, &words[count])) {
    count++;
  }
  return count;
}

bool word_is(struct word word, const char *text) {
  return strlen(text) == word.size && memcmp(word.text, text, word.size) == 0;
}

bool word_begins(struct word word, const char *prefix) {
  size_t length = strlen(prefix);
  return length <= word.size && memcmp(word.text, prefix, length) == 0;
}

bool text_begins(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

void word_copy(char *to, size_t size, struct word word) {
  size_t length = word.size < size ? word.size : size - 1;
  memcpy(to, word.text, length);
  to[length] = '\0';
}

const char *after_label(const char *line, const char *label) {
  if (!text_begins(line, label)) {
    return NULL;
  }
  line += strlen(label);
  return line + strspn(line, " ");
}

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/* Patterns of a PCI address: h is a hexadecimal digit, anything else itself. */
bool is_pci_address(struct word word) {
  static const char *const shapes[] = {"hh:hh.h", "hhhh:hh:hh.h", "hhhhh:hh:hh.h", "hhhhhhhh:hh:hh.h"};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    size_t j = 0;
    if (strlen(shapes[i]) != word.size) {
      continue;
    }
    while (j < word.size && (shapes[i][j] == 'h' ? is_hex(word.text[j]) : shapes[i][j] == word.text[j])) {
      j++;
    }
    if (j == word.size) {
      return true;
    }
  }
  return false;
}

bool is_prompt(const char *line) {
  struct word first, word;
  if (!next_word(&line, &first)) {
    return false;
  }
  if (word_is(first, "$") || word_is(first, "#") || word_is(first, "PS")) {
    return true;
  }
  bool login = memchr(first.text, '@', first.size) != NULL || first.text[0] == '[';
  for (word = first; login && word.size > 0;) {
    char last = word.text[word.size - 1];
    if (last == '$' || last == '#') {
      return true;
    }
    if (!next_word(&line, &word)) {
      return false;
    }
  }
  return false;
}
