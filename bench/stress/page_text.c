#include <inttypes.h>
#include <string.h>

#include "bench/stress/page.h"

/* How many bytes of UTF-8 stand here, 1 to 4; 0: none, or a character that XML does not have. */
static unsigned utf8_length(const unsigned char *text) {
  if (*text < 0x80)
    return *text >= ' ' || *text == '\t' || *text == '\n';
  const unsigned length = *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2;
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned code = *text & (0x7fU >> length);
  for (unsigned i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (text[i] & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool good = *text >= 0xc2 && *text <= 0xf4 && code >= least[length] && code <= 0x10ffff && !surrogate;
  return good && (code & 0xfffe) != 0xfffe ? length : 0;
}

static const char *escape_of(char sign) {
  switch (sign) {
  case '&': return "&amp;";
  case '<': return "&lt;";
  case '>': return "&gt;";
  case '"': return "&quot;";
  case '\'': return "&#39;";
  default: return NULL;
  }
}

static void page_run(FILE *out, const char *text, const char *end) {
  while (text < end) {
    const unsigned length = utf8_length((const unsigned char *)text);
    const char *escape = escape_of(*text);
    if (escape)
      fputs(escape, out);
    else if (length)
      fwrite(text, 1, length, out);
    else
      fputs("\xef\xbf\xbd", out);
    text += length ? length : 1;
  }
}

void page_text(FILE *out, const char *text) { page_run(out, text, text + strlen(text)); }

void page_shell_word(FILE *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  const bool quoted = !*word || word[strspn(word, plain)];
  const char *next;
  if (quoted)
    page_text(out, "'");
  for (; (next = strchr(word, '\'')); word = next + 1) {
    page_run(out, word, next);
    page_text(out, "'\\''");
  }
  page_text(out, word);
  if (quoted)
    page_text(out, "'");
}

const char *count_text(uint64_t count, char text[NUMBER_SIZE]) {
  char digits[NUMBER_SIZE];
  const int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
  unsigned at = 0;
  for (int i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0)
      text[at++] = ',';
    text[at++] = digits[i];
  }
  text[at] = '\0';
  return text;
}

/* Three digits at least; names[i] stands for the power i of 1000. */
static const char *scaled_text(double value, const char *const *names, unsigned last, char text[NUMBER_SIZE]) {
  unsigned i = 0;
  for (; value >= 999.5 && i < last; i++)
    value /= 1000;
  snprintf(text, NUMBER_SIZE, "%.*f%s", i == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, names[i]);
  return text;
}

const char *short_count_text(uint64_t count, char text[NUMBER_SIZE]) {
  static const char *const names[] = {"", "k", "M", "G", "T"};
  return scaled_text((double)count, names, 4, text);
}

const char *duration_text(uint64_t ns, char text[NUMBER_SIZE]) {
  static const char *const names[] = {" ns", " µs", " ms", " s"};
  return scaled_text((double)ns, names, 3, text);
}

const char *bytes_text(size_t bytes, char text[NUMBER_SIZE]) {
  char number[NUMBER_SIZE];
  const unsigned power = bytes % (1 << 20) == 0 ? 20 : bytes % (1 << 10) == 0 ? 10 : 0;
  snprintf(text, NUMBER_SIZE, "%.20s %s", count_text(bytes >> power, number),
           power == 20 ? "MiB"
           : power     ? "KiB"
                       : "B");
  return text;
}

const char *asked_text(const struct row *row) { return row->flags & WINDOW_STRICT ? "strict" : "default"; }

bool row_is_violation(const struct row *row) { return row_verdict(row) == VERDICT_VIOLATION; }
