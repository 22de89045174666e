#include "query.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Source: mstflint, mlxconfig_dbs/mlxconfig_host.db, nv_sw_offload_conf and nv_hca_conf. */
static const struct {
  const char *name;
  const char *const *values; /* the value's name in the tool, by number */
  const char *const *words; /* and in the facts */
  size_t count;
} parameters[PARAMETERS] = {
    [ATOMIC_MODE] = {"PCI_ATOMIC_MODE",
                     (const char *const[]){"PCI_ATOMIC_DISABLED_EXT_ATOMIC_ENABLED",
                                           "PCI_ATOMICS_ENABLED_EXT_ATOMICS_ENABLED_SERIALIZED",
                                           "PCI_ATOMICS_ENABLED_EXT_ATOMICS_DISABLED",
                                           "PCI_ATOMICS_ENABLED_EXT_ATOMICS_ENABLED_NONCOHERENT",
                                           "PCI_ATOMICS_ENABLED_EXT_ATOMICS_ENABLED"},
                     (const char *const[]){"0", "1", "2", "3", "4"}, 5},
    [WR_ORDERING] = {"PCI_WR_ORDERING", (const char *const[]){"per_mkey", "force_relax"},
                     (const char *const[]){"per_mkey", "force_relax"}, 2},
};

enum parameter parameter_of(struct word name) {
  enum parameter parameter = 0;
  while (parameter < PARAMETERS && !word_is(name, parameters[parameter].name)) {
    parameter++;
  }
  return parameter;
}

void set_reason(struct answer *answer, const char *reason) {
  answer->value[0] = '\0';
  snprintf(answer->reason, sizeof answer->reason, "%s", reason);
}

void set_reasons(struct answer answers[COLUMNS], const char *reason) {
  for (size_t i = 0; i < COLUMNS; i++) {
    set_reason(&answers[i], reason);
  }
}

/* One to three decimal digits and nothing else; -1: not so. */
static int number(const char *text, size_t size) {
  int value = 0;
  if (size == 0 || size > 3) {
    return -1;
  }
  for (size_t i = 0; i < size; i++) {
    if (text[i] < '0' || text[i] > '9') {
      return -1;
    }
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

/* The size of NAME in NAME(N), 0: not of this form. */
static size_t bracketed(struct word cell, int *value) {
  const char *open = memchr(cell.text, '(', cell.size);
  if (!open || open == cell.text || cell.text[cell.size - 1] != ')') {
    return 0;
  }
  size_t before = (size_t)(open - cell.text);
  *value = number(open + 1, cell.size - before - 2);
  return *value < 0 ? 0 : before;
}

static int value_named(enum parameter parameter, struct word name) {
  for (size_t i = 0; i < parameters[parameter].count; i++) {
    const char *value = parameters[parameter].values[i];
    if (strlen(value) == name.size && strncasecmp(value, name.text, name.size) == 0) {
      return (int)i;
    }
  }
  return -1;
}

static void set_value(enum parameter parameter, int value, struct answer *answer) {
  if (value >= (int)parameters[parameter].count) {
    snprintf(answer->reason, sizeof answer->reason, "value %d has no name", value);
    return;
  }
  answer->reason[0] = '\0';
  snprintf(answer->value, sizeof answer->value, "%s", parameters[parameter].words[value]);
}

void read_cell(enum parameter parameter, struct word cell, struct answer *answer) {
  int value = -1;
  size_t name_size = bracketed(cell, &value);
  set_reason(answer, "value not understood");
  if (word_is(cell, "N/A")) {
    set_reason(answer, "N/A");
  } else if (name_size == 0) {
    value = number(cell.text, cell.size);
    if (value >= 0) {
      set_value(parameter, value, answer);
    }
  } else if (value_named(parameter, (struct word){cell.text, name_size}) == value) {
    set_value(parameter, value, answer);
  } else {
    set_reason(answer, "name and number disagree");
  }
}

bool is_cell(struct word word) {
  int value;
  return word.size > 0 && (bracketed(word, &value) || number(word.text, word.size) >= 0 || word_is(word, "N/A") ||
                           word_begins(word, "Array[") || (word_begins(word, "0x") && word.size > 2));
}

void set_alarm(struct query *query) {
  for (size_t i = CURRENT_VALUE; i < COLUMNS; i++) {
    query->alarm = query->alarm || strcmp(query->answers[WR_ORDERING][i].value, "force_relax") == 0;
  }
}
