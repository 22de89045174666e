#include "bench/stress/options.h"
#include "tests/policy/rows.h"

#include <getopt.h>

enum { ARGUMENTS = 24 };

/* Reads "a b c", words parted by one blank. */
static bool read_line(const char *line, struct options *options, int *status) {
  static char words[256];
  char *argv[ARGUMENTS] = {"winord-stress"};
  int argc = 1;
  snprintf(words, sizeof words, "%s", line);
  for (char *at = words; at && *at; argc++) {
    argv[argc] = at;
    at = strchr(at, ' ');
    if (at)
      *at++ = '\0';
  }
  optind = 0; /* from the start again */
  return options_read(argc, argv, options, status);
}

static const struct size_row {
  const char *name; /* and command line */
  unsigned count;
  size_t sizes[10];
} size_rows[] = {
    {"-w 1", 9, {8, 64, 128, 256, 512, 4088, 4096, 4104, 1 << 20}},
    {"-b 8", 1, {8}},
    {"-e 64", 4, {8, 16, 32, 64}},
    {"-b 8 -e 100KiB -f 8", 5, {8, 64, 512, 4096, 32768}},
    {"-b 24 -e 64 -f 1.5", 3, {24, 32, 48}},
    {"-b 64MiB", 1, {64 << 20}},
    {"-b 8 -e 32 -f 1.05", 3, {8, 16, 24}},
    {"--minbytes 16 --maxbytes 64 --stepfactor 4", 2, {16, 64}},
};

static void test_sizes(void **state) {
  const struct size_row *row = *state;
  struct options options;
  int status;
  assert_true(read_line(row->name, &options, &status));
  assert_int_equal(row->count, options.size_count);
  for (unsigned i = 0; i < row->count; i++)
    assert_int_equal(row->sizes[i], options.sizes[i]);
}

static void test_usual(void **state) {
  (void)state;
  struct options options;
  int status;
  assert_true(read_line("", &options, &status));
  assert_int_equal(15, options.chosen_count); /* those of the fabric */
  assert_string_equal("fabric", options.backend);
  assert_int_equal(0, options.tries);
  assert_true(options.ask_strict && !options.ask_default);
  assert_int_equal(0, options.blocks);
  assert_int_equal(1, options.warmup);
  assert_int_equal(4, options.ranks);
  assert_int_equal(PATTERN_MIXED, options.pattern);
  assert_true(options.confidence > 0.949 && options.confidence < 0.951);
  assert_true(options.seconds > 9.9 && options.seconds < 10.1);
  assert_false(options.list || options.prove || options.quiet || options.seeded);
  assert_true(!options.json && !options.html && !options.replay && !options.mutant);
}

static void test_all(void **state) {
  (void)state;
  struct options options;
  int status;
  assert_true(
      read_line("-n 3 -w 0 --ranks 64 --seed 0xff --seconds 0.5 --confidence .99 --pattern ring", &options, &status));
  assert_int_equal(3, options.tries);
  assert_int_equal(0, options.warmup);
  assert_int_equal(64, options.ranks);
  assert_int_equal(255, options.seed);
  assert_true(options.seeded);
  assert_true(options.seconds > 0.49 && options.seconds < 0.51);
  assert_true(options.confidence > 0.989 && options.confidence < 0.991);
  assert_int_equal(PATTERN_RING, options.pattern);
  assert_true(
      read_line("-J a --html b --replay c --mutant d --prove --list --quiet --blocks 9 -c 1", &options, &status));
  assert_string_equal("a", options.json);
  assert_string_equal("b", options.html);
  assert_string_equal("c", options.replay);
  assert_string_equal("d", options.mutant);
  assert_true(options.prove && options.list && options.quiet);
  assert_int_equal(9, options.blocks);
  assert_true(read_line("--flags both --scenario signal-first,put+signal --scenario put;signal", &options, &status));
  assert_true(options.ask_strict && options.ask_default);
  assert_int_equal(3, options.chosen_count);
  assert_string_equal("signal-first", options.chosen[0]->name);
  assert_string_equal("put;signal", options.chosen[2]->name);
  assert_true(read_line("--flags default", &options, &status));
  assert_true(!options.ask_strict && options.ask_default);
}

static const struct mistake_row {
  const char *name; /* and command line */
} mistake_rows[] = {
    {"--backend gin --prove"},
    {"--backend lsa --scenario put+weak"},
    {"--backend nosuch"},
    {"-b 7"},
    {"-b 12"},
    {"-b 8 -e 64MiB -f 1.01"},
    {"--scenario ,"},
    {"--seed 9223372036854775808"},
    {"-b 0"},
    {"-b 65MiB"},
    {"-b 64 -e 8"},
    {"-f 1"},
    {"-f inf"},
    {"-n 0"},
    {"-n 1000001"},
    {"--ranks 0"},
    {"--ranks 65"},
    {"--blocks 0"},
    {"--seed -1"},
    {"--seed 1.5"},
    {"--seconds 0"},
    {"--seconds -1"},
    {"--confidence 1"},
    {"--confidence 0"},
    {"--scenario x"},
    {"--pattern x"},
    {"--flags x"},
    {"-c 0"},
    {"x"},
    {"--nosuch"},
    {"-b"},
};

static void test_mistake(void **state) {
  const struct mistake_row *row = *state;
  struct options options;
  int status = -1;
  assert_false(read_line(row->name, &options, &status));
  assert_int_equal(2, status);
}

static void test_help(void **state) {
  (void)state;
  struct options options;
  int status = -1;
  assert_false(read_line("--help", &options, &status));
  assert_int_equal(0, status);
}

/* Asked for or not, a seed is there. */
static void test_seed(void **state) {
  (void)state;
  struct options options;
  int status;
  assert_true(read_line("", &options, &status));
  const uint64_t first = options.seed;
  for (volatile unsigned i = 0; i < 50000000; i++) /* clock() moves on */
    ;
  assert_true(read_line("", &options, &status));
  assert_true(first != options.seed);
}

static const struct plain_row {
  const char *name;
  CMUnitTestFunction test;
} plain_rows[] = {
    {"the usual", test_usual},
    {"every option", test_all},
    {"help", test_help},
    {"a seed that is drawn", test_seed},
};

static void test_plain(void **state) { ((const struct plain_row *)*state)->test(NULL); }

int main(void) {
  static struct suite suite;
  ROWS(&suite, size_rows, test_sizes);
  ROWS(&suite, mistake_rows, test_mistake);
  ROWS(&suite, plain_rows, test_plain);
  return suite_run("options", &suite);
}
