/* Text to value and back: versions, sizes, days, and the words of the policy file. */
#include "policy/policy.h"

#include "policy/text.h"

#include <string.h>

int version_parse(const char *text) {
  uint64_t part[3] = {0};
  int count = 0;
  const char *end = read_digits(text, &part[count++]);
  while (end && *end == '.' && count < 3)
    end = read_digits(end + 1, &part[count++]);
  if (!end || *end || count < 2 || part[0] > 9999 || part[1] > 99 || part[2] > 99)
    return -1;
  bool before_2_9 = part[0] <= 2 && part[1] <= 8;
  return (int)(part[0] * (before_2_9 ? 1000 : 10000) + part[1] * 100 + part[2]);
}

static const struct unit {
  char name[4];
  unsigned shift;
} units[] = {{"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};

bool size_parse(const char *text, uint64_t *bytes) {
  uint64_t value;
  const char *unit = read_digits(text, &value);
  for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++) {
    if (strcmp(unit, units[i].name) != 0)
      continue;
    if (value > UINT64_MAX >> units[i].shift)
      return false;
    *bytes = value << units[i].shift;
    return true;
  }
  return false;
}

int day_parse(const char *text) {
  static const unsigned char lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (int i = 0; i < 10; i++)
    if (i == 4 || i == 7 ? text[i] != '-' : !is_digit(text[i]))
      return 0;
  if (text[10])
    return 0;
  uint64_t year, month, day;
  read_digits(text, &year);
  read_digits(text + 5, &month);
  read_digits(text + 8, &day);
  if (year < 1970 || month < 1 || month > 12 || day < 1)
    return 0;
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  uint64_t last = lengths[month - 1] + (month == 2 && leap ? 1U : 0U);
  if (day > last)
    return 0;
  return (int)(year * 10000 + month * 100 + day);
}

const char *ordering_name(enum ordering ordering) {
  static const char names[][8] = {"keep", "strict", "relaxed"};
  return names[ordering];
}

const char *gin_connection_name(enum gin_connection connection) {
  static const char names[][8] = {"none", "full", "rail", "custom", "unknown"};
  return names[connection];
}

static const struct flag {
  char name[16];
  unsigned bit;
} flags[] = {{"COLL_SYMMETRIC", 0x01}, {"GIN_ONLY", 0x04}, {"CFT_COUNTED", 0x08}};

unsigned win_flag_parse(const char *name) {
  static const char prefix[] = "NCCL_WIN_";
  if (strncmp(name, prefix, sizeof prefix - 1) == 0)
    name += sizeof prefix - 1;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strcmp(name, flags[i].name) == 0)
      return flags[i].bit;
  return 0;
}
