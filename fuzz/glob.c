/* Globs: two patterns and a text, a line each; against matching by recursion, which takes its time: for short ones only. */
#include "policy/glob.h"
#include "fuzz/fuzz.h"
#include "policy/policy.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH = 12, LINE = 199 };

/* Whether c is in the set that opens at pattern; *end is behind its `]`, or the pattern itself when there is none. */
static bool set_holds(const char *pattern, unsigned char c, const char **end) {
  const char *p = pattern + 1;
  bool negated = *p == '!', holds = false;
  p += negated;
  for (bool first = true; first || *p != ']'; first = false) {
    if (*p == '\0') {
      *end = pattern;
      return false;
    }
    unsigned char low = (unsigned char)*p++, high = low;
    if (p[0] == '-' && p[1] != ']' && p[1] != '\0') {
      high = (unsigned char)p[1];
      p += 2;
    }
    holds |= low <= c && c <= high;
  }
  *end = p + 1;
  return holds != negated;
}

static bool matches(const char *pattern, const char *text) {
  const char *end = pattern;
  if (*pattern == '\0') {
    return *text == '\0';
  }
  if (*pattern == '*') {
    return matches(pattern + 1, text) || (*text != '\0' && matches(pattern, text + 1));
  }
  if (*text == '\0') {
    return false;
  }
  bool holds = *pattern == '[' && set_holds(pattern, (unsigned char)*text, &end);
  if (end != pattern) {
    return holds && matches(end, text + 1);
  }
  return (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *a = text_of(data, size), *b = cut_line(a), *text = cut_line(b);
  cut_line(text);
  bool long_a = strlen(a) > LINE, long_b = strlen(b) > LINE;
  bool first = glob_match(a, text), second = glob_match(b, text);
  if (strlen(a) <= LENGTH && strlen(text) <= LENGTH) {
    check(first == matches(a, text), "a glob matches as by recursion");
  }
  if (!long_a && !long_b) {
    bool meet = globs_overlap(a, b);
    check(meet == globs_overlap(b, a), "overlap is symmetric");
    check(meet || !first || !second, "patterns that match one text overlap");
    check(glob_is_pattern(a) || (strcmp(a, text) == 0) == first, "plain text matches itself alone");
  }
  free(a);
  return 0;
}
