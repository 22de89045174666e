#include "policy/glob.h"

#include "policy/policy.h"
#include "policy/text.h"

#include <string.h>

enum { TOKENS_MAX = 200, LABEL_MAX = 256 };

/* Behind the `]` of the set that opens at pattern; NULL: it has none. A `]` in first place stands for itself. */
static const char *set_end(const char *pattern) {
  const char *p = pattern + 1;
  if (*p == '!')
    p++;
  if (*p == ']')
    p++;
  p = strchr(p, ']');
  return p ? p + 1 : NULL;
}

static bool in_set(const char *pattern, const char *end, unsigned char c) {
  const char *p = pattern + 1;
  const char *last = end - 1;
  bool negated = *p == '!';
  bool found = false;
  for (p += negated; p < last; p++) {
    unsigned char low = (unsigned char)*p, high = low;
    if (p + 2 < last && p[1] == '-') {
      high = (unsigned char)p[2];
      p += 2;
    }
    found |= c >= low && c <= high;
  }
  return found != negated;
}

/* Matches one token (not `*`) against one byte; the rest of the pattern, or NULL. An unclosed `[` stands for itself. */
static const char *match_one(const char *pattern, char c) {
  if (*pattern == '[') {
    const char *end = set_end(pattern);
    if (end)
      return in_set(pattern, end, (unsigned char)c) ? end : NULL;
  }
  return *pattern == '?' || *pattern == c ? pattern + 1 : NULL;
}

/* Where the text behind a `*` can next go on with the pattern: literals are searched, not tried. */
static const char *candidate(const char *pattern, const char *text) {
  if (*pattern == '?' || *pattern == '[')
    return text;
  return strchr(text, *pattern);
}

static bool is_special(char c) { return c == '*' || c == '?' || c == '['; }

static bool match_wild(const char *pattern, const char *text) {
  const char *after_star = NULL, *retry = NULL;
  for (;;) {
    if (*pattern == '*') {
      while (*pattern == '*')
        pattern++;
      if (!*pattern)
        return true;
      after_star = pattern;
      retry = text;
    } else {
      const char *next = *text ? match_one(pattern, *text) : NULL;
      if (next && *pattern) {
        pattern = next;
        text++;
        continue;
      }
      if (!*pattern && !*text)
        return true;
      if (!after_star || !*retry)
        return false;
      retry++;
    }
    text = retry = candidate(after_star, retry);
    pattern = after_star;
    if (!text)
      return false;
  }
}

/* Most patterns fail in their literal beginning. */
static inline bool match(const char *pattern, const char *text) {
  while (*pattern && *pattern == *text && !is_special(*pattern))
    pattern++, text++;
  return is_special(*pattern) ? match_wild(pattern, text) : *pattern == *text;
}

bool glob_match(const char *pattern, const char *text) { return match(pattern, text); }

bool globs_match(const struct globs *globs, const char *text) {
  for (size_t i = 0; i < globs->count; i++)
    if (match(globs->items[i], text))
      return true;
  return globs->count == 0;
}

/* Whether the pattern matches what stands before the first dot of a host's name. */
static bool matches_label(const char *pattern, const char *host) {
  char label[LABEL_MAX];
  size_t length = strcspn(host, ".");
  if (!host[length] || length >= LABEL_MAX)
    return false;
  memcpy(label, host, length);
  label[length] = '\0';
  return glob_match(pattern, label);
}

bool globs_match_host(const struct globs *globs, const char *host) {
  for (size_t i = 0; i < globs->count; i++) {
    const char *pattern = globs->items[i];
    if (match(pattern, host))
      return true;
    if ((*pattern == *host || is_special(*pattern)) && matches_label(pattern, host))
      return true;
  }
  return globs->count == 0;
}

bool globs_match_list(const struct globs *globs, const char *list) {
  char item[256]; /* a line of a facts file holds less */
  while (next_item(&list, item, sizeof item))
    if (!*item || !globs_match(globs, item))
      return false;
  return true;
}

bool glob_is_pattern(const char *text) { return text[strcspn(text, "*?[")] != '\0'; }

bool glob_is_closed(const char *pattern) {
  while ((pattern = strchr(pattern, '[')))
    if (!(pattern = set_end(pattern)))
      return false;
  return true;
}

/* One token of a pattern: `*`, or the bytes it takes. */
struct token {
  bool star;
  uint64_t bytes[4];
};

static size_t tokenize(const char *pattern, struct token tokens[TOKENS_MAX]) {
  size_t count = 0;
  while (*pattern && count < TOKENS_MAX) {
    struct token *token = &tokens[count++];
    *token = (struct token){.star = *pattern == '*'};
    const char *next = pattern + 1;
    for (int c = 1; !token->star && c < 256; c++) {
      const char *end = match_one(pattern, (char)c);
      if (!end)
        continue;
      token->bytes[c / 64] |= 1ULL << (c % 64);
      next = end;
    }
    /* A set that takes nothing still ends at its `]`. */
    if (*pattern == '[' && set_end(pattern))
      next = set_end(pattern);
    pattern = next;
  }
  return count;
}

static bool tokens_meet(const struct token *a, const struct token *b) {
  for (int i = 0; i < 4; i++)
    if (a->bytes[i] & b->bytes[i])
      return true;
  return false;
}

/* reach[j]: some text is matched by the first i tokens of a and the first j of b. */
static void advance(bool *reach, const struct token *a, const struct token *b, size_t count) {
  bool diagonal = reach[0];
  reach[0] = reach[0] && a->star;
  for (size_t j = 1; j <= count; j++) {
    bool above = reach[j];
    if (a->star || b[j - 1].star)
      reach[j] = above || reach[j - 1];
    else
      reach[j] = diagonal && tokens_meet(a, &b[j - 1]);
    diagonal = above;
  }
}

bool globs_overlap(const char *a, const char *b) {
  size_t plain = strcspn(a, "*?["), plain_b = strcspn(b, "*?[");
  if (plain_b < plain)
    plain = plain_b;
  if (memcmp(a, b, plain) != 0)
    return false;
  struct token left[TOKENS_MAX], right[TOKENS_MAX];
  size_t rows = tokenize(a, left), count = tokenize(b, right);
  bool reach[TOKENS_MAX + 1] = {true};
  for (size_t j = 1; j <= count; j++)
    reach[j] = reach[j - 1] && right[j - 1].star;
  for (size_t i = 0; i < rows; i++)
    advance(reach, &left[i], right, count);
  return reach[count];
}
