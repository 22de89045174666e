/* The keys of the policy file, as a table, and how each takes its value. */
#include "policy/glob.h"
#include "policy/reader.h"
#include "policy/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { ITEM_MAX = 200, LIST_TEXT_MAX = 128 };

struct word {
  char name[8];
  unsigned value;
};

/* Ended by a word without name. */
static const struct word ordering_words[] = {
    {"keep", ORDERING_KEEP}, {"strict", ORDERING_STRICT}, {"relaxed", ORDERING_RELAXED}, {"", 0}};
static const struct word asked_words[] = {{"strict", ASKED_STRICT}, {"default", ASKED_DEFAULT}, {"", 0}};
static const struct word signal_words[] = {{"none", true}, {"", 0}};
static const struct word yes_words[] = {{"no", false}, {"yes", true}, {"", 0}};
static const struct word mode_words[] = {{"0", 1 << 0}, {"1", 1 << 1},       {"2", 1 << 2}, {"3", 1 << 3},
                                         {"4", 1 << 4}, {"unknown", 1 << 5}, {"", 0}};
static const struct word connection_words[] = {{"none", 1 << GIN_NONE},       {"full", 1 << GIN_FULL},
                                               {"rail", 1 << GIN_RAIL},       {"custom", 1 << GIN_CUSTOM},
                                               {"unknown", 1 << GIN_UNKNOWN}, {"", 0}};

static void *field(const struct key *key, void *section) { return (char *)section + key->offset; }

/* "keep, strict or relaxed" */
static const char *word_list(const struct word *words, char text[LIST_TEXT_MAX]) {
  size_t used = 0;
  for (size_t i = 0; *words[i].name && used < LIST_TEXT_MAX; i++) {
    const char *separator = i == 0 ? "" : *words[i + 1].name ? ", " : " or ";
    used += (size_t)snprintf(text + used, LIST_TEXT_MAX - used, "%s%s", separator, words[i].name);
  }
  return text;
}

static const struct word *word_find(struct reader *reader, const struct key *key, const char *item) {
  const struct word *word = key->words;
  while (*word->name && strcmp(word->name, item) != 0)
    word++;
  if (*word->name)
    return word;
  char list[LIST_TEXT_MAX];
  reader_error(reader, reader->line, "%s = %s: expected %s", key->name, item, word_list(key->words, list));
  return NULL;
}

static void parse_word(struct reader *reader, const struct key *key, void *section, const char *item) {
  const struct word *word = word_find(reader, key, item);
  if (word)
    *(unsigned *)field(key, section) = word->value;
}

static void parse_truth(struct reader *reader, const struct key *key, void *section, const char *item) {
  const struct word *word = word_find(reader, key, item);
  if (word)
    *(bool *)field(key, section) = word->value;
}

static void parse_bits(struct reader *reader, const struct key *key, void *section, const char *item) {
  const struct word *word = word_find(reader, key, item);
  if (word)
    *(unsigned *)field(key, section) |= word->value;
}

static void parse_default(struct reader *reader, const struct key *key, void *section, const char *item) {
  const struct word *word = word_find(reader, key, item);
  (void)section;
  if (!word)
    return;
  reader->policy->fallback = (enum ordering)word->value;
  reader->policy->fallback_file = reader->file;
  reader->policy->fallback_line = reader->line;
}

static void parse_version(struct reader *reader, const struct key *key, void *section, const char *item) {
  (void)key, (void)section;
  reader->version_seen = true;
  if (strcmp(item, "1") != 0)
    reader_error(reader, reader->line, "version = %s: not supported; this winord reads version = 1", item);
}

static void parse_include(struct reader *reader, const struct key *key, void *section, const char *item) {
  (void)key, (void)section;
  struct include *room = array_room(reader->arena, reader->includes, reader->include_count, sizeof *room);
  if (!room)
    return;
  reader->includes = room;
  room[reader->include_count++] = (struct include){arena_string(reader->arena, item), reader->line};
}

static void globs_add(struct arena *arena, struct globs *globs, const char *item) {
  size_t count = globs->count;
  if ((count & (count - 1)) == 0) {
    char **larger = arena_alloc(arena, (count ? count * 2 : 1) * sizeof *larger);
    if (!larger)
      return;
    if (count)
      memcpy(larger, globs->items, count * sizeof *larger);
    globs->items = larger;
  }
  globs->items[globs->count++] = arena_string(arena, item);
}

static void parse_glob(struct reader *reader, const struct key *key, void *section, const char *item) {
  if (!glob_is_closed(item))
    reader_error(reader, reader->line, "%s: '[' without ']' in '%s'", key->name, item);
  else if (strstr(item, " #"))
    reader_error(reader, reader->line, "%s: ' #' in '%s'; a comment behind a value begins with ' ;'", key->name, item);
  else
    globs_add(reader->arena, field(key, section), item);
}

static void parse_text(struct reader *reader, const struct key *key, void *section, const char *item) {
  *(char **)field(key, section) = arena_string(reader->arena, item);
}

static void parse_day(struct reader *reader, const struct key *key, void *section, const char *item) {
  int day = day_parse(item);
  if (day)
    *(int *)field(key, section) = day;
  else
    reader_error(reader, reader->line, "%s = %s: expected a day, as 2027-03-31", key->name, item);
}

static void parse_mode(struct reader *reader, const struct key *key, void *section, const char *item) {
  if (item[0] >= '0' && item[0] <= '0' + MODE_MAX && !item[1])
    *(int *)field(key, section) = item[0] - '0';
  else
    reader_error(reader, reader->line, "%s = %s: expected 0 to %d", key->name, item, MODE_MAX);
}

/* "64mb" -> "64MiB": the right spelling of what was probably meant, or "". */
static const char *size_guess(const char *item, char guess[ITEM_MAX]) {
  static const char letters[] = "kmgt";
  uint64_t value;
  const char *unit = read_digits(item, &value);
  while (unit && is_blank(*unit))
    unit++;
  const char *letter = unit && *unit ? strchr(letters, ascii_lower(*unit)) : NULL;
  guess[0] = '\0';
  if (letter)
    snprintf(guess, ITEM_MAX, "; did you mean %llu%ciB?", (unsigned long long)value, *letter - 'a' + 'A');
  return guess;
}

static void parse_size(struct reader *reader, const struct key *key, void *section, const char *item) {
  char guess[ITEM_MAX];
  uint64_t bytes;
  if (size_parse(item, &bytes))
    *(uint64_t *)field(key, section) = bytes;
  else
    reader_error(reader, reader->line, "%s = %s: expected bytes, or a number of KiB, MiB, GiB or TiB below 2^64%s",
                 key->name, item, size_guess(item, guess));
}

/* ">=2.29.7" -> the codes it allows; false: not a comparison. */
static bool comparison_parse(const char *item, struct version_range *range) {
  char sign = item[0];
  if (!sign || !strchr("<>=", sign))
    return false;
  bool or_equal = sign == '=' || item[1] == '=';
  const char *text = item + (sign != '=' && or_equal ? 2 : 1);
  while (is_blank(*text))
    text++;
  int code = version_parse(text);
  *range = (struct version_range){0, INT_MAX};
  if (sign != '<')
    range->low = or_equal ? code : code + 1;
  if (sign != '>')
    range->high = or_equal ? code : code - 1;
  return code >= 0;
}

static void parse_nccl(struct reader *reader, const struct key *key, void *section, const char *item) {
  struct version_range *whole = field(key, section), range;
  if (!comparison_parse(item, &range)) {
    reader_error(reader, reader->line, "nccl = %s: expected >=, >, <=, < or = and a version, as >=2.29.7", item);
    return;
  }
  if (range.low > whole->low)
    whole->low = range.low;
  if (range.high < whole->high)
    whole->high = range.high;
  if (whole->low > whole->high)
    reader_error(reader, reader->line, "nccl: no version is left by '%s' and what stands before it", item);
}

/* Bits of "0x14"; false: not hexadecimal, no bit, or more than 32 bits. */
static bool hex_parse(const char *text, unsigned *bits) {
  if (text[0] != '0' || ascii_lower(text[1]) != 'x')
    return false;
  uint64_t value = 0;
  for (text += 2; *text && value <= UINT32_MAX; text++) {
    if (hex_digit(*text) < 0)
      return false;
    value = value * 16 + (unsigned)hex_digit(*text);
  }
  *bits = (unsigned)value;
  return value > 0 && value <= UINT32_MAX;
}

/* Names that stand for bit 0x02 or for none, and what to write instead. */
static bool flag_is_ordering(struct reader *reader, const char *name) {
  static const struct {
    char name[24], advice[88];
  } advices[] = {
      {"STRICT_ORDERING", "the ordering bit has its own key: asked = strict"},
      {"COLL_STRICT_ORDERING", "the flag is named NCCL_WIN_STRICT_ORDERING, and has its own key: asked = strict"},
      {"DEFAULT", "it is no bit; for windows without strict ordering say asked = default"},
  };
  static const char prefix[] = "NCCL_WIN_";
  const char *bare = strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
  for (size_t i = 0; i < COUNT(advices); i++) {
    if (strcmp(bare, advices[i].name) != 0)
      continue;
    reader_error(reader, reader->line, "flags: %s: %s", name, advices[i].advice);
    return true;
  }
  return false;
}

static void unknown_flag(struct reader *reader, const char *name) {
  static const char names[][24] = {"COLL_SYMMETRIC",          "GIN_ONLY",          "CFT_COUNTED",
                                   "NCCL_WIN_COLL_SYMMETRIC", "NCCL_WIN_GIN_ONLY", "NCCL_WIN_CFT_COUNTED"};
  const char *near = nearest(name, names, COUNT(names), sizeof *names);
  if (near)
    reader_error(reader, reader->line, "unknown flag '%s'; did you mean '%s'?", name, near);
  else
    reader_error(reader, reader->line, "unknown flag '%s'; a bit without a name is written 0x10", name);
}

static void parse_flag(struct reader *reader, const struct key *key, void *section, const char *item) {
  (void)key;
  struct rule *rule = section;
  bool clear = *item == '!';
  const char *name = item + clear;
  while (is_blank(*name))
    name++;
  if (flag_is_ordering(reader, name))
    return;
  unsigned bits = win_flag_parse(name);
  if (!bits && !hex_parse(name, &bits)) {
    unknown_flag(reader, name);
    return;
  }
  if (bits & WIN_STRICT_ORDERING)
    reader_error(reader, reader->line, "flags: %s holds 0x02; the ordering bit has its own key: asked = strict", name);
  *(clear ? &rule->flags_clear : &rule->flags_set) |= bits;
  if (rule->flags_set & rule->flags_clear)
    reader_error(reader, reader->line, "flags: 0x%x cannot be both set and clear", rule->flags_set & rule->flags_clear);
}

static const struct key winord_keys[] = {
    {.name = "version", .parse = parse_version},
    {.name = "default", .parse = parse_default, .words = ordering_words},
    {.name = "include", .parse = parse_include, .list = true},
};

enum { POOL_HOSTS, POOL_MODE, POOL_BY, POOL_UNTIL };

static const struct key pool_keys[] = {
    [POOL_HOSTS] = {.name = "hosts", .parse = parse_glob, .offset = offsetof(struct pool, hosts), .list = true},
    [POOL_MODE] = {.name = "attest-pci-atomic-mode",
                   .parse = parse_mode,
                   .offset = offsetof(struct pool, attested_mode)},
    [POOL_BY] = {.name = "attested-by", .parse = parse_text, .offset = offsetof(struct pool, attested_by)},
    [POOL_UNTIL] = {.name = "attested-until", .parse = parse_day, .offset = offsetof(struct pool, attested_until)},
};

enum { RULE_MIN_SIZE, RULE_MAX_SIZE, RULE_ORDERING };

static const struct key rule_keys[] = {
    [RULE_MIN_SIZE] = {.name = "min-size", .parse = parse_size, .offset = offsetof(struct rule, min_size)},
    [RULE_MAX_SIZE] = {.name = "max-size", .parse = parse_size, .offset = offsetof(struct rule, max_size)},
    [RULE_ORDERING] = {.name = "ordering",
                       .parse = parse_word,
                       .offset = offsetof(struct rule, ordering),
                       .words = ordering_words},
    {.name = "pool", .parse = parse_glob, .offset = offsetof(struct rule, pool), .list = true},
    {.name = "host", .parse = parse_glob, .offset = offsetof(struct rule, host), .list = true},
    {.name = "caller", .parse = parse_glob, .offset = offsetof(struct rule, caller), .list = true},
    {.name = "exe", .parse = parse_glob, .offset = offsetof(struct rule, exe), .list = true},
    {.name = "hypervisor", .parse = parse_glob, .offset = offsetof(struct rule, hypervisor), .list = true},
    {.name = "gpu", .parse = parse_glob, .offset = offsetof(struct rule, gpu), .list = true},
    {.name = "nic-type", .parse = parse_glob, .offset = offsetof(struct rule, nic_type), .list = true},
    {.name = "path", .parse = parse_glob, .offset = offsetof(struct rule, path), .list = true},
    {.name = "pci-atomic-mode",
     .parse = parse_bits,
     .offset = offsetof(struct rule, modes),
     .list = true,
     .words = mode_words},
    {.name = "gin-connection",
     .parse = parse_bits,
     .offset = offsetof(struct rule, gin_connections),
     .list = true,
     .words = connection_words},
    {.name = "asked", .parse = parse_word, .offset = offsetof(struct rule, asked), .words = asked_words},
    {.name = "nccl", .parse = parse_nccl, .offset = offsetof(struct rule, nccl), .list = true},
    {.name = "flags", .parse = parse_flag, .list = true},
    {.name = "va-signals",
     .parse = parse_truth,
     .offset = offsetof(struct rule, va_signals_none),
     .words = signal_words},
    {.name = "accept-hazard", .parse = parse_truth, .offset = offsetof(struct rule, accept_hazard), .words = yes_words},
};

_Static_assert(COUNT(rule_keys) <= KEYS_MAX, "reader.seen has a place for every key");

const struct key *section_keys(enum section_kind kind, size_t *count) {
  static const struct {
    const struct key *keys;
    size_t count;
  } tables[] = {
      [SECTION_WINORD] = {winord_keys, COUNT(winord_keys)},
      [SECTION_POOL] = {pool_keys, COUNT(pool_keys)},
      [SECTION_RULE] = {rule_keys, COUNT(rule_keys)},
  };
  *count = tables[kind].count;
  return tables[kind].keys;
}

static void unknown_key(struct reader *reader, const char *name, const struct key *keys, size_t count) {
  const char *near = nearest(name, keys, count, sizeof *keys);
  if (near)
    reader_error(reader, reader->line, "unknown key '%s' in %s; did you mean '%s'?", name, reader->section_text, near);
  else
    reader_error(reader, reader->line, "unknown key '%s' in %s", name, reader->section_text);
}

static void read_items(struct reader *reader, const struct key *key, void *section, const char *value) {
  char item[ITEM_MAX];
  while (next_item(&value, item, sizeof item)) {
    if (*item)
      key->parse(reader, key, section, item);
    else
      reader_error(reader, reader->line, "%s: empty entry in the list", key->name);
  }
}

void key_read(struct reader *reader, void *section, int line, const char *name, const char *value) {
  size_t count, i = 0;
  const struct key *keys = section_keys(reader->section, &count);
  reader->line = line;
  while (i < count && (*keys[i].name != *name || strcmp(keys[i].name, name) != 0))
    i++;
  if (i == count) {
    unknown_key(reader, name, keys, count);
    return;
  }
  if (reader->seen[i] && !keys[i].list) {
    reader_error(reader, line, "duplicate key '%s' in %s; first in line %d", name, reader->section_text,
                 reader->seen[i]);
    return;
  }
  reader->seen[i] = line;
  if (keys[i].list)
    read_items(reader, &keys[i], section, value);
  else
    keys[i].parse(reader, &keys[i], section, value);
}

static void need(struct reader *reader, size_t present, size_t missing) {
  if (reader->seen[present] && !reader->seen[missing])
    reader_error(reader, reader->seen[present], "%s needs %s in %s", pool_keys[present].name, pool_keys[missing].name,
                 reader->section_text);
}

void pool_complete(struct reader *reader, struct pool *pool) {
  need(reader, POOL_MODE, POOL_BY);
  need(reader, POOL_MODE, POOL_UNTIL);
  need(reader, POOL_BY, POOL_MODE);
  need(reader, POOL_UNTIL, POOL_MODE);
  if (reader->seen[POOL_MODE] && !reader->seen[POOL_HOSTS])
    policy_problem(reader->policy, reader->file, pool->line, true,
                   "%s attests a mode but has no hosts: it holds for every host that names this pool",
                   reader->section_text);
}

/* The value in the largest unit that shows it exactly. */
static const char *size_text(uint64_t bytes, char text[ITEM_MAX]) {
  static const char unit_names[][4] = {"", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes && bytes % 1024 == 0 && unit + 1 < COUNT(unit_names); unit++)
    bytes /= 1024;
  snprintf(text, ITEM_MAX, "%llu%s", (unsigned long long)bytes, unit_names[unit]);
  return text;
}

void rule_complete(struct reader *reader, struct rule *rule) {
  char low[ITEM_MAX], high[ITEM_MAX];
  if (!reader->seen[RULE_ORDERING])
    reader_error(reader, rule->line, "%s has no ordering; say ordering = keep, strict or relaxed",
                 reader->section_text);
  if (rule->min_size <= rule->max_size)
    return;
  int min_line = reader->seen[RULE_MIN_SIZE], max_line = reader->seen[RULE_MAX_SIZE];
  reader_error(reader, min_line > max_line ? min_line : max_line, "min-size %s is larger than max-size %s",
               size_text(rule->min_size, low), size_text(rule->max_size, high));
}
