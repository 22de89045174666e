#include "check_hosts.h"
#include "command.h"
#include "policy/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 9 };

/* A name around its number: prefix, digits, suffix. No digits: all of it is prefix. */
struct parts {
  const char *name;
  size_t prefix, digits; /* lengths */
  size_t number;
};

static struct parts take_apart(const char *name) {
  size_t end = strcspn(name, "."), length = end;
  while (end > 0 && !is_digit(name[end - 1])) {
    end--;
  }
  size_t start = end;
  while (start > 0 && is_digit(name[start - 1])) {
    start--;
  }
  if (end == start || end - start > DIGITS_MAX) {
    return (struct parts){.name = name, .prefix = length};
  }
  return (struct parts){name, start, end - start, strtoul(name + start, NULL, 10)};
}

static const char *suffix(const struct parts *parts) { return parts->name + parts->prefix + parts->digits; }

/* Whether the two differ in their numbers alone: 0; else an order. */
static int order_of_rest(const struct parts *a, const struct parts *b) {
  size_t shorter = a->prefix < b->prefix ? a->prefix : b->prefix;
  int order = memcmp(a->name, b->name, shorter);
  if (order == 0) {
    order = (a->prefix > b->prefix) - (a->prefix < b->prefix);
  }
  if (order == 0) {
    order = (a->digits > 0) - (b->digits > 0);
  }
  return order ? order : strcmp(suffix(a), suffix(b));
}

static int in_order(const void *a, const void *b) {
  const struct parts *x = a, *y = b;
  int order = order_of_rest(x, y);
  if (order == 0) {
    order = (x->digits > y->digits) - (x->digits < y->digits);
  }
  return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Digits that a number takes when it is printed at least that wide. */
static size_t printed_width(size_t number, size_t width) {
  size_t digits = (size_t)snprintf(NULL, 0, "%zu", number);
  return digits > width ? digits : width;
}

/* How many from here on count up by one, written as a range of the first one's width is expanded. */
static size_t run_length(const struct parts *parts, size_t left) {
  size_t length = 1;
  while (length < left && parts[length].number == parts[0].number + length &&
         parts[length].digits == printed_width(parts[length].number, parts[0].digits)) {
    length++;
  }
  return length;
}

static void print_run(FILE *out, const struct parts *parts, size_t length) {
  int width = (int)parts->digits;
  fprintf(out, "%0*zu", width, parts->number);
  if (length > 1) {
    fprintf(out, "-%0*zu", width, parts->number + length - 1);
  }
}

/* Prints names that differ in their numbers alone. */
static void print_alike(FILE *out, const struct parts *parts, size_t count) {
  const char *open = count > 1 ? "[" : "", *close = count > 1 ? "]" : "";
  fprintf(out, "%.*s", (int)parts->prefix, parts->name);
  for (size_t i = 0, length; parts->digits > 0 && i < count; i += length) {
    length = run_length(parts + i, count - i);
    fputs(i ? "," : open, out);
    print_run(out, parts + i, length);
  }
  fprintf(out, "%s%s", parts->digits ? close : "", suffix(parts));
}

char *fold_names(const char **names, size_t count) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  struct parts *parts = calloc(count + 1, sizeof *parts);
  if (out == NULL || parts == NULL) {
    say("out of memory");
    exit(STATUS_FAILED);
  }
  for (size_t i = 0; i < count; i++) {
    parts[i] = take_apart(names[i]);
  }
  qsort(parts, count, sizeof *parts, in_order);
  for (size_t i = 0, end; i < count; i = end) {
    end = i + 1;
    while (end < count && order_of_rest(&parts[i], &parts[end]) == 0) {
      end++;
    }
    fputs(i ? "," : "", out);
    print_alike(out, parts + i, end - i);
  }
  for (size_t i = 0; i < count; i++) {
    names[i] = parts[i].name;
  }
  free(parts);
  fclose(out);
  return text;
}
