#include "policy/policy.h"
#include "tests/policy/rows.h"

static const struct version_row {
  const char *name, *text;
  int code;
} version_rows[] = {
    {"version 2.29.7", "2.29.7", 22907},
    {"version 2.30", "2.30", 23000},
    {"version 2.8.4, old codes", "2.8.4", 2804},
    {"version 2.9.0, new codes", "2.9.0", 20900},
    {"version 3.0.1", "3.0.1", 30001},
    {"version alone", "2", -1},
    {"version with four parts", "2.29.7.1", -1},
    {"version with a word", "2.29.7rc1", -1},
    {"version with a part over 99", "2.100.0", -1},
    {"version with a sign", "-2.29", -1},
    {"version that ends in a dot", "2.29.", -1},
    {"version beyond 64 bits", "99999999999999999999.1", -1},
    {"version, empty", "", -1},
};

static void test_version(void **state) {
  const struct version_row *row = *state;
  assert_int_equal(version_parse(row->text), row->code);
}

static const struct size_row {
  const char *name, *text;
  bool good;
  uint64_t bytes;
} size_rows[] = {
    {"size in bytes", "8192", true, 8192},
    {"size zero", "0", true, 0},
    {"size in KiB", "4KiB", true, 4096},
    {"size in MiB", "64MiB", true, 64ULL << 20},
    {"size in GiB", "2GiB", true, 2ULL << 30},
    {"size in TiB", "1TiB", true, 1ULL << 40},
    {"largest size", "18446744073709551615", true, UINT64_MAX},
    {"largest size in TiB", "16777215TiB", true, 16777215ULL << 40},
    {"size beyond 64 bits", "18446744073709551616", false, 0},
    {"size in TiB beyond 64 bits", "16777216TiB", false, 0},
    {"size with a decimal unit", "64MB", false, 0},
    {"size in lower case", "64mib", false, 0},
    {"size with a blank", "64 MiB", false, 0},
    {"size with a fraction", "1.5GiB", false, 0},
    {"size with a sign", "+64", false, 0},
    {"size, negative", "-1", false, 0},
    {"size, unit alone", "MiB", false, 0},
};

static void test_size(void **state) {
  const struct size_row *row = *state;
  uint64_t bytes = 0;
  assert_int_equal(size_parse(row->text, &bytes), row->good);
  assert_true(bytes == row->bytes);
}

static const struct day_row {
  const char *name, *text;
  int day;
} day_rows[] = {
    {"day", "2027-03-31", 20270331},
    {"day, leap year", "2028-02-29", 20280229},
    {"day, no leap year", "2027-02-29", 0},
    {"day, century is no leap year", "2100-02-29", 0},
    {"day, fourth century is", "2000-02-29", 20000229},
    {"day 31 of a short month", "2027-04-31", 0},
    {"day 0", "2027-04-00", 0},
    {"month 13", "2027-13-01", 0},
    {"month 0", "2027-00-01", 0},
    {"day without dashes", "20270331", 0},
    {"day, short form", "2027-3-31", 0},
    {"day with a tail", "2027-03-31Z", 0},
    {"day, empty", "", 0},
};

static void test_day(void **state) {
  const struct day_row *row = *state;
  assert_int_equal(day_parse(row->text), row->day);
}

static const struct flag_row {
  const char *name;
  unsigned bit;
} flag_rows[] = {
    {"COLL_SYMMETRIC", 0x01}, {"NCCL_WIN_COLL_SYMMETRIC", 0x01},
    {"GIN_ONLY", 0x04},       {"NCCL_WIN_GIN_ONLY", 0x04},
    {"CFT_COUNTED", 0x08},    {"STRICT_ORDERING", 0},
    {"gin_only", 0},          {"NCCL_WIN_", 0},
};

static void test_flag(void **state) {
  const struct flag_row *row = *state;
  assert_int_equal(win_flag_parse(row->name), row->bit);
}

int main(void) {
  static struct suite suite;
  ROWS(&suite, version_rows, test_version);
  ROWS(&suite, size_rows, test_size);
  ROWS(&suite, day_rows, test_day);
  ROWS(&suite, flag_rows, test_flag);
  return suite_run("values", &suite);
}
