/* A policy file being read. Internal to this folder. */
#ifndef WINORD_READER_H
#define WINORD_READER_H

#include "policy/arena.h"
#include "policy/names.h"
#include "policy/policy.h"

/* What policy_read hands out: the policy, and behind it the memory of its strings. */
struct owned_policy {
  struct policy policy;
  struct arena arena;
};

static inline struct arena *policy_arena(struct policy *policy) { return &((struct owned_policy *)policy)->arena; }

enum section_kind { SECTION_NONE, SECTION_WINORD, SECTION_POOL, SECTION_RULE, SECTION_IGNORED };

enum { KEYS_MAX = 20 };

/* One `include =`. */
struct include {
  char *path;
  int line;
};

struct reader {
  struct policy *policy;
  struct arena *arena;
  const char *file; /* being read; one of policy->files */
  bool included; /* it is not the main file */
  size_t errors; /* reported for this file */
  struct names pools, rules;
  struct include *includes;
  size_t include_count;
  int winord_line; /* of the main file's [winord]; 0: not seen */
  bool version_seen;

  enum section_kind section;
  int section_line;
  char section_text[64]; /* "[rule x]" */
  int line; /* of the pair being read */
  const char *key; /* its key */
  int seen[KEYS_MAX]; /* line of each key's first appearance in this section */
};

/* Takes one entry of a value into the section at hand (a struct pool, a struct rule, or the reader itself). */
struct key;
typedef void key_parser(struct reader *reader, const struct key *key, void *section, const char *item);

struct key {
  char name[24];
  key_parser *parse;
  size_t offset; /* of the field, for parsers that serve several keys */
  bool list; /* a comma list, which may be repeated: parse is called for each entry */
  const void *words; /* for parsers of words */
};

/* The keys of a kind of section. */
const struct key *section_keys(enum section_kind kind, size_t *count);

/* Takes one `key = value` of the section at hand. */
void key_read(struct reader *reader, void *section, int line, const char *name, const char *value);

/* What can be said only once a section is complete. */
void pool_complete(struct reader *reader, struct pool *pool);
void rule_complete(struct reader *reader, struct rule *rule);

/* Reads the files that `include =` names. */
void includes_read(struct reader *reader);

/* Reads one file into the policy. Returns NULL, or why it cannot be read. */
const char *reader_take_file(struct reader *reader, const char *path);

/* Adds a problem, in order of file and line. */
void policy_problem(struct policy *policy, const char *file, int line, bool warning, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same for the file being read; after 100 errors the rest of the file's are not listed. */
void reader_error(struct reader *reader, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
