#include "policy/text.h"

#include <string.h>

enum { WORD_MAX = 63 };

int hex_digit(char c) {
  if (is_digit(c))
    return c - '0';
  char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

const char *read_digits(const char *text, uint64_t *value) {
  if (!is_digit(*text))
    return NULL;
  for (*value = 0; is_digit(*text); text++) {
    unsigned digit = (unsigned)(*text - '0');
    if (*value > (UINT64_MAX - digit) / 10)
      return NULL;
    *value = *value * 10 + digit;
  }
  return text;
}

void copy_text(char *to, const char *from, size_t length) {
  memcpy(to, from, length);
  to[length] = '\0';
}

bool next_item(const char **cursor, char *item, size_t size) {
  const char *start = *cursor;
  if (!start)
    return false;
  const char *comma = strchr(start, ',');
  const char *end = comma ? comma : start + strlen(start);
  *cursor = comma ? comma + 1 : NULL;
  while (start < end && is_blank(*start))
    start++;
  while (end > start && is_blank(end[-1]))
    end--;
  size_t length = (size_t)(end - start);
  if (length > size - 1)
    length = size - 1;
  copy_text(item, start, length);
  return true;
}

/* Levenshtein's distance; both words at most WORD_MAX long. */
static unsigned edit_distance(const char *a, const char *b) {
  unsigned row[WORD_MAX + 1];
  size_t length = strlen(b);
  for (size_t j = 0; j <= length; j++)
    row[j] = (unsigned)j;
  for (size_t i = 1; a[i - 1]; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= length; j++) {
      unsigned best = diagonal + (ascii_lower(a[i - 1]) != ascii_lower(b[j - 1]));
      diagonal = row[j];
      if (row[j] + 1 < best)
        best = row[j] + 1;
      if (row[j - 1] + 1 < best)
        best = row[j - 1] + 1;
      row[j] = best;
    }
  }
  return row[length];
}

const char *nearest(const char *word, const void *names, size_t count, size_t stride) {
  const char *found = NULL;
  size_t length = strlen(word);
  unsigned best = 1 + (unsigned)length / 4;
  for (size_t i = 0; length <= WORD_MAX && i < count; i++) {
    const char *name = (const char *)names + i * stride;
    unsigned distance = edit_distance(word, name);
    if (distance < best || (distance == best && !found)) {
      best = distance;
      found = name;
    }
  }
  return found;
}

bool equal_ignoring_case(const char *a, const char *b) {
  while (*a && ascii_lower(*a) == ascii_lower(*b))
    a++, b++;
  return *a == *b;
}

size_t text_utf8_length(const unsigned char *s, size_t n) {
  const size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
  if (length > n)
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  const bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
                   (s[0] == 0xf4 && s[1] > 0x8f);
  return bad ? 0 : length;
}

bool text_is_control(const unsigned char *s) { return s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0); }

void text_make_plain(char *text, size_t length) {
  unsigned char *at = (unsigned char *)text, *end = at + length;
  while (at < end) {
    const size_t size = text_utf8_length(at, (size_t)(end - at)), step = size ? size : 1;
    if (!size || text_is_control(at))
      memset(at, '?', step);
    at += step;
  }
}
