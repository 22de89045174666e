#include "report/scan.h"

#include <string.h>

/* Names as the journal has them; those without one are derived. */
static const char *const names[FIELDS] = {
    [FIELD_V] = "v",
    [FIELD_EVENT] = "event",
    [FIELD_TS] = "ts",
    [FIELD_HOST] = "host",
    [FIELD_PID] = "pid",
    [FIELD_SEQ] = "seq",
    [FIELD_LOST] = "lost",
    [FIELD_RUN] = "run",
    [FIELD_JOB] = "job",
    [FIELD_STEP] = "step",
    [FIELD_RANK] = "rank",
    [FIELD_NRANKS] = "nranks",
    [FIELD_COMM_SEQ] = "comm_seq",
    [FIELD_SIZE] = "size",
    [FIELD_FLAGS_IN] = "flags_in",
    [FIELD_FLAGS_OUT] = "flags_out",
    [FIELD_VERDICT] = "verdict",
    [FIELD_WHY] = "why",
    [FIELD_RULE] = "rule",
    [FIELD_WHERE] = "where",
    [FIELD_POOL] = "pool",
    [FIELD_MODE] = "pci_atomic_mode",
    [FIELD_MODE_SOURCE] = "pci_atomic_source",
    [FIELD_GUARD] = "guard",
    [FIELD_EXPOSURE] = "exposure",
    [FIELD_WARNING] = "warning",
    [FIELD_RESULT] = "result",
    [FIELD_WIN_NULL] = "win_null",
    [FIELD_EFFECT] = "effect",
    [FIELD_EFFECT_WHY] = "effect_why",
    [FIELD_NCCL] = "nccl",
    [FIELD_NCCL_PATH] = "nccl_path",
    [FIELD_BY] = "by",
    [FIELD_MESSAGE] = "message",
    [FIELD_WINORD] = "winord",
    [FIELD_POLICY] = "policy",
    [FIELD_POLICY_DIGEST] = "policy_digest",
    [FIELD_DRY_RUN] = "dry_run",
};

enum { HEADS = 256 };

/* Names by a hash; next[] chains those that share one. Both hold a field's place plus one; zero ends. */
static unsigned char heads[HEADS], next[FIELDS];

static unsigned hash(const char *name, size_t size) {
  return ((unsigned)size * 37 + (unsigned char)name[0] * 5 + (unsigned char)name[size - 1] * 11) % HEADS;
}

static void build(void) {
  for (size_t i = 0; i < FIELDS; i++) {
    if (names[i] != NULL) {
      unsigned char *head = &heads[hash(names[i], strlen(names[i]))];
      next[i] = *head;
      *head = (unsigned char)(i + 1);
    }
  }
}

enum field field_named(const char *name, size_t size, bool facts) {
  static bool built;
  if (facts || size == 0) {
    return facts && size == 6 && memcmp(name, "status", 6) == 0 ? FIELD_FACTS : FIELDS;
  }
  if (!built) {
    build();
    built = true;
  }
  for (unsigned char at = heads[hash(name, size)]; at != 0; at = next[at - 1]) {
    if (strncmp(names[at - 1], name, size) == 0 && names[at - 1][size] == '\0') {
      return at - 1;
    }
  }
  return FIELDS;
}

_Static_assert(FIELDS <= 64, "a bit of record.present for each");

bool record_set(struct record *record, enum field field, struct value value) {
  uint64_t bit = UINT64_C(1) << field;
  if (record->present & bit) {
    return false;
  }
  record->present |= bit;
  record->values[field] = value;
  return true;
}

bool value_is(const struct value *value, const char *text) {
  return value->kind == KIND_TEXT && strlen(text) == value->size && memcmp(value->text, text, value->size) == 0;
}

/* What the fields of a record must be; event NULL: of every record. */
static const struct need {
  const char *event;
  enum field field;
  enum kind kind;
  bool may_be_null;
  int64_t least, most;
  const char *fault;
} needs[] = {
    {NULL, FIELD_TS, KIND_TEXT, false, 0, 0, "no ts"},
    {NULL, FIELD_HOST, KIND_TEXT, false, 0, 0, "no host"},
    {NULL, FIELD_PID, KIND_NUMBER, false, 1, INT32_MAX, "no pid"},
    {NULL, FIELD_SEQ, KIND_NUMBER, false, 1, INT64_MAX / 2, "no seq"},
    {NULL, FIELD_LOST, KIND_NUMBER, false, 0, INT64_MAX / 2, "no lost"},
    {NULL, FIELD_RUN, KIND_TEXT, true, 0, 0, "run is no text"},
    {NULL, FIELD_JOB, KIND_TEXT, true, 0, 0, "job is no text"},
    {NULL, FIELD_STEP, KIND_TEXT, true, 0, 0, "step is no text"},
    {"register", FIELD_FLAGS_IN, KIND_NUMBER, false, INT32_MIN, INT32_MAX, "no flags_in"},
    {"register", FIELD_FLAGS_OUT, KIND_NUMBER, false, INT32_MIN, INT32_MAX, "no flags_out"},
    {"register", FIELD_SIZE, KIND_NUMBER, false, 0, INT64_MAX, "no size"},
    {"register", FIELD_VERDICT, KIND_TEXT, false, 0, 0, "no verdict"},
    {"register", FIELD_WHY, KIND_TEXT, false, 0, 0, "no why"},
    {"register", FIELD_EXPOSURE, KIND_TEXT, false, 0, 0, "no exposure"},
    {"register", FIELD_RULE, KIND_TEXT, true, 0, 0, "rule is no text"},
    {"register", FIELD_WHERE, KIND_TEXT, true, 0, 0, "where is no text"},
    {"register", FIELD_POOL, KIND_TEXT, true, 0, 0, "pool is no text"},
    {"register", FIELD_GUARD, KIND_TEXT, true, 0, 0, "guard is no text"},
    {"register", FIELD_WARNING, KIND_TEXT, true, 0, 0, "warning is no text"},
    {"register", FIELD_MODE, KIND_NUMBER, true, 0, 4, "pci_atomic_mode is not 0 to 4"},
    {"register", FIELD_MODE_SOURCE, KIND_TEXT, true, 0, 0, "pci_atomic_source is no text"},
    {"register", FIELD_RESULT, KIND_NUMBER, true, INT32_MIN, INT32_MAX, "result is no number"},
    {"register", FIELD_WIN_NULL, KIND_BOOL, true, 0, 1, "win_null is no boolean"},
    {"register", FIELD_RANK, KIND_NUMBER, true, 0, INT32_MAX, "rank is no number"},
    {"register", FIELD_NRANKS, KIND_NUMBER, true, 0, INT32_MAX, "nranks is no number"},
    {"register", FIELD_COMM_SEQ, KIND_NUMBER, true, 1, INT64_MAX, "comm_seq is no number"},
    {"register", FIELD_EFFECT, KIND_TEXT, true, 0, 0, "effect is no text"},
    {"register", FIELD_EFFECT_WHY, KIND_TEXT, true, 0, 0, "effect_why is no text"},
    {"start", FIELD_WINORD, KIND_TEXT, false, 0, 0, "no winord"},
    {"start", FIELD_POLICY, KIND_TEXT, true, 0, 0, "policy is no text"},
    {"start", FIELD_POLICY_DIGEST, KIND_TEXT, true, 0, 0, "policy_digest is no text"},
    {"start", FIELD_POOL, KIND_TEXT, true, 0, 0, "pool is no text"},
    {"start", FIELD_DRY_RUN, KIND_BOOL, false, 0, 1, "no dry_run"},
    {"start", FIELD_FACTS, KIND_TEXT, true, 0, 0, "facts.status is no text"},
    {"uncovered", FIELD_NCCL_PATH, KIND_TEXT, true, 0, 0, "nccl_path is no text"},
    {"uncovered", FIELD_WHY, KIND_TEXT, false, 0, 0, "no why"},
    {"uncovered", FIELD_BY, KIND_TEXT, true, 0, 0, "by is no text"},
    {"policy_error", FIELD_WHERE, KIND_TEXT, true, 0, 0, "where is no text"},
    {"policy_error", FIELD_MESSAGE, KIND_TEXT, true, 0, 0, "message is no text"},
    {"effect", FIELD_EFFECT, KIND_TEXT, true, 0, 0, "effect is no text"},
    {"effect", FIELD_EFFECT_WHY, KIND_TEXT, true, 0, 0, "effect_why is no text"},
};

static bool is_met(const struct need *need, const struct value *value) {
  if (value->kind == KIND_NULL) {
    return need->may_be_null;
  }
  bool in_range = need->kind == KIND_TEXT || (value->number >= need->least && value->number <= need->most);
  return value->kind == need->kind && in_range;
}

const char *record_fault(const struct record *record) {
  const struct value *event = &record->values[FIELD_EVENT];
  for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
    bool applies = needs[i].event == NULL || value_is(event, needs[i].event);
    if (applies && !is_met(&needs[i], &record->values[needs[i].field])) {
      return needs[i].fault;
    }
  }
  return time_number(&record->values[FIELD_TS]) < 0 ? "ts is no time" : NULL;
}

enum { STRICT_ORDERING = 0x02 }; /* NCCL_WIN_STRICT_ORDERING, nccl.h */
enum { NCCL_SUCCESS = 0, NCCL_IN_PROGRESS = 7 }; /* ncclResult_t, nccl.h */

static void derive(struct record *record, enum field field, const char *word) {
  record->present |= UINT64_C(1) << field;
  record->values[field] = (struct value){.kind = KIND_TEXT, .text = word, .size = (uint32_t)strlen(word)};
}

static const char *outcome(const struct value *result) {
  if (result->kind != KIND_NUMBER) {
    return "not_called";
  }
  return result->number == NCCL_SUCCESS || result->number == NCCL_IN_PROGRESS ? "accepted" : "failed";
}

void record_derive(struct record *record) {
  const struct value *values = record->values;
  derive(record, FIELD_ASKED, values[FIELD_FLAGS_IN].number & STRICT_ORDERING ? "strict" : "default");
  derive(record, FIELD_GOT, values[FIELD_FLAGS_OUT].number & STRICT_ORDERING ? "strict" : "default");
  derive(record, FIELD_OUTCOME, outcome(&values[FIELD_RESULT]));
}

static const char time_form[] = "dddd-dd-ddTdd:dd:dd.ddddddZ";

int64_t time_number(const struct value *value) {
  static const int bases[] = {1, 13, 32, 24, 60, 61, 1000000}; /* of year, month, ..., microsecond */
  int64_t number = 0, part = 0;
  size_t parts = 0;
  if (value->kind != KIND_TEXT || value->size != sizeof time_form - 1) {
    return -1;
  }
  for (size_t i = 0; i < value->size; i++) {
    const char c = value->text[i];
    if (time_form[i] == 'd' ? c < '0' || c > '9' : c != time_form[i]) {
      return -1;
    }
    part = part * 10 + (c - '0');
    if (time_form[i] != 'd') {
      part = (part - (c - '0')) / 10;
      if (parts > 0 && part >= bases[parts]) {
        return -1;
      }
      number = number * bases[parts++] + part;
      part = 0;
    }
  }
  return number;
}

const char *time_text(int64_t number, char text[static 20]) {
  static const int bases[] = {1000000, 61, 60, 24, 32, 13};
  static const int places[] = {0, 18, 15, 12, 9, 6}; /* where the part's last digit stands, microseconds left out */
  memcpy(text, "0000-00-00 00:00:00", 20);
  for (size_t i = 0; i < 6; i++) {
    const int part = (int)(number % bases[i]);
    number /= bases[i];
    if (i > 0) {
      text[places[i]] = (char)('0' + part % 10);
      text[places[i] - 1] = (char)('0' + part / 10);
    }
  }
  for (int i = 3; i >= 0; i--, number /= 10) {
    text[i] = (char)('0' + number % 10);
  }
  return text;
}
