/* The journal's writer at its edges: bytes that are no UTF-8, and a record that is full. */
#include "shim/json.h"
#include "tests/policy/rows.h"

#define BAD "\xef\xbf\xbd"

static const struct row {
  const char *name, *text, *written;
} rows[] = {
    {"plain", "abc", "abc"},
    {"two, three and four bytes", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
    {"cut in the middle", "a\xe2\x82", "a" BAD BAD},
    {"no byte that goes on", "\xc3(x", BAD "(x"},
    {"no byte that goes on, third", "\xe2\x82(", BAD BAD "("},
    {"overlong", "\xc0\xaf\xe0\x80\xaf", BAD BAD BAD BAD BAD},
    {"surrogate", "\xed\xa0\x80", BAD BAD BAD},
    {"beyond Unicode", "\xf4\x90\x80\x80", BAD BAD BAD BAD},
    {"line, quote, backslash, escape", "a\n\"\\\x1b", "a\\u000a\\\"\\\\\\u001b"},
};

static void test_row(void **state) {
  const struct row *row = *state;
  static struct json json;
  char wanted[256];
  json = (struct json){.first = true};
  json_string(&json, "k", row->text);
  snprintf(wanted, sizeof wanted, "\"k\":\"%s\"", row->written);
  assert_int_equal(json.length, strlen(wanted));
  assert_memory_equal(json.text, wanted, json.length);
  assert_false(json.full);
}

/* Says so, and never writes beyond its room. */
static void test_full(void **state) {
  static struct json json;
  char text[JSON_STRING];
  (void)state;
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  json = (struct json){.first = true};
  for (size_t i = 0; i < 2 * JSON_SIZE / JSON_STRING && !json.full; i++)
    json_string(&json, "key", text);
  assert_true(json.full);
  for (size_t i = 0; i < JSON_SIZE; i++)
    json_number(&json, "n", -1);
  json_string(&json, "key", "x");
  json_place(&json, "where", "file", 7);
  assert_true(json.length <= sizeof json.text);
}

static const struct full_row { const char *name; } full_rows[] = {{"a record that is full"}};

int main(void) {
  static struct suite suite;
  ROWS(&suite, rows, test_row);
  ROWS(&suite, full_rows, test_full);
  return suite_run("journal's writer", &suite);
}
