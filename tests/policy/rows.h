/* Table-driven cmocka: one TAP line per row. A row is any struct that begins with its name. */
#ifndef WINORD_TESTS_ROWS_H
#define WINORD_TESTS_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS(suite, rows, test) rows_add(suite, rows, sizeof(rows) / sizeof *(rows), sizeof *(rows), test)

struct suite {
  struct CMUnitTest tests[512];
  size_t count;
};

static inline void rows_add(struct suite *suite, const void *rows, size_t count, size_t stride,
                            CMUnitTestFunction test) {
  for (size_t i = 0; i < count && suite->count < 512; i++) {
    const char *row = (const char *)rows + i * stride;
    suite->tests[suite->count++] = (struct CMUnitTest){
        .name = *(const char *const *)row, .test_func = test, .initial_state = (void *)(uintptr_t)row};
  }
}

static inline int suite_run(const char *name, const struct suite *suite) {
  return _cmocka_run_group_tests(name, suite->tests, suite->count, NULL, NULL);
}

/* A fresh folder, removed by the name's owner: folder_remove. */
static inline char *folder_new(char path[64]) {
  strcpy(path, "/tmp/winord-test-XXXXXX");
  assert_non_null(mkdtemp(path));
  return path;
}

static inline void folder_remove(const char *path) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", path);
  assert_int_equal(system(command), 0);
}

/* Writes folder/name, with the folders above it. */
static inline void file_write(const char *folder, const char *name, const void *bytes, size_t size) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = '\0';
    mkdir(path, 0755);
  }
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static inline void text_write(const char *folder, const char *name, const char *text) {
  file_write(folder, name, text, strlen(text));
}

#endif
