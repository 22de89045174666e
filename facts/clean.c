#include "clean.h"

#include <stdbool.h>
#include <string.h>

/* Length of a terminal's control sequence (ECMA-48 CSI) at text, 0: none. */
static size_t csi(const char *text, size_t size) {
  if (size < 2 || text[0] != '\033' || text[1] != '[') {
    return 0;
  }
  size_t i = 2;
  while (i < size && text[i] >= 0x20 && text[i] < 0x40) {
    i++;
  }
  return i < size ? i + 1 : size;
}

/* The character a byte stands for; '\0': nothing. */
static char plain(unsigned char byte, unsigned char next, bool wide) {
  if (byte == '\n' || (byte >= 0x20 && byte < 0x7f)) {
    return (char)byte;
  }
  if ((byte >= 0x80 && byte < 0xc0) || (byte == '\r' && next == '\n') || (byte == 0 && wide)) {
    return '\0';
  }
  bool no_break_space = byte == 0xc2 && next == 0xa0;
  return byte >= 0xc0 && !no_break_space ? '?' : ' ';
}

static bool has_mark(const char *text, size_t size, const char *mark) {
  size_t length = strlen(mark);
  return size >= length && memcmp(text, mark, length) == 0;
}

size_t clean_bytes(char *text, size_t size) {
  bool wide = has_mark(text, size, "\xff\xfe") || has_mark(text, size, "\xfe\xff");
  size_t from = wide ? 2 : has_mark(text, size, "\xef\xbb\xbf") ? 3 : 0;
  size_t to = 0;
  while (from < size) {
    size_t skip = csi(text + from, size - from);
    if (skip) {
      from += skip;
      continue;
    }
    unsigned char next = from + 1 < size ? (unsigned char)text[from + 1] : '\0';
    char c = plain((unsigned char)text[from++], next, wide);
    if (c) {
      text[to++] = c;
    }
  }
  text[to] = '\0';
  return to;
}

static const char *line_end(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end : line + strlen(line);
}

static bool is_escaped(const char *line, const char *end) {
  size_t breaks = 0;
  for (const char *p = line; p + 1 < end; p++) {
    breaks += p[0] == '\\' && p[1] == 'n';
  }
  return breaks >= 3;
}

/* What a character behind a backslash stands for; '\0': nothing we know. */
static char unescape(char c) {
  switch (c) {
  case 'n': return '\n';
  case 't':
  case 'r': return ' ';
  case '"': return '"';
  default: return '\0';
  }
}

size_t clean_escapes(char *text, size_t size) {
  char *to = text;
  const char *from = text;
  while (from < text + size) {
    const char *end = line_end(from);
    bool escaped = is_escaped(from, end);
    while (from < end) {
      const char *next = from;
      while (escaped && next < end && next - from < 4 && *next == '\\') {
        next++;
      }
      char c = *from;
      if (escaped && c == '"') {
        c = '\n';
      }
      if (next > from && next < end && unescape(*next)) {
        c = unescape(*next);
        from = next;
      }
      *to++ = c;
      from++;
    }
    if (from < text + size) {
      *to++ = *from++;
    }
  }
  *to = '\0';
  return (size_t)(to - text);
}

/* Length of "NAME:" at the beginning of a line, a host's name and no label of a tool; 0: the line does not begin so. */
static size_t prefix_of(const char *line) {
  static const char label[] = "Device:";
  size_t length = strcspn(line, " \n");
  bool name = length > 1 && line[length - 1] == ':' && strcspn(line, "_/") >= length;
  return name && strncmp(line, label, sizeof label - 1) != 0 ? length : 0;
}

/* The prefix that all lines but the first (a command, perhaps) have; NULL: none, or there are but a few lines. */
static const char *common_prefix(const char *text) {
  enum { FEW = 4 };
  const char *prefix = NULL;
  size_t lines = 0;
  for (const char *line = text; *line; lines++) {
    const char *end = line_end(line);
    size_t length = prefix_of(line);
    bool same = prefix && length == prefix_of(prefix) && strncmp(prefix, line, length) == 0;
    if (prefix && !same && lines > 1) {
      return NULL;
    }
    prefix = same ? prefix : length ? line : NULL;
    if (!prefix && lines > 0) {
      return NULL;
    }
    line = *end ? end + 1 : end;
  }
  return lines > FEW ? prefix : NULL;
}

size_t clean_prefix(char *text, size_t size) {
  const char *prefix = common_prefix(text);
  char *to = text;
  if (!prefix) {
    return size;
  }
  size_t length = prefix_of(prefix);
  const char *first = prefix;
  for (const char *line = text; *line;) {
    const char *end = line_end(line);
    const char *from = line >= first ? line + length + (line[length] == ' ') : line;
    size_t keep = (size_t)(end - from) + (*end != '\0');
    line = *end ? end + 1 : end;
    memmove(to, from, keep);
    to += keep;
  }
  *to = '\0';
  return (size_t)(to - text);
}

static int hex(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

/* A soft line break ends a line of about 76 characters (RFC 2045); a shorter line that ends in `=` is a heading. */
static bool is_soft_break(const char *line, const char *at) {
  return at[0] == '=' && at[1] == '\n' && at - line >= 60 && at[-1] != '=';
}

static bool is_printable_mail(const char *text) {
  for (const char *line = text; *line;) {
    const char *end = line_end(line);
    if (end > line && is_soft_break(line, end - 1)) {
      return true;
    }
    line = *end ? end + 1 : end;
  }
  return false;
}

size_t clean_printable(char *text, size_t size) {
  if (!is_printable_mail(text)) {
    return size;
  }
  char *to = text;
  const char *line = text;
  for (const char *from = text; *from;) {
    if (is_soft_break(line, from)) {
      from += 2;
      line = from;
    } else if (from[0] == '=' && hex(from[1]) >= 2 && hex(from[1]) < 8 && hex(from[2]) >= 0) {
      *to++ = (char)(hex(from[1]) * 16 + hex(from[2]));
      from += 3;
    } else {
      line = *from == '\n' ? from + 1 : line;
      *to++ = *from++;
    }
  }
  *to = '\0';
  return (size_t)(to - text);
}

/* Columns of terminals and mail programs. */
static const size_t widths[] = {72, 76, 78, 79, 80, 100, 120, 132};

/* The width at which lines were folded, 0: they were not. No line is longer, and it is 80 or two are as long. */
static size_t folded_at(const char *text) {
  size_t width = 0, lines = 0;
  for (const char *line = text; *line;) {
    const char *end = line_end(line);
    size_t length = (size_t)(end - line);
    lines = length > width ? 1 : lines + (length == width);
    width = length > width ? length : width;
    line = *end ? end + 1 : end;
  }
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
    if (widths[i] == width && (lines > 1 || width == 80)) {
      return width;
    }
  }
  return 0;
}

/* "81:00.0", "0000:81:00.0": lspci begins a device. */
static bool begins_with_address(const char *line) {
  static const char digits[] = "0123456789abcdef";
  size_t domain = strspn(line, digits);
  line += domain >= 4 && line[domain] == ':' ? domain + 1 : 0;
  return strspn(line, digits) == 2 && line[2] == ':' && strspn(line + 3, digits) == 2 && line[5] == '.';
}

/* A line of a log begins as the one before does: with a host, a process, a time. */
static bool begins_alike(const char *line, const char *before) {
  enum { ALIKE = 5 };
  return strncmp(line, before, ALIKE) == 0 && before[0] != ' ';
}

/* A line of a table, of a mail or of a tool begins here: not the rest of a word. */
static bool begins_anew(const char *line) {
  static const char *const begins[] = {
      "Default", "Current", "Next Boot", "Device", "Name:", "Description:", "Configurations:", "-E-", "-I-", "The '"};
  for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
    if (strncmp(line, begins[i], strlen(begins[i])) == 0) {
      return true;
    }
  }
  return strchr(" \n*>#$", *line) != NULL || begins_with_address(line);
}

size_t clean_folds(char *text, size_t size) {
  size_t width = folded_at(text);
  if (!width) {
    return size;
  }
  char *to = text;
  for (const char *line = text; *line;) {
    const char *end = line_end(line);
    bool inside = (size_t)(end - line) == width && end[-1] != ' ' && end[-1] != ')';
    bool folded = inside && *end && !begins_anew(end + 1) && !begins_alike(end + 1, line);
    size_t keep = (size_t)(end - line) + (*end && !folded);
    memmove(to, line, keep);
    to += keep;
    line = *end ? end + 1 : end;
  }
  *to = '\0';
  return (size_t)(to - text);
}
