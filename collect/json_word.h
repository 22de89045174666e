#ifndef WINORD_JSON_WORD_H
#define WINORD_JSON_WORD_H

#include <jansson.h>

/* A JSON string, a new reference; null for NULL and for bytes that are no UTF-8. */
static inline json_t *json_word(const char *text) {
  json_t *value = text ? json_string(text) : NULL;
  return value ? value : json_null();
}

#endif
