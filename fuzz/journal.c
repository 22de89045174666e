/* A journal: each line by the scanner and by jansson, which agree; then the whole as `run --expect` reads it. */
#include "cli/command.h"
#include "cli/expect.h"
#include "fuzz/fuzz.h"
#include "report/scan.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static bool equal(const struct value *a, const struct value *b) {
  bool text = a->kind == KIND_TEXT || a->kind == KIND_BOOL;
  return a->kind == b->kind && (a->kind != KIND_NUMBER || a->number == b->number) &&
         (!text || (a->size == b->size && memcmp(a->text, b->text, a->size) == 0));
}

static void check_times(const struct record *record) {
  char text[20];
  int64_t number = time_number(&record->values[FIELD_TS]);
  check(number >= -1, "a time is a number or none");
  if (number >= 0) {
    check(strlen(time_text(number, text)) == 19, "a time is a text again");
    check(memcmp(text, record->values[FIELD_TS].text, 10) == 0, "of the same day");
  }
}

/* The scanner lets a name that it does not list stand twice; jansson here does not. */
static bool names_twice(const char *line, size_t size) {
  json_t *json = json_loadb(line, size, 0, NULL);
  bool twice = json_is_object(json);
  json_decref(json);
  return twice;
}

static void check_same(const struct record *scanned, const struct record *parsed) {
  check(scanned->present == parsed->present, "both see the same fields");
  for (size_t i = 0; i < FIELDS; i++) {
    check(equal(&scanned->values[i], &parsed->values[i]), "both see the same values");
  }
  check(record_fault(scanned) == record_fault(parsed), "both see the same fault");
}

static void check_line(const char *line, size_t size) {
  static struct record scanned, parsed;
  const char *fault = record_read(&scanned, line, size), *other = record_read_json(&parsed, line, size);
  check(fault == NULL || other != NULL, "the scanner refuses nothing that jansson takes");
  check(other == NULL || fault != NULL || names_twice(line, size), "the scanner takes nothing that is not JSON");
  if (fault == NULL) {
    if (other == NULL) {
      check_same(&scanned, &parsed);
    }
    check_times(&scanned);
    record_derive(&scanned);
  }
  record_done(&scanned);
  record_done(&parsed);
  memset(&parsed, 0, sizeof parsed);
}

static void check_lines(const uint8_t *data, size_t size) {
  for (const uint8_t *at = data, *end = data + size; at < end;) {
    const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
    const size_t length = (size_t)((newline ? newline : end) - at);
    char *line = malloc(length ? length : 1); /* exactly the line: what lies behind it is not read */
    check(line != NULL, "there is memory");
    memcpy(line, at, length);
    check_line(line, length);
    free(line);
    at = newline ? newline + 1 : end;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[128];
  check_lines(data, size);
  folder_write("journal", data, size);
  int status = expect_check(EXPECT_ANY, folder_path(path, "journal"), "6b0dca4600232b21ae309");
  check(status == STATUS_OK || status == STATUS_UNEXPECTED, "an answer is given");
  return 0;
}
