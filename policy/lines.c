#include "policy/lines.h"

#include "policy/text.h"

#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_LENGTH = 199, SECTION_MAX_LENGTH = 49, TEXT_MAX = 320 };

struct lines {
  const char *cursor, *end;
  const struct line_handler *handler;
  int line;
  int room; /* what inih asks for at first; later a smaller number means: the rest of a line that filled its buffer */
  bool orphaned; /* a broken header came last: the pairs that follow belong to no section */
};

__attribute__((format(printf, 2, 3))) static void problem(struct lines *lines, const char *format, ...) {
  char text[TEXT_MAX];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  lines->handler->problem(lines->handler->user, lines->line, text);
}

/* inih's own rule: the first of two bytes, or a `;` after a blank, or the end. */
static const char *find_or_comment(const char *text, const char *end, char either, char other) {
  const char *start = text;
  while (text < end && *text != either && *text != other && !(*text == ';' && text > start && is_blank(text[-1])))
    text++;
  return text;
}

static bool is_only_comment(const char *text, const char *end) {
  while (text < end && is_blank(*text))
    text++;
  return text == end || *text == ';';
}

static bool is_refused(unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; }

/* Whether one of eight bytes may be a control character or a tab: below 0x20, or 0x7f. */
static bool may_hold_control(const char *text) {
  const uint64_t ones = 0x0101010101010101ULL, high = ones << 7;
  uint64_t bytes;
  memcpy(&bytes, text, sizeof bytes);
  uint64_t other = bytes ^ ones * 0x7f;
  return (((bytes - ones * 0x20) & ~bytes) | ((other - ones) & ~other)) & high;
}

static bool bytes_are_text(struct lines *lines, const char *text, size_t length) {
  size_t i = 0;
  while (i + 8 <= length && !may_hold_control(text + i))
    i += 8;
  while (i < length && !is_refused((unsigned char)text[i]))
    i++;
  if (i == length)
    return true;
  if (text[i])
    problem(lines, "control character 0x%02x", (unsigned char)text[i]);
  else
    problem(lines, "NUL byte");
  return false;
}

static bool accept_section(struct lines *lines, const char *text, const char *end) {
  const char *start = text + 1;
  const char *close = find_or_comment(start, end, ']', ']');
  size_t length = (size_t)(close - start);
  lines->orphaned = true;
  if (close == end || *close != ']')
    problem(lines, "section without ']'");
  else if (is_only_comment(start, close))
    problem(lines, "empty section name");
  else if (length > SECTION_MAX_LENGTH)
    problem(lines, "section name of %zu characters; at most %d", length, SECTION_MAX_LENGTH);
  else if (!is_only_comment(close + 1, end))
    problem(lines, "text after ']'");
  else
    lines->orphaned = false;
  if (lines->orphaned)
    return false;
  char section[SECTION_MAX_LENGTH + 1];
  copy_text(section, start, length);
  lines->handler->section(lines->handler->user, lines->line, section);
  return true;
}

/* A `;` right behind the `=` is a value to inih: only after a blank does it begin a comment. */
static bool has_value(const char *text, const char *end) {
  const char *start = text;
  while (start < end && is_blank(*start))
    start++;
  return start < end && (*start != ';' || start == text);
}

static bool accept_pair(struct lines *lines, const char *text, const char *end) {
  const char *separator = find_or_comment(text, end, '=', ':');
  const char *key_end = separator;
  while (key_end > text && is_blank(key_end[-1]))
    key_end--;
  if (separator == end || *separator != '=')
    problem(lines, "expected 'key = value'");
  else if (key_end == text)
    problem(lines, "no key before '='");
  else if (!has_value(separator + 1, end))
    problem(lines, "key '%.*s' has no value", (int)(key_end - text), text);
  else
    return !lines->orphaned;
  return false;
}

/* Whether inih may see the line; what it may not see has been reported. */
static bool accept(struct lines *lines, const char *text, size_t length) {
  if (length > LINE_MAX_LENGTH) {
    problem(lines, "line of %zu characters; at most %d", length, LINE_MAX_LENGTH);
    lines->orphaned |= *text == '[';
    return false;
  }
  if (!bytes_are_text(lines, text, length)) {
    lines->orphaned |= length > 0 && *text == '[';
    return false;
  }
  const char *end = text + length, *start = text;
  while (start < end && is_blank(*start))
    start++;
  if (start == end || *start == ';' || *start == '#')
    return false;
  if (start > text) {
    problem(lines, "indented line; begin it in the first column");
    return false;
  }
  return *text == '[' ? accept_section(lines, text, end) : accept_pair(lines, text, end);
}

/* inih's reader: one line for each call, an empty one in place of what was reported. */
static char *next_line(char *buffer, int room, void *stream) {
  struct lines *lines = stream;
  if (!lines->room)
    lines->room = room;
  if (room < lines->room) {
    copy_text(buffer, "\n", 1);
    return buffer;
  }
  if (lines->cursor == lines->end)
    return NULL;
  const char *start = lines->cursor;
  const char *newline = memchr(start, '\n', (size_t)(lines->end - start));
  size_t length = (size_t)((newline ? newline : lines->end) - start);
  lines->cursor = newline ? newline + 1 : lines->end;
  lines->line++;
  if (length && start[length - 1] == '\r')
    length--;
  if (!accept(lines, start, length) || length >= (size_t)room)
    length = 0;
  copy_text(buffer, start, length);
  return buffer;
}

static int hand_on(void *user, const char *section, const char *key, const char *value) {
  struct lines *lines = user;
  const struct line_handler *handler = lines->handler;
  if (key && value)
    handler->pair(handler->user, lines->line, section, key, value);
  return 1;
}

void lines_parse(const char *text, size_t size, const struct line_handler *handler) {
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  struct lines lines = {.cursor = text, .end = text + size, .handler = handler};
  if (size >= 3 && memcmp(text, byte_order_mark, 3) == 0)
    lines.cursor += 3;
  if (ini_parse_stream(next_line, &lines, hand_on, &lines) == -2)
    handler->problem(handler->user, 0, "out of memory");
}

uint64_t fnv1a(uint64_t hash, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 1099511628211ULL;
  return hash;
}
