/* One journal record under construction: a JSON object on one line. No allocation, no stdio, no locale. */
#ifndef WINORD_JSON_H
#define WINORD_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strings are cut at JSON_STRING bytes (with "..." at the end), so that every record of ours fits. */
enum { JSON_SIZE = 16384, JSON_STRING = 1024 };

struct json {
  char text[JSON_SIZE];
  size_t length;
  bool full; /* something did not fit */
  bool first; /* no comma yet in this object */
};

void json_open(struct json *json, const char *key); /* key NULL: the record itself, or an element of an array */
void json_close(struct json *json);
void json_open_array(struct json *json, const char *key);
void json_close_array(struct json *json);
void json_string(struct json *json, const char *key,
                 const char *value); /* NULL: null; bytes that are no UTF-8: U+FFFD */
void json_place(struct json *json, const char *key, const char *file,
                int line); /* "file:line"; line 0: the file alone */
void json_number(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* value, or null when it is negative: our way of saying "not known". */
void json_known(struct json *json, const char *key, int64_t value);

/* Writes value in decimal at `at`, returns the end. Not terminated; at most 20 bytes. */
char *put_decimal(char *at, uint64_t value);

#endif
