#include "policy/file.h"
#include "policy/glob.h"
#include "policy/lines.h"
#include "policy/reader.h"
#include "policy/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 64 << 20 };

/* The section at hand, as key parsers take it. */
static void *section_data(struct reader *reader) {
  struct policy *policy = reader->policy;
  if (reader->section == SECTION_POOL)
    return &policy->pools[policy->pool_count - 1];
  if (reader->section == SECTION_RULE)
    return &policy->rules[policy->rule_count - 1];
  return reader;
}

static void section_complete(struct reader *reader) {
  if (reader->section == SECTION_POOL)
    pool_complete(reader, section_data(reader));
  if (reader->section == SECTION_RULE)
    rule_complete(reader, section_data(reader));
  reader->section = SECTION_NONE;
  memset(reader->seen, 0, sizeof reader->seen);
}

/* Reports a name that stands already. */
static void check_unique(struct reader *reader, struct names *names, const char *kind, char *name) {
  struct place first;
  enum names_result result = names_add(names, (struct place){name, reader->file, reader->section_line}, &first);
  if (result == NAMES_NO_MEMORY)
    reader->arena->failed = true;
  if (result == NAMES_PRESENT)
    reader_error(reader, reader->section_line, "duplicate %s '%s'; first in %s:%d", kind, name, first.file, first.line);
}

static void begin_pool(struct reader *reader, char *name) {
  struct policy *policy = reader->policy;
  struct pool *room = array_room(reader->arena, policy->pools, policy->pool_count, sizeof *room);
  if (!room)
    return;
  policy->pools = room;
  room[policy->pool_count++] =
      (struct pool){.name = name, .file = reader->file, .line = reader->section_line, .attested_mode = MODE_UNKNOWN};
  reader->section = SECTION_POOL;
  check_unique(reader, &reader->pools, "pool", name);
}

static void begin_rule(struct reader *reader, char *name) {
  struct policy *policy = reader->policy;
  struct rule *room = array_room(reader->arena, policy->rules, policy->rule_count, sizeof *room);
  if (!room)
    return;
  policy->rules = room;
  room[policy->rule_count++] = (struct rule){
      .name = name, .file = reader->file, .line = reader->section_line, .nccl = {0, INT_MAX}, .max_size = UINT64_MAX};
  reader->section = SECTION_RULE;
  check_unique(reader, &reader->rules, "rule", name);
}

static void begin_winord(struct reader *reader, char *name) {
  int line = reader->section_line;
  if (name)
    reader_error(reader, line, "[winord] has no name");
  else if (reader->included)
    reader_error(reader, line, "[winord] stands in the main file only, not in an included one");
  else if (reader->winord_line)
    reader_error(reader, line, "duplicate section [winord]; first in line %d", reader->winord_line);
  else
    reader->section = SECTION_WINORD;
  if (!reader->winord_line)
    reader->winord_line = line;
}

static const struct section_type {
  char name[8];
  bool named;
  void (*begin)(struct reader *reader, char *name);
} section_types[] = {{"winord", false, begin_winord}, {"pool", true, begin_pool}, {"rule", true, begin_rule}};

enum { SECTION_TYPES = sizeof section_types / sizeof *section_types };

static void unknown_section(struct reader *reader, const char *kind, const char *name) {
  const char *near = nearest(kind, section_types, SECTION_TYPES, sizeof *section_types);
  const char *text = reader->section_text;
  if (!near)
    reader_error(reader, reader->section_line, "unknown section %s; expected [winord], [pool NAME] or [rule NAME]",
                 text);
  else
    reader_error(reader, reader->section_line, "unknown section %s; did you mean [%s%s%s]?", text, near,
                 name ? " " : "", name ? name : "");
}

/* Writes "[rule x]" to section_text; header gets its kind and is cut there. Returns its name; NULL: it has none. */
static char *split_header(struct reader *reader, const char *section, char *header) {
  while (is_blank(*section))
    section++;
  size_t length = strlen(section);
  while (length && is_blank(section[length - 1]))
    length--;
  copy_text(header, section, length);
  reader->section_text[0] = '[';
  copy_text(reader->section_text + 1, section, length);
  copy_text(reader->section_text + 1 + length, "]", 1);
  char *name = header;
  while (*name && !is_blank(*name))
    name++;
  if (!*name)
    return NULL;
  *name++ = '\0';
  while (is_blank(*name))
    name++;
  return name;
}

static void begin_section(struct reader *reader, const char *kind, char *name) {
  const struct section_type *type = section_types;
  while (type < section_types + SECTION_TYPES && strcmp(type->name, kind) != 0)
    type++;
  if (type == section_types + SECTION_TYPES)
    unknown_section(reader, kind, name);
  else if (type->named && !name)
    reader_error(reader, reader->section_line, "[%s] needs a name: [%s NAME]", kind, kind);
  else if (type->named && name[strcspn(name, " \t,*?[")])
    reader_error(reader, reader->section_line, "%s name '%s': blanks, commas and * ? [ cannot stand in a name", kind,
                 name);
  else {
    char *copy = name ? arena_string(reader->arena, name) : NULL;
    if (!reader->arena->failed)
      type->begin(reader, copy);
  }
}

static void on_section(void *user, int line, const char *section) {
  struct reader *reader = user;
  if (reader->arena->failed)
    return;
  section_complete(reader);
  reader->section = SECTION_IGNORED;
  reader->section_line = line;
  char header[sizeof reader->section_text]; /* lines.h: a section name has at most 49 bytes */
  char *name = split_header(reader, section, header);
  begin_section(reader, header, name);
}

static void on_pair(void *user, int line, const char *section, const char *key, const char *value) {
  struct reader *reader = user;
  (void)section;
  if (reader->arena->failed || reader->section == SECTION_IGNORED)
    return;
  if (reader->section == SECTION_NONE)
    reader_error(reader, line, "'%s' before any section; expected [winord], [pool NAME] or [rule NAME] first", key);
  else
    key_read(reader, section_data(reader), line, key, value);
}

static void on_problem(void *user, int line, const char *text) { reader_error(user, line, "%s", text); }

/* The path as it stands in policy->files. */
static const char *add_file(struct reader *reader, const char *path) {
  struct policy *policy = reader->policy;
  char **room = array_room(reader->arena, policy->files, policy->file_count, sizeof *room);
  if (!room)
    return NULL;
  policy->files = room;
  room[policy->file_count++] = arena_string(reader->arena, path);
  return room[policy->file_count - 1];
}

/* As file_slurp; a file that anybody may have written is refused. */
static const char *slurp_trusted(const char *path, char **text, size_t *size) {
  enum writers writers;
  const char *trouble = file_read(path, FILE_LIMIT, text, size, &writers);
  if (trouble || writers != WRITERS_ALL)
    return trouble;
  free(*text);
  return "everybody may write it, or may have put it there";
}

const char *reader_take_file(struct reader *reader, const char *path) {
  char *text;
  size_t size;
  const char *trouble = slurp_trusted(path, &text, &size);
  if (trouble)
    return trouble;
  reader->file = add_file(reader, path);
  reader->errors = 0;
  reader->policy->digest = fnv1a(reader->policy->digest, text, size);
  if (reader->file) {
    const struct line_handler handler = {on_section, on_pair, on_problem, reader};
    lines_parse(text, size, &handler);
    if (!reader->arena->failed)
      section_complete(reader);
  }
  free(text);
  return NULL;
}

static void check_version(struct reader *reader) {
  if (!reader->winord_line)
    reader_error(reader, 0, "no [winord] section; it must say version = 1");
  else if (!reader->version_seen)
    reader_error(reader, reader->winord_line, "no version in [winord]; it must say version = 1");
}

static void read_all(struct reader *reader, const char *path) {
  const char *trouble = reader_take_file(reader, path);
  if (trouble) {
    policy_problem(reader->policy, add_file(reader, path), 0, false, "cannot be read: %s", trouble);
    return;
  }
  check_version(reader);
  if (!reader->arena->failed)
    includes_read(reader);
}

struct policy *policy_read(const char *path) {
  struct owned_policy *owned = calloc(1, sizeof *owned);
  if (!owned)
    return NULL;
  struct policy *policy = &owned->policy;
  struct reader reader = {.policy = policy, .arena = &owned->arena};
  policy->digest = FNV_START;
  policy->path = arena_string(&owned->arena, path);
  read_all(&reader, path);
  names_free(&reader.pools);
  names_free(&reader.rules);
  free(reader.includes);
  if (!owned->arena.failed)
    return policy;
  policy_free(policy);
  return NULL;
}

void policy_free(struct policy *policy) {
  if (!policy)
    return;
  struct arena arena = *policy_arena(policy);
  free(policy->files);
  free(policy->pools);
  free(policy->rules);
  free(policy->problems);
  free(policy);
  arena_free(&arena);
}

const struct pool *policy_pool(const struct policy *policy, const char *name) {
  for (size_t i = 0; i < policy->pool_count; i++)
    if (strcmp(policy->pools[i].name, name) == 0)
      return &policy->pools[i];
  return NULL;
}

const struct pool *policy_pool_of_host(const struct policy *policy, const char *host) {
  for (size_t i = 0; i < policy->pool_count; i++)
    if (policy->pools[i].hosts.count && globs_match_host(&policy->pools[i].hosts, host))
      return &policy->pools[i];
  return NULL;
}
