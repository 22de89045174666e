/*
 * One line of a journal as a record: libwinord(7), THE JOURNAL. A scanner for lines as the library writes them; any
 * other line goes to jansson, which says whether it is JSON.
 */
#ifndef WINORD_REPORT_SCAN_H
#define WINORD_REPORT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field {
  FIELD_V,
  FIELD_EVENT,
  FIELD_TS,
  FIELD_HOST,
  FIELD_PID,
  FIELD_SEQ,
  FIELD_LOST,
  FIELD_RUN,
  FIELD_JOB,
  FIELD_STEP,
  FIELD_RANK,
  FIELD_NRANKS,
  FIELD_COMM_SEQ,
  FIELD_SIZE,
  FIELD_FLAGS_IN,
  FIELD_FLAGS_OUT,
  FIELD_VERDICT,
  FIELD_WHY,
  FIELD_RULE,
  FIELD_WHERE,
  FIELD_POOL,
  FIELD_MODE,
  FIELD_MODE_SOURCE,
  FIELD_GUARD,
  FIELD_EXPOSURE,
  FIELD_WARNING,
  FIELD_RESULT,
  FIELD_WIN_NULL,
  FIELD_EFFECT,
  FIELD_EFFECT_WHY,
  FIELD_NCCL,
  FIELD_NCCL_PATH,
  FIELD_BY,
  FIELD_MESSAGE,
  FIELD_WINORD,
  FIELD_POLICY,
  FIELD_POLICY_DIGEST,
  FIELD_DRY_RUN,
  FIELD_FACTS, /* facts.status */
  /* Not in the journal: put there by record_derive. */
  FIELD_ASKED,
  FIELD_GOT,
  FIELD_OUTCOME,
  FIELDS
};

enum kind { KIND_NULL, KIND_TEXT, KIND_NUMBER, KIND_BOOL, KIND_OTHER };

struct value {
  const char *text; /* not terminated: the text, or the number or boolean as it is written; KIND_NULL: NULL */
  uint32_t size;
  enum kind kind;
  int64_t number; /* KIND_NUMBER; KIND_BOOL: 0 or 1 */
};

struct record {
  struct value values[FIELDS]; /* those absent are KIND_NULL */
  uint64_t present;
  void *json; /* jansson's, where it read the line */
  char digits[FIELDS][24];
};

/*
 * Reads a line of `size` bytes, without its newline, which must stay while the record is used. Returns NULL, or in a
 * few words why this is no JSON object of ours; the record then holds nothing. Nested objects other than `facts` and
 * fields that are not listed are checked as JSON, but for names that come twice, and left out.
 */
const char *record_read(struct record *record, const char *line, size_t size);

/* Frees what record_read kept. */
void record_done(struct record *record);

/*
 * Whether it is a whole record of version 1: the fields that its event needs are there, of their type and within their
 * range. Returns NULL, or why not. Records of an event that is not known need only the common fields.
 */
const char *record_fault(const struct record *record);

/* Adds what follows from a register record's numbers: asked and got ("strict", "default"), outcome. */
void record_derive(struct record *record);

bool value_is(const struct value *value, const char *text);

/* Time as the journal writes it, as a number that orders likewise; -1: it is not such a time. */
int64_t time_number(const struct value *value);

/* "2026-11-30 15:04:05" of such a number, into 20 bytes. */
const char *time_text(int64_t number, char text[static 20]);

/* Internal: the names of the fields of the record (facts: false) or of its facts; FIELDS: none of ours. */
enum field field_named(const char *name, size_t size, bool facts);

/* Internal: sets one field. false: it is there already. */
bool record_set(struct record *record, enum field field, struct value value);

/* Internal: the same as record_read, by jansson. */
const char *record_read_json(struct record *record, const char *line, size_t size);

#endif
