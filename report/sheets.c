#include "report/sums.h"

#include <string.h>

static const struct column registrations[] = {
    {"job", FIELD_JOB, false},
    {"host", FIELD_HOST, false},
    {"pool", FIELD_POOL, false},
    {"pci_atomic_mode", FIELD_MODE, true},
    {"pci_atomic_source", FIELD_MODE_SOURCE, false},
    {"asked", FIELD_ASKED, false},
    {"got", FIELD_GOT, false},
    {"verdict", FIELD_VERDICT, false},
    {"why", FIELD_WHY, false},
    {"guard", FIELD_GUARD, false},
    {"rule", FIELD_RULE, false},
    {"where", FIELD_WHERE, false},
    {"exposure", FIELD_EXPOSURE, false},
    {"warning", FIELD_WARNING, false},
    {"outcome", FIELD_OUTCOME, false},
    {"nccl", FIELD_NCCL, false},
    {"effect", FIELD_EFFECT, false},
    {"effect_why", FIELD_EFFECT_WHY, false},
};

static const struct column starts[] = {
    {"job", FIELD_JOB, false},       {"host", FIELD_HOST, false},
    {"policy", FIELD_POLICY, false}, {"policy_digest", FIELD_POLICY_DIGEST, false},
    {"pool", FIELD_POOL, false},     {"facts", FIELD_FACTS, false},
    {"winord", FIELD_WINORD, false}, {"dry_run", FIELD_DRY_RUN, false},
};

static const struct column uncovered[] = {
    {"job", FIELD_JOB, false}, {"host", FIELD_HOST, false},
    {"why", FIELD_WHY, false}, {"nccl_path", FIELD_NCCL_PATH, false},
    {"by", FIELD_BY, false},
};

static const struct column policy_errors[] = {
    {"job", FIELD_JOB, false},
    {"host", FIELD_HOST, false},
    {"where", FIELD_WHERE, false},
    {"message", FIELD_MESSAGE, false},
};

static const struct column effects[] = {
    {"job", FIELD_JOB, false},
    {"host", FIELD_HOST, false},
    {"effect", FIELD_EFFECT, false},
    {"effect_why", FIELD_EFFECT_WHY, false},
};

#define COLUMNS_OF(list) (list), sizeof(list) / sizeof((list)[0])
const struct sheet_form sheet_forms[SHEETS] = {
    [SHEET_REGISTRATIONS] = {"registrations", "register", COLUMNS_OF(registrations)},
    [SHEET_STARTS] = {"starts", "start", COLUMNS_OF(starts)},
    [SHEET_UNCOVERED] = {"uncovered", "uncovered", COLUMNS_OF(uncovered)},
    [SHEET_POLICY_ERRORS] = {"policy_errors", "policy_error", COLUMNS_OF(policy_errors)},
    [SHEET_EFFECTS] = {"effects_later", "effect", COLUMNS_OF(effects)},
};

size_t sheet_column(enum sheet sheet, enum field field) {
  const struct sheet_form *form = &sheet_forms[sheet];
  for (size_t i = 0; i < form->column_count; i++) {
    if (form->columns[i].field == field) {
      return i;
    }
  }
  return NO_COLUMN;
}

const char *row_text(const struct sums *sums, const struct row *row, size_t column) {
  return column == NO_COLUMN ? NULL : texts_text(&sums->texts, row->key[column]);
}

bool row_has(const struct sums *sums, const struct row *row, size_t column, const char *text) {
  const char *here = row_text(sums, row, column);
  return here != NULL && strcmp(here, text) == 0;
}
