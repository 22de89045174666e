/*
 * The scanner against jansson: what it accepts, jansson accepts, with the same values; lines of ours need no jansson.
 */
#include "report/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const lines[] = {
    "{\"v\":1,\"event\":\"register\",\"ts\":\"2026-11-30T15:04:05.123456Z\",\"host\":\"h\",\"pid\":42,"
    "\"caller\":\"/b\",\"rank\":3,\"nranks\":16,\"device\":3,\"exe\":\"/bin/a\",\"size\":1073741824,\"flags_in\":2,\"flags_out\":0,"
    "\"verdict\":\"rewritten\",\"why\":\"rule\",\"rule\":null,\"exposure\":\"none\",\"result\":0,\"win_null\":false,"
    "\"seq\":7,\"lost\":0,\"job\":null}",
    "{\"v\":1,\"event\":\"start\",\"ts\":\"2026-11-30T15:04:05.123456Z\",\"host\":\"h\",\"pid\":42,"
    "\"winord\":\"0.1.0\",\"policy\":null,\"dry_run\":true,"
    "\"facts\":{\"status\":\"current\",\"path\":\"/run/f\",\"nics\":8},"
    "\"nccl_copies\":[{\"path\":\"/l\",\"nccl\":\"2.30.7\"},{\"path\":\"\",\"nccl\":null}],\"seq\":1,\"lost\":0}",
    "{\"v\":2,\"event\":\"x\",\"alpha\":[],\"beta\":{},\"gamma\":[1,[2,[3]]],\"delta\":-5,\"lost\":-1}",
};
enum { LINES = sizeof lines / sizeof lines[0] };

static bool same(const struct value *a, const struct value *b) {
  return a->kind == b->kind && a->number == b->number && a->size == b->size &&
         (a->size == 0 || memcmp(a->text, b->text, a->size) == 0);
}

/* Reads the line both ways. Whether the scanner took it by itself. */
static bool agree(const char *line, size_t size) {
  static struct record ours, theirs;
  memset(&theirs, 0, sizeof theirs);
  const char *fault = record_read(&ours, line, size), *wanted = record_read_json(&theirs, line, size);
  const bool alone = fault == NULL && ours.json == NULL;
  if ((fault == NULL) != (wanted == NULL)) {
    print_error("ours: %s, jansson: %s: %.*s\n", fault ? fault : "good", wanted ? wanted : "good", (int)size, line);
    fail();
  }
  for (size_t i = 0; i < FIELDS && fault == NULL; i++) {
    if (!same(&ours.values[i], &theirs.values[i])) {
      print_error("field %zu: %.*s\n", i, (int)size, line);
      fail();
    }
  }
  record_done(&ours);
  record_done(&theirs);
  return alone;
}

static void our_lines_are_scanned(void **state) {
  (void)state;
  for (size_t i = 0; i < LINES; i++) {
    assert_true(agree(lines[i], strlen(lines[i])));
  }
}

static void others_are_read_by_jansson(void **state) {
  static const char *const others[] = {"{\"v\": 1, \"event\":\"exit\"}",
                                       "{\"v\":1,\"event\":\"e\\u0078it\"}",
                                       "{\"v\":1,\"host\":\"\xc3\xa9\"}",
                                       "{\"size\":1000000000000000000,\"v\":1}",
                                       "{\"v\":1.5}",
                                       "{\"v\":1}  ",
                                       "{\"a\":[[[[[[1]]]]]]}"};
  (void)state;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    assert_false(agree(others[i], strlen(others[i])));
  }
}

static void what_is_no_json_is_refused(void **state) {
  static const char *const wrong[] = {"",
                                      "{",
                                      "{\"v\":01}",
                                      "{\"v\":1,}",
                                      "{\"v\":1}}",
                                      "{\"v\":-}",
                                      "{\"v\":1",
                                      "{\"v\":tru}",
                                      "{\"v\" 1}",
                                      "[1]",
                                      "{\"v\":1,\"v\":1}",
                                      "{\"host\":\"\xff\"}",
                                      "{\"host\":\"a\\u0000b\"}",
                                      "{\"host\":\"a\tb\"}",
                                      "{,}"};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    static struct record record;
    agree(wrong[i], strlen(wrong[i]));
    assert_non_null(record_read(&record, wrong[i], strlen(wrong[i])));
    record_done(&record);
  }
}

static uint64_t draw(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  return *seed ^= *seed << 17;
}

/* Up to three bytes changed, taken out or doubled, or the line cut. */
static size_t mutate(char *line, size_t size, uint64_t *seed) {
  static const char bytes[] = "\"\\{}[]:,.0123456789-eEtfn\t \x01\x7f\x80\xc3\xff";
  for (uint64_t changes = draw(seed) % 3 + 1; changes > 0; changes--) {
    const size_t at = draw(seed) % size;
    switch (draw(seed) % 4) {
    case 0: line[at] = bytes[draw(seed) % sizeof bytes]; break;
    case 1: memmove(line + at, line + at + 1, --size - at); break;
    case 2:
      memmove(line + at + 1, line + at, size - at);
      size++;
      break;
    default: line[at] = line[draw(seed) % size]; break;
    }
  }
  return draw(seed) % 16 == 0 ? draw(seed) % size : size;
}

static void damaged_lines_are_read_alike(void **state) {
  uint64_t seed = 20261130;
  size_t alone = 0;
  (void)state;
  for (size_t i = 0; i < 60000; i++) {
    const char *line = lines[i % LINES];
    const size_t size = strlen(line);
    char *copy = malloc(size + 8);
    assert_non_null(copy);
    memcpy(copy, line, size + 1);
    const size_t mutated = mutate(copy, size, &seed);
    char *exact = malloc(mutated ? mutated : 1); /* so that a sanitizer sees a byte too far */
    assert_non_null(exact);
    memcpy(exact, copy, mutated);
    alone += agree(exact, mutated);
    free(exact);
    free(copy);
  }
  assert_true(alone > 1000);
}

static int64_t time_of(const char *text) {
  return time_number(&(struct value){.kind = KIND_TEXT, .text = text, .size = (uint32_t)strlen(text)});
}

static void times_order_and_print(void **state) {
  char text[20];
  (void)state;
  assert_true(time_of("2026-11-30T15:04:05.123456Z") < time_of("2026-11-30T15:04:05.123457Z"));
  assert_true(time_of("2026-11-30T23:59:60.999999Z") < time_of("2026-12-01T00:00:00.000000Z"));
  assert_string_equal("2026-11-30 15:04:05", time_text(time_of("2026-11-30T15:04:05.123456Z"), text));
  assert_int_equal(-1, time_of("2026-11-30T15:04:05.123456"));
  assert_int_equal(-1, time_of("2026-13-30T15:04:05.123456Z"));
  assert_int_equal(-1, time_of("2026-11-30 15:04:05.123456Z"));
  assert_int_equal(-1, time_of("2026-11-30T24:04:05.123456Z"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(our_lines_are_scanned), cmocka_unit_test(others_are_read_by_jansson),
      cmocka_unit_test(what_is_no_json_is_refused), cmocka_unit_test(damaged_lines_are_read_alike),
      cmocka_unit_test(times_order_and_print)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
