/* What the hosts left, taken together. */
#include "command.h"
#include "qualify.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* What a rule can hold as it stands: no blank, no comma, nothing of a glob. */
static bool plain_name(const char *name) {
  return name != NULL && name[0] != '\0' && strlen(name) <= 150 &&
         name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")] == '\0';
}

static bool is_text_or_null(const json_t *record, const char *key) {
  const json_t *value = json_object_get(record, key);
  return json_is_string(value) || json_is_null(value);
}

static bool is_record(const json_t *record) {
  json_int_t rank = json_integer_value(json_object_get(record, "rank"));
  json_int_t ranks = json_integer_value(json_object_get(record, "ranks"));
  return plain_name(qualify_text(record, "host")) && rank >= 0 && rank < ranks && ranks <= 1 << 20 &&
         is_text_or_null(record, "pool") &&
         (qualify_text(record, "pool") == NULL || plain_name(qualify_text(record, "pool"))) &&
         is_text_or_null(record, "grounds") && is_text_or_null(record, "refuted") &&
         is_text_or_null(record, "unproved");
}

static void judge_host(struct qualification *it, const json_t *record) {
  const char *host = qualify_text(record, "host"), *row = qualify_text(record, "grounds"),
             *why = qualify_text(record, "unproved");
  const json_t *attestation = json_object_get(record, "attestation");
  if (qualify_text(record, "refuted") != NULL) {
    qualify_found(it, FOUND_REFUTES, "%s: %s", host, qualify_text(record, "refuted"));
  } else if (row == NULL || (strcmp(row, "proved") != 0 && strcmp(row, "attested") != 0)) {
    qualify_found(it, FOUND_LACKS, "%s: the guard has no grounds: %s, and no attestation holds", host,
                  why ? why : "mode_unknown");
  } else if (strcmp(row, "attested") == 0) {
    const char *by = qualify_text(attestation, "by");
    qualify_found(it, FOUND_UNSEEN, "%s: mode 0 is attested%s%s, not read from the NICs (%s)", host, by ? " by " : "",
                  by ? by : "", why ? why : "unknown");
  }
  if (json_is_true(json_object_get(record, "pool_mismatch"))) {
    qualify_found(it, FOUND_UNSEEN, "%s: a pool was named whose hosts do not hold it; it is in none", host);
  }
  if (json_is_true(json_object_get(record, "force_relax"))) {
    qualify_found(it, FOUND_UNSEEN, "%s: PCI_WR_ORDERING is force_relax: strict windows are not strict there", host);
  }
}

/* Each rank once, and as many as the launcher said. */
static bool all_ranks(const json_t *hosts) {
  size_t count = json_array_size(hosts);
  for (size_t i = 0; i < count; i++) {
    const json_t *record = json_array_get(hosts, i);
    if (json_integer_value(json_object_get(record, "ranks")) != (json_int_t)count) {
      return false;
    }
    for (size_t j = 0; j < i; j++) {
      if (json_equal(json_object_get(record, "rank"), json_object_get(json_array_get(hosts, j), "rank"))) {
        return false;
      }
    }
  }
  return count > 0;
}

static int is_json(const struct dirent *entry) {
  const char *end = strrchr(entry->d_name, '.');
  return entry->d_name[0] != '.' && end != NULL && strcmp(end, ".json") == 0;
}

static void take_file(struct qualification *it, const char *folder, const char *name) {
  char *path = text_format("%s/%s", folder, name);
  json_t *record = qualify_load(path);
  if (record != NULL && is_record(record)) {
    json_array_append(it->hosts, record);
  } else {
    qualify_found(it, FOUND_LACKS, "%s: no record of a host, or one with a name that no rule can hold", path);
  }
  json_decref(record);
  free(path);
}

void qualify_take_hosts(struct qualification *it) {
  struct dirent **names;
  char *folder = qualify_path(it, "hosts");
  int count = scandir(folder, &names, is_json, alphasort);
  for (int i = 0; i < count; i++) {
    take_file(it, folder, names[i]->d_name);
    free(names[i]);
  }
  if (count >= 0) {
    free(names);
  }
  for (size_t i = 0; i < json_array_size(it->hosts); i++) {
    judge_host(it, json_array_get(it->hosts, i));
  }
  if (!all_ranks(it->hosts)) {
    const json_t *first = json_array_get(it->hosts, 0);
    qualify_found(
        it, FOUND_LACKS,
        "%zu processes left a record in %s, and the launcher told of %d ranks: it must be a shared folder, and"
        " ranks must know each other",
        json_array_size(it->hosts), folder, (int)json_integer_value(json_object_get(first, "ranks")));
  }
  it->looked = json_array_size(it->hosts) > 0 && json_array_size(it->findings[FOUND_LACKS]) == 0;
  free(folder);
}
