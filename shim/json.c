#include "json.h"

#include "policy/text.h"

#include <string.h>

static void put(struct json *json, const char *text, size_t size) {
  if (size > sizeof json->text - json->length) {
    json->full = true;
    return;
  }
  memcpy(json->text + json->length, text, size);
  json->length += size;
}

static void put_text(struct json *json, const char *text) { put(json, text, strlen(text)); }

char *put_decimal(char *at, uint64_t value) {
  char digits[20];
  size_t n = 0;
  do {
    digits[n++] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  while (n)
    *at++ = digits[--n];
  return at;
}

static void put_control(struct json *json, unsigned char c) {
  static const char hex[] = "0123456789abcdef";
  const char escape[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
  put(json, escape, sizeof escape);
}

/* Puts the character at s, returns how many bytes of s it took. */
static size_t put_character(struct json *json, const unsigned char *s, size_t n) {
  const size_t length = text_utf8_length(s, n);
  if (length == 0) {
    put_text(json, "\xef\xbf\xbd");
    return 1;
  }
  if (s[0] == '"' || s[0] == '\\')
    put_text(json, "\\");
  if (text_is_control(s))
    put_control(json, s[length - 1]);
  else
    put(json, (const char *)s, length);
  return length;
}

static bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

/* Whether some of eight bytes may not be plain: one of them is below 0x20, above 0x7e, a quote or a backslash. */
static bool any_special(const unsigned char *s) {
  const uint64_t ones = 0x0101010101010101ULL, high = ones << 7;
  uint64_t bytes;
  memcpy(&bytes, s, sizeof bytes);
  const uint64_t quote = bytes ^ ones * '"', backslash = bytes ^ ones * '\\';
  return ((bytes - ones * 0x20) | (bytes + ones) | bytes | (quote - ones) | (backslash - ones)) & high;
}

static size_t plain_run(const unsigned char *s, size_t n) {
  size_t run = 0;
  while (run + 8 <= n && !any_special(s + run))
    run += 8;
  while (run < n && is_plain(s[run]))
    run++;
  return run;
}

static void put_quoted(struct json *json, const char *value) {
  const size_t size = strlen(value), end = size > JSON_STRING ? JSON_STRING : size;
  const unsigned char *s = (const unsigned char *)value;
  put_text(json, "\"");
  for (size_t i = 0; i < end;) {
    const size_t run = plain_run(s + i, end - i);
    put(json, value + i, run);
    i += run;
    if (i < end)
      i += put_character(json, s + i, size - i);
  }
  put_text(json, size > end ? "...\"" : "\"");
}

/* Keys are ours: plain, and short. */
static void put_key(struct json *json, const char *key) {
  enum { KEY_MAX = 32 };
  if (sizeof json->text - json->length < KEY_MAX + 4) {
    json->full = true;
    return;
  }
  char *at = json->text + json->length;
  if (!json->first)
    *at++ = ',';
  json->first = false;
  if (key) {
    *at++ = '"';
    while (*key)
      *at++ = *key++;
    *at++ = '"';
    *at++ = ':';
  }
  json->length = (size_t)(at - json->text);
}

static void open_with(struct json *json, const char *key, const char *bracket) {
  put_key(json, key);
  put_text(json, bracket);
  json->first = true;
}

static void close_with(struct json *json, const char *bracket) {
  put_text(json, bracket);
  json->first = false;
}

void json_open(struct json *json, const char *key) { open_with(json, key, "{"); }
void json_close(struct json *json) { close_with(json, "}"); }
void json_open_array(struct json *json, const char *key) { open_with(json, key, "["); }
void json_close_array(struct json *json) { close_with(json, "]"); }

void json_string(struct json *json, const char *key, const char *value) {
  put_key(json, key);
  if (value)
    put_quoted(json, value);
  else
    put_text(json, "null");
}

void json_place(struct json *json, const char *key, const char *file, int line) {
  char digits[21] = ":";
  json_string(json, key, file);
  if (line <= 0 || json->full)
    return;
  json->length--; /* the closing quote */
  put(json, digits, (size_t)(put_decimal(digits + 1, (uint64_t)line) - digits));
  put_text(json, "\"");
}

void json_unsigned(struct json *json, const char *key, uint64_t value) {
  char digits[20];
  put_key(json, key);
  put(json, digits, (size_t)(put_decimal(digits, value) - digits));
}

void json_number(struct json *json, const char *key, int64_t value) {
  char digits[21] = "-";
  put_key(json, key);
  char *end = value < 0 ? put_decimal(digits + 1, -(uint64_t)value) : put_decimal(digits, (uint64_t)value);
  put(json, digits, (size_t)(end - digits));
}

void json_bool(struct json *json, const char *key, bool value) {
  put_key(json, key);
  put_text(json, value ? "true" : "false");
}

void json_null(struct json *json, const char *key) { json_string(json, key, NULL); }

void json_known(struct json *json, const char *key, int64_t value) {
  if (value < 0)
    json_null(json, key);
  else
    json_number(json, key, value);
}
