#include "query.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char source[] = "mlxconfig JSON";

static void read_value(enum parameter parameter, const json_t *value, struct answer *answer) {
  char text[NAME_SIZE];
  if (json_is_integer(value)) {
    snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
  } else {
    snprintf(text, sizeof text, "%s", json_is_string(value) ? json_string_value(value) : "");
  }
  read_cell(parameter, (struct word){text, strlen(text)}, answer);
}

static void read_parameter(enum parameter parameter, const json_t *values, struct query *query) {
  static const char *const keys[COLUMNS] = {"default_value", "current_value", "next_value"};
  bool enumerated = json_object_get(values, keys[DEFAULT_VALUE]) || json_object_get(values, keys[CURRENT_VALUE]);
  query->row[parameter] = true;
  for (size_t i = 0; i < COLUMNS; i++) {
    struct answer *answer = &query->answers[parameter][i];
    const json_t *value = json_object_get(values, keys[i]);
    if (value) {
      read_value(parameter, value, answer);
    } else {
      answer->hidden = i != NEXT_VALUE;
      set_reason(answer, i == NEXT_VALUE ? "no next_value"
                         : enumerated    ? "firmware cannot report it"
                                         : "plain q shows next boot only");
    }
  }
}

static void copy_member(const json_t *device, const char *key, char *to, size_t size) {
  const char *value = json_string_value(json_object_get(device, key));
  struct word word = {value, value ? strcspn(value, " ") : 0};
  if (value) {
    word_copy(to, size, word);
  }
}

static bool read_device(const json_t *device, struct queries *queries) {
  static const char *const names[PARAMETERS] = {"PCI_ATOMIC_MODE", "PCI_WR_ORDERING"};
  const json_t *table = json_object_get(device, "tlv_configuration");
  struct query query = {.source = source};
  if (!json_is_object(table)) {
    return true;
  }
  copy_member(device, "device", query.device, sizeof query.device);
  copy_member(device, "device_type", query.type, sizeof query.type);
  bool others = json_object_size(table) > 0;
  for (size_t i = 0; i < PARAMETERS; i++) {
    others = others && !json_object_get(table, names[i]);
  }
  for (size_t i = 0; i < PARAMETERS; i++) {
    const json_t *values = json_object_get(table, names[i]);
    if (json_is_object(values)) {
      read_parameter(i, values, &query);
    } else {
      set_reasons(query.answers[i], others && json_object_size(table) == 1 ? "parameter not asked for" : "no row");
    }
  }
  set_alarm(&query);
  return add_query(queries, &query);
}

static bool read_object(json_t *object, struct queries *queries) {
  const char *key;
  json_t *device;
  json_object_foreach(object, key, device) {
    if (!read_device(device, queries)) {
      return false;
    }
  }
  return true;
}

/* The capture as jansson reads it: lines from here on, a blank for each line end: wrapped strings are whole again. */
struct feed {
  const struct capture *capture;
  size_t line, at;
};

static size_t feed_more(void *buffer, size_t size, void *data) {
  struct feed *feed = data;
  char *to = buffer;
  size_t count = 0;
  while (count < size && feed->line < feed->capture->count) {
    char c = feed->capture->lines[feed->line][feed->at++];
    if (c == '\0') {
      feed->line++;
      feed->at = 0;
      c = ' ';
    }
    to[count++] = c;
  }
  return count;
}

/* Objects that are no JSON are left alone, and not more than some are tried. */
bool read_mlxconfig_json(const struct capture *capture, struct queries *queries) {
  const size_t flags = JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES;
  bool ok = true;
  size_t failures = 0;
  for (size_t i = 0; ok && i < capture->count && failures < 32; i++) {
    if (capture->lines[i][0] != '{') {
      continue;
    }
    struct feed feed = {capture, i, 0};
    json_error_t error;
    json_t *object = json_load_callback(feed_more, &feed, flags, &error);
    failures += object == NULL;
    ok = read_object(object, queries);
    json_decref(object);
  }
  return ok;
}
