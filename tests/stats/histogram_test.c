#include "bench/stress/histogram.h"
#include "tests/policy/rows.h"

static const struct bucket_row {
  const char *name;
  uint64_t ns;
  unsigned bucket;
} bucket_rows[] = {
    {"bucket of 0", 0, 0},
    {"bucket of 1", 1, 0},
    {"bucket of 2", 2, 1},
    {"bucket of 3", 3, 1},
    {"bucket of 4", 4, 2},
    {"bucket of 1023", 1023, 9},
    {"bucket of 1024", 1024, 10},
    {"bucket of 2^63 - 1", (1ULL << 63) - 1, 62},
    {"bucket of 2^63", 1ULL << 63, 63},
    {"bucket of 2^64 - 1", UINT64_MAX, 63},
};

static void test_bucket(void **state) {
  const struct bucket_row *row = *state;
  struct histogram histogram = {0};
  histogram_add(&histogram, row->ns);
  assert_int_equal(1, histogram.buckets[row->bucket]);
  assert_int_equal(1, histogram_count(&histogram));
  assert_true(histogram.max == row->ns);
  assert_true(histogram_percentile(&histogram, 1) == row->ns);
}

/* So many of each lateness. */
struct part {
  unsigned count;
  uint64_t ns;
};

enum { PARTS = 4 };

static struct histogram filled(const struct part parts[PARTS]) {
  struct histogram histogram = {0};
  for (unsigned i = 0; i < PARTS; i++)
    for (unsigned j = 0; j < parts[i].count; j++)
      histogram_add(&histogram, parts[i].ns);
  return histogram;
}

static const struct percentile_row {
  const char *name;
  struct part parts[PARTS];
  uint64_t p50, p99, p100;
} percentile_rows[] = {
    {"percentiles of nothing", {{0}}, 0, 0, 0},
    {"percentiles of one 0", {{1, 0}}, 0, 0, 0},
    {"percentiles of one: never over max", {{1, 300}}, 300, 300, 300},
    {"percentiles: the bucket's upper edge", {{50, 5}, {50, 300}}, 7, 300, 300},
    {"percentiles: half and one more above", {{50, 5}, {51, 300}}, 300, 300, 300},
    {"percentiles: 99 of 100", {{99, 5}, {1, 300}}, 7, 7, 300},
    {"percentiles: 98 of 100", {{98, 5}, {2, 300}}, 7, 300, 300},
    {"percentiles: 990 of 1001, rounded up", {{990, 5}, {11, 300}}, 7, 300, 300},
    {"percentiles of the greatest", {{1, UINT64_MAX}}, UINT64_MAX, UINT64_MAX, UINT64_MAX},
};

static void test_percentile(void **state) {
  const struct percentile_row *row = *state;
  const struct histogram histogram = filled(row->parts);
  assert_true(histogram_percentile(&histogram, 50) == row->p50);
  assert_true(histogram_percentile(&histogram, 99) == row->p99);
  assert_true(histogram_percentile(&histogram, 100) == row->p100);
}

static const struct print_row {
  const char *name;
  struct part parts[PARTS];
  const char *text;
} print_rows[] = {
    {"print nothing", {{0}}, ""},
    {"print zeros", {{3, 0}}, "    0 ns ..     1 ns  ########################################  3\n"},
    {"print neighbours, and an empty bucket",
     {{8, 300}, {4, 700}, {1, 2048}},
     "  256 ns ..   511 ns  ########################################  8\n"
     "  512 ns ..  1023 ns  ####################  4\n"
     " 1024 ns ..  2047 ns  0\n"
     " 2048 ns ..  4095 ns  #####  1\n"},
    {"print one among many",
     {{5000, 5000}, {1, 9000}},
     " 4096 ns ..  8191 ns  ########################################  5000\n"
     " 8192 ns .. 16.38 us  #  1\n"},
    {"print 12 buckets, a line each",
     {{1, 1}, {1, 2048}},
     "    0 ns ..     1 ns  ########################################  1\n"
     "    2 ns ..     3 ns  0\n"
     "    4 ns ..     7 ns  0\n"
     "    8 ns ..    15 ns  0\n"
     "   16 ns ..    31 ns  0\n"
     "   32 ns ..    63 ns  0\n"
     "   64 ns ..   127 ns  0\n"
     "  128 ns ..   255 ns  0\n"
     "  256 ns ..   511 ns  0\n"
     "  512 ns ..  1023 ns  0\n"
     " 1024 ns ..  2047 ns  0\n"
     " 2048 ns ..  4095 ns  ########################################  1\n"},
    {"print 13 buckets, two a line",
     {{1, 100000}, {1, 150000}, {1, 999999999}},
     "65.54 us .. 262.1 us  ########################################  2\n"
     "262.1 us .. 1.049 ms  0\n"
     "1.049 ms .. 4.194 ms  0\n"
     "4.194 ms .. 16.78 ms  0\n"
     "16.78 ms .. 67.11 ms  0\n"
     "67.11 ms .. 268.4 ms  0\n"
     "268.4 ms .. 1.074 s   ####################  1\n"},
};

static void test_print(void **state) {
  const struct print_row *row = *state;
  const struct histogram histogram = filled(row->parts);
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  histogram_print(&histogram, out);
  assert_int_equal(0, fclose(out));
  assert_string_equal(row->text, text);
  free(text);
}

/* However far the first and the last bucket are apart: no more than 12 lines, and every one that counts is in them. */
static void test_lines(void **state) {
  (void)state;
  for (unsigned i = 0; i < HISTOGRAM_BUCKETS * HISTOGRAM_BUCKETS; i++) {
    const struct histogram histogram = filled((struct part[PARTS]){{1, 1ULL << i % 64}, {1, 1ULL << i / 64}});
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    histogram_print(&histogram, out);
    assert_int_equal(0, fclose(out));
    unsigned lines = 0, total = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
      *end = '\0';
      total += (unsigned)atoi(strrchr(line, ' '));
    }
    assert_in_range(lines, 1, HISTOGRAM_LINES);
    assert_int_equal(2, total);
    free(text);
  }
}

static void test_merge(void **state) {
  (void)state;
  struct histogram one = filled((struct part[PARTS]){{2, 5}, {1, 300}});
  const struct histogram other = filled((struct part[PARTS]){{1, 5}, {1, 70}}),
                         both = filled((struct part[PARTS]){{3, 5}, {1, 300}, {1, 70}}), nothing = {0};
  struct histogram sum = other;
  histogram_merge(&sum, &one);
  assert_memory_equal(&both, &sum, sizeof sum);
  histogram_merge(&one, &other);
  histogram_merge(&one, &nothing);
  assert_memory_equal(&both, &one, sizeof one);
}

int main(void) {
  static struct suite suite;
  static const char *const names[] = {"merge, either way", "print any two buckets"};
  ROWS(&suite, bucket_rows, test_bucket);
  ROWS(&suite, percentile_rows, test_percentile);
  ROWS(&suite, print_rows, test_print);
  rows_add(&suite, &names[0], 1, sizeof *names, test_merge);
  rows_add(&suite, &names[1], 1, sizeof *names, test_lines);
  return suite_run("histogram", &suite);
}
