#include "report/report.h"

#include "cli/check_hosts.h"
#include "cli/command.h"
#include "report/memory.h"

#include <stdlib.h>
#include <string.h>

const struct section sections[] = {
    {.title = "decisions",
     .sheet = SHEET_REGISTRATIONS,
     .counted = "windows",
     .columns = {FIELD_ASKED, FIELD_GOT, FIELD_VERDICT, FIELD_WHY, FIELD_RULE, FIELD_GUARD, FIELD_OUTCOME},
     .say_none = true},
    {.title = "rules that decided",
     .sheet = SHEET_REGISTRATIONS,
     .counted = "windows",
     .filters = {{FIELD_WHERE, NULL}},
     .columns = {FIELD_RULE, FIELD_WHERE, FIELD_VERDICT}},
    {.title = "refused",
     .sheet = SHEET_REGISTRATIONS,
     .counted = "windows",
     .filters = {{FIELD_VERDICT, "refused"}},
     .columns = {FIELD_WHY, FIELD_RULE, FIELD_POOL, FIELD_MODE},
     .say_none = true},
    {.title = "exposure: left relaxed, and the mode is not known to be 0",
     .sheet = SHEET_REGISTRATIONS,
     .counted = "windows",
     .filters = {{FIELD_EXPOSURE, "possible"}, {FIELD_OUTCOME, "accepted"}},
     .columns = {FIELD_ASKED, FIELD_RULE, FIELD_GUARD, FIELD_POOL, FIELD_MODE, FIELD_MODE_SOURCE},
     .say_none = true},
    {.title = "copies of NCCL that were not covered",
     .sheet = SHEET_UNCOVERED,
     .counted = "records",
     .columns = {FIELD_WHY, FIELD_NCCL_PATH, FIELD_BY},
     .say_none = true},
    {.title = "errors of the policy",
     .sheet = SHEET_POLICY_ERRORS,
     .counted = "records",
     .columns = {FIELD_WHERE, FIELD_MESSAGE},
     .say_none = true},
    {.title = "policy",
     .title_many = "policies that differ",
     .sheet = SHEET_STARTS,
     .counted = "processes",
     .columns = {FIELD_POLICY, FIELD_POLICY_DIGEST}},
    {.title = "facts and pool",
     .sheet = SHEET_STARTS,
     .counted = "processes",
     .columns = {FIELD_FACTS, FIELD_POOL, FIELD_DRY_RUN, FIELD_WINORD}},
    {.title = "warnings",
     .sheet = SHEET_REGISTRATIONS,
     .counted = "windows",
     .filters = {{FIELD_WARNING, NULL}},
     .columns = {FIELD_WARNING, FIELD_RULE, FIELD_NCCL}},
    {.title = "effect, when NCCL returned",
     .sheet = SHEET_REGISTRATIONS,
     .counted = "windows",
     .filters = {{FIELD_EFFECT, NULL}},
     .columns = {FIELD_GOT, FIELD_EFFECT, FIELD_EFFECT_WHY}},
    {.title = "effect, found to be another later",
     .sheet = SHEET_EFFECTS,
     .counted = "records",
     .columns = {FIELD_EFFECT, FIELD_EFFECT_WHY}},
};
const size_t section_count = sizeof sections / sizeof sections[0];

size_t section_width(const struct section *section) {
  size_t width = 0;
  while (width < SECTION_COLUMNS && section->columns[width] != FIELD_V) {
    width++;
  }
  return width;
}

static bool passes(const struct sums *sums, const struct section *section, const struct row *row) {
  for (size_t i = 0; i < SECTION_FILTERS && section->filters[i].field != FIELD_V; i++) {
    const char *text = row_text(sums, row, sheet_column(section->sheet, section->filters[i].field));
    if (text == NULL || (section->filters[i].is != NULL && strcmp(text, section->filters[i].is) != 0)) {
      return false;
    }
  }
  return row->count > 0;
}

/* A fold of one row in the making; its key holds the section's columns alone. */
struct folding {
  uint32_t key[SECTION_COLUMNS];
  struct fold fold;
  size_t room;
};

static void add_row(struct folding *folding, const struct row *row) {
  struct fold *fold = &folding->fold;
  fold->like = fold->like ? fold->like : row;
  fold->count += row->count;
  fold->bytes += row->bytes;
  if (fold->host_count == 0 || fold->hosts[fold->host_count - 1] != row->key[1]) { /* rows are sorted by host */
    fold->hosts = memory_for_one_more(fold->hosts, fold->host_count, &folding->room, sizeof *fold->hosts);
    fold->hosts[fold->host_count++] = row->key[1];
  }
}

static int by_count(const void *a, const void *b) {
  const struct fold *left = a, *right = b;
  if (left->count != right->count) {
    return left->count < right->count ? 1 : -1;
  }
  return (left->like > right->like) - (left->like < right->like);
}

struct fold *folds_of(const struct sums *sums, uint32_t job, const struct section *section, size_t *count) {
  struct table table = {.key_size = sizeof((struct folding *)NULL)->key, .entry_size = sizeof(struct folding)};
  size_t rows;
  const struct row *row = job_rows(sums, section->sheet, job, &rows);
  for (; rows > 0; rows--, row++) {
    uint32_t key[SECTION_COLUMNS] = {0};
    for (size_t i = 0; i < section_width(section); i++) {
      key[i] = row->key[sheet_column(section->sheet, section->columns[i])];
    }
    if (passes(sums, section, row)) {
      add_row(table_entry(&table, key), row);
    }
  }
  struct fold *folds = memory_sized(NULL, table.count + 1, sizeof *folds);
  *count = table.count;
  for (size_t i = 0; i < table.count; i++) {
    folds[i] = ((struct folding *)table_at(&table, i))->fold;
  }
  table_free(&table);
  qsort(folds, *count, sizeof *folds, by_count);
  return folds;
}

void folds_free(struct fold *folds, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(folds[i].hosts);
  }
  free(folds);
}

const char *fold_text(const struct sums *sums, const struct section *section, const struct fold *fold, size_t n) {
  const char *text = row_text(sums, fold->like, sheet_column(section->sheet, section->columns[n]));
  return text ? text : "-";
}

char *fold_hosts(const struct sums *sums, const struct fold *fold) {
  const char **names = memory_sized(NULL, fold->host_count + 1, sizeof *names);
  for (size_t i = 0; i < fold->host_count; i++) {
    names[i] = texts_text(&sums->texts, fold->hosts[i]);
  }
  char *text = fold_names(names, fold->host_count);
  free(names);
  return text;
}
