/* Tools that hang, flood, fail and are missing: a reason each, in time. */
#include "collect/collect.h"
#include "tests/policy/rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/winord-tool.XXXXXX";

static const struct row {
  const char *name, *script; /* NULL: there is no such tool */
  const char *why, *begins; /* of the answer; NULL: none */
} rows[] = {
    {"plain", "echo hello", NULL, "hello\n"},
    {"failure with a table", "echo table; exit 3", NULL, "table\n"},
    {"standard error counts", "echo -E- no >&2; exit 1", NULL, "-E- no\n"},
    {"killed", "echo half; kill -9 $$", NULL, "half\n"},
    {"nothing", "exit 0", NULL, ""},
    {"hangs", "echo begun; sleep 60", "no answer in time", NULL},
    {"leaves a child with its output", "sleep 60 & exit 0", "no answer in time", NULL},
    {"floods", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", "no answer in time", NULL},
    {"input is empty", "cat; echo end", NULL, "end\n"},
    {"locale", "echo $LC_ALL$LD_PRELOAD", NULL, "C\n"},
    {"missing", NULL, "not installed", NULL},
};

static void write_tool(const char *path, const char *script) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", script);
  fclose(file);
  assert_int_equal(chmod(path, 0755), 0);
}

static void test_row(void **state) {
  const struct row *row = *state;
  const struct collection all = {.root = ""};
  char path[64], *output, *argv[] = {(char *)"winord-test-tool", NULL};
  snprintf(path, sizeof path, "%s/winord-test-tool", folder);
  unlink(path);
  if (row->script)
    write_tool(path, row->script);
  time_t begun = time(NULL);
  const char *why = tool_output(&all, argv, "unused", 1, &output);
  assert_true(time(NULL) - begun < 10);
  if (row->why)
    assert_string_equal(why, row->why);
  else
    assert_null(why);
  assert_int_equal(output != NULL, row->begins != NULL);
  if (row->begins)
    assert_string_equal(output, row->begins);
  free(output);
  unlink(path);
}

/* Root's PATH may be another's: a program that others can change is not run. */
static void test_others_tool(void **state) {
  const struct collection all = {.root = ""};
  char path[64], *output, *argv[] = {(char *)"winord-test-tool", NULL};
  (void)state;
  if (geteuid())
    skip(); /* only root is so careful */
  snprintf(path, sizeof path, "%s/winord-test-tool", folder);
  write_tool(path, "echo hello");
  assert_int_equal(chmod(path, 0777), 0);
  assert_string_equal(tool_output(&all, argv, "unused", 1, &output), "not installed");
  assert_int_equal(chmod(path, 0755), 0);
  assert_int_equal(chown(path, 65534, 0), 0);
  assert_string_equal(tool_output(&all, argv, "unused", 1, &output), "not installed");
  unlink(path);
}

int main(void) {
  static const char *const other[] = {"of others"};
  static struct suite suite;
  char path[256];
  if (!mkdtemp(folder))
    return 1;
  /* A folder relative to the working directory does not count, nor does an empty one. */
  snprintf(path, sizeof path, ":.:%s:/bin", folder);
  setenv("PATH", path, 1);
  ROWS(&suite, rows, test_row);
  ROWS(&suite, other, test_others_tool);
  int status = suite_run("tool_output", &suite);
  rmdir(folder);
  return status;
}
