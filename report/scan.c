#include "report/scan.h"

#include <string.h>

enum { DEPTH = 4 };

/* Where a line is read. Each function takes what it is named after, or returns false: then jansson shall look at it. */
struct scan {
  const char *at, *end;
  struct record *record;
};

/* Bytes that a text may hold as they are. Others: escapes, control characters, and what must be checked as UTF-8. */
static bool is_plain(char c) { return (unsigned char)(c - 0x20) < 0x60 && c != '"' && c != '\\'; }

static bool take(struct scan *scan, char c) {
  if (scan->at == scan->end || *scan->at != c) {
    return false;
  }
  scan->at++;
  return true;
}

static bool take_text(struct scan *scan, struct value *value) {
  if (!take(scan, '"')) {
    return false;
  }
  const char *from = scan->at, *at = from;
  while (at < scan->end && is_plain(*at)) {
    at++;
  }
  *value = (struct value){.kind = KIND_TEXT, .text = from, .size = (uint32_t)(at - from)};
  scan->at = at;
  return take(scan, '"');
}

static bool is_digit(const struct scan *scan) { return scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; }

/* Integers of up to 18 digits. */
static bool take_number(struct scan *scan, struct value *value) {
  const char *from = scan->at;
  const bool negative = take(scan, '-');
  const char *digits = scan->at;
  int64_t number = 0;
  while (is_digit(scan) && scan->at - digits < 18) {
    number = number * 10 + (*scan->at++ - '0');
  }
  const long count = scan->at - digits;
  *value = (struct value){
      .kind = KIND_NUMBER, .text = from, .size = (uint32_t)(scan->at - from), .number = negative ? -number : number};
  return count > 0 && (*digits != '0' || (count == 1 && !negative)) && scan->at < scan->end &&
         strchr(",]}", *scan->at) && *scan->at;
}

static bool take_word(struct scan *scan, struct value *value) {
  static const struct {
    const char *word;
    size_t size;
    enum kind kind;
    int64_t number;
  } words[] = {{"null", 4, KIND_NULL, 0}, {"false", 5, KIND_BOOL, 0}, {"true", 4, KIND_BOOL, 1}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if ((size_t)(scan->end - scan->at) >= words[i].size && memcmp(scan->at, words[i].word, words[i].size) == 0) {
      *value = (struct value){.kind = words[i].kind, .number = words[i].number};
      if (words[i].kind == KIND_BOOL) {
        value->text = scan->at;
        value->size = (uint32_t)words[i].size;
      }
      scan->at += words[i].size;
      return true;
    }
  }
  return false;
}

/* Whose fields the members of an object are. */
enum owner { OWNER_RECORD, OWNER_FACTS, OWNER_NOBODY };

static bool take_object(struct scan *scan, enum owner owner, int depth);

static bool take_array(struct scan *scan, int depth);

static bool take_value(struct scan *scan, struct value *value, enum owner inside, int depth) {
  if (scan->at == scan->end) {
    return false;
  }
  switch (*scan->at) {
  case '"': return take_text(scan, value);
  case '{':
  case '[':
    *value = (struct value){.kind = KIND_OTHER};
    return depth < DEPTH && (*scan->at == '{' ? take_object(scan, inside, depth + 1) : take_array(scan, depth + 1));
  case 'n':
  case 't':
  case 'f': return take_word(scan, value);
  default: return take_number(scan, value);
  }
}

static bool take_array(struct scan *scan, int depth) {
  struct value value;
  scan->at++;
  if (take(scan, ']')) {
    return true;
  }
  do {
    if (!take_value(scan, &value, OWNER_NOBODY, depth)) {
      return false;
    }
  } while (take(scan, ','));
  return take(scan, ']');
}

static bool take_member(struct scan *scan, enum owner owner, int depth) {
  struct value name, value;
  if (!take_text(scan, &name) || !take(scan, ':')) {
    return false;
  }
  const bool facts = owner == OWNER_RECORD && name.size == 5 && memcmp(name.text, "facts", 5) == 0;
  if (!take_value(scan, &value, facts ? OWNER_FACTS : OWNER_NOBODY, depth)) {
    return false;
  }
  const enum field field = owner == OWNER_NOBODY ? FIELDS : field_named(name.text, name.size, owner == OWNER_FACTS);
  return field == FIELDS || record_set(scan->record, field, value);
}

static bool take_object(struct scan *scan, enum owner owner, int depth) {
  scan->at++;
  if (take(scan, '}')) {
    return true;
  }
  do {
    if (!take_member(scan, owner, depth)) {
      return false;
    }
  } while (take(scan, ','));
  return take(scan, '}');
}

static void clear(struct record *record) {
  for (uint64_t left = record->present; left != 0; left &= left - 1) {
    record->values[__builtin_ctzll(left)] = (struct value){0};
  }
  record->present = 0;
}

const char *record_read(struct record *record, const char *line, size_t size) {
  struct scan scan = {.at = line, .end = line + size, .record = record};
  clear(record);
  if (size > 0 && *line == '{' && take_object(&scan, OWNER_RECORD, 0) && scan.at == scan.end) {
    return NULL;
  }
  clear(record);
  const char *fault = record_read_json(record, line, size);
  if (fault != NULL) {
    record_done(record);
    clear(record);
  }
  return fault;
}
