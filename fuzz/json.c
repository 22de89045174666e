/* The journal's writer: three texts, a line each, as fields of one record. Whatever they hold, it is one line of JSON. */
#include "shim/json.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at text (the Unicode standard, table 3-7), or 0: there is none. */
static size_t utf8_length(const unsigned char *text) {
  static const struct {
    unsigned char first, last, low, high;
    size_t length;
  } rows[] = {{0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
              {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
              {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (text[0] < rows[i].first || text[0] > rows[i].last) {
      continue;
    }
    size_t good = 1;
    if (rows[i].length > 1 && text[1] >= rows[i].low && text[1] <= rows[i].high) {
      for (good = 2; good < rows[i].length && text[good] >= 0x80 && text[good] <= 0xbf; good++) {}
    }
    return good == rows[i].length ? good : 0;
  }
  return 0;
}

static bool is_utf8(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  while (*at != '\0') {
    size_t length = utf8_length(at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

/* Writes the character as UTF-8; returns what is behind it. By \u only control characters are told, C1's two bytes too. */
static char *unescape(const char **at, char *value) {
  static const char names[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
  if (**at == 'u') {
    unsigned number;
    check(sscanf(*at + 1, "%4x", &number) == 1 && number > 0 && number < 0xa0, "\\u stands for a control character");
    *at += 5;
    if (number >= 0x80) {
      *value++ = (char)0xc2;
    }
    *value++ = (char)number;
    return value;
  }
  size_t name = 0;
  while (names[name] != '\0' && names[name] != **at) {
    name += 2;
  }
  check(names[name] != '\0', "an escape of JSON");
  (*at)++;
  *value++ = names[name + 1];
  return value;
}

/* Takes the string at *at, quotes included, apart into value. */
static void take_string(const char **at, char *value) {
  check(*(*at)++ == '"', "a string begins with a quote");
  while (**at != '"') {
    check((unsigned char)**at >= ' ', "no control character in a string");
    if (**at == '\\') {
      (*at)++;
      value = unescape(at, value);
    } else {
      *value++ = *(*at)++;
    }
  }
  (*at)++;
  *value = '\0';
}

static void take_literal(const char **at, const char *text) {
  check(strncmp(*at, text, strlen(text)) == 0, "what is ours stands as it is");
  *at += strlen(text);
}

/* What is UTF-8, and short, stands in the record as it was; the rest still is UTF-8. */
static void take_text(const char **at, const char *text, const char *behind) {
  char value[JSON_SIZE], wanted[JSON_SIZE];
  take_string(at, value);
  check(is_utf8(value), "a record is UTF-8");
  if (strlen(text) <= JSON_STRING && is_utf8(text)) {
    snprintf(wanted, sizeof wanted, "%s%s", text, behind);
    check(strcmp(value, wanted) == 0, "a text that is valid and short is kept");
  }
}

static void check_record(const struct json *json, char *const texts[3], int line) {
  char *record = text_of(json->text, json->length), number[32], place[32] = "";
  const char *at = record;
  if (line > 0) {
    snprintf(place, sizeof place, ":%d", line);
  }
  take_literal(&at, "{\"host\":");
  take_text(&at, texts[0], "");
  take_literal(&at, ",\"pool\":");
  take_text(&at, texts[1], "");
  take_literal(&at, ",\"where\":");
  take_text(&at, texts[2], place);
  snprintf(number, sizeof number, ",\"line\":%d}", line);
  take_literal(&at, number);
  check(at == record + json->length, "nothing stands behind it");
  free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *first = text_of(data, size), *second = cut_line(first), *third = cut_line(second);
  char *texts[3] = {first, second, third};
  const int line = size ? (int)data[size - 1] - 100 : 0;
  struct json *json = calloc(1, sizeof *json);
  check(json != NULL, "there is memory");
  json->first = true;
  json_open(json, NULL);
  json_string(json, "host", first);
  json_string(json, "pool", second);
  json_place(json, "where", third, line);
  json_number(json, "line", line);
  json_close(json);
  check(json->length <= sizeof json->text, "the record fits");
  if (!json->full) {
    check_record(json, texts, line);
  }
  free(json);
  free(first);
  return 0;
}
