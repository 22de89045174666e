#include "report/scan.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static struct value value_of(json_t *json, char digits[24]) {
  switch (json_typeof(json)) {
  case JSON_NULL: return (struct value){.kind = KIND_NULL};
  case JSON_STRING:
    return (struct value){
        .kind = KIND_TEXT, .text = json_string_value(json), .size = (uint32_t)json_string_length(json)};
  case JSON_INTEGER:
    return (struct value){.kind = KIND_NUMBER,
                          .text = digits,
                          .size = (uint32_t)snprintf(digits, 24, "%" JSON_INTEGER_FORMAT, json_integer_value(json)),
                          .number = json_integer_value(json)};
  case JSON_TRUE: return (struct value){.kind = KIND_BOOL, .text = "true", .size = 4, .number = 1};
  case JSON_FALSE: return (struct value){.kind = KIND_BOOL, .text = "false", .size = 5};
  default: return (struct value){.kind = KIND_OTHER};
  }
}

static void set_fields(struct record *record, json_t *object, bool facts) {
  const char *name;
  json_t *json;
  json_object_foreach(object, name, json) {
    enum field field = field_named(name, strlen(name), facts);
    if (field != FIELDS) {
      (void)record_set(record, field, value_of(json, record->digits[field]));
    }
  }
}

const char *record_read_json(struct record *record, const char *line, size_t size) {
  json_t *json = json_loadb(line, size, JSON_REJECT_DUPLICATES, NULL);
  record->json = json;
  if (!json_is_object(json)) {
    return json == NULL ? "not JSON" : "not a JSON object";
  }
  set_fields(record, json, false);
  set_fields(record, json_object_get(json, "facts"), true);
  return NULL;
}

void record_done(struct record *record) {
  json_decref(record->json);
  record->json = NULL;
}
