#include "report/print.h"

#include "report/memory.h"

#include <stdlib.h>
#include <string.h>

size_t utf8_length(const char *text, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *bytes = (const unsigned char *)text;
  const size_t length = bytes[0] < 0x80 ? 1 : bytes[0] < 0xc2 ? 0 : bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : 4;
  if (length == 0 || bytes[0] > 0xf4 || bytes[0] == 0) {
    return 0;
  }
  *code = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) {
    if ((bytes[i] & 0xc0) != 0x80) {
      return 0;
    }
    *code = *code << 6 | (bytes[i] & 0x3f);
  }
  const bool good = *code >= least[length] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff);
  return good ? length : 0;
}

bool is_shown(uint32_t code) {
  /* C0, DEL, C1; soft hyphen; Arabic letter mark; marks, separators, embeddings; isolates; byte order mark; tags. */
  static const uint32_t hidden[][2] = {{0, 0x1f},        {0x7f, 0x9f},      {0xad, 0xad},     {0x61c, 0x61c},
                                       {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
                                       {0xfff0, 0xfffb}, {0xe0000, 0xe0fff}};
  for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
    if (code >= hidden[i][0] && code <= hidden[i][1]) {
      return false;
    }
  }
  return true;
}

char *printable(const char *text) {
  char *shown = memory_sized(NULL, strlen(text) * 4 + 1, 1), *to = shown;
  uint32_t code;
  while (*text != '\0') {
    size_t length = utf8_length(text, &code);
    const bool plain = length > 0 && is_shown(code);
    for (length = length ? length : 1; length > 0; length--, text++) {
      if (plain) {
        *to++ = *text;
      } else {
        to += sprintf(to, "\\x%02x", (unsigned char)*text);
      }
    }
  }
  *to = '\0';
  return shown;
}

static size_t characters(const char *text) {
  size_t count = 0;
  for (; *text != '\0'; text++) {
    count += ((unsigned char)*text & 0xc0) != 0x80;
  }
  return count;
}

void print_text(FILE *file, const char *text, size_t columns) {
  char *shown = printable(text), *at = shown;
  const bool cut = columns > 3 && characters(shown) > columns;
  for (size_t left = columns - 3; cut && left > 0; left--) {
    do {
      at++;
    } while (((unsigned char)*at & 0xc0) == 0x80);
  }
  if (cut) {
    *at = '\0';
  }
  fprintf(file, cut ? "%s..." : "%s", shown);
  free(shown);
}

void print_html(FILE *file, const char *text) {
  static const char *const entities[128] = {
      ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
  uint32_t code;
  while (*text != '\0') {
    const size_t length = utf8_length(text, &code);
    if (length == 0 || !is_shown(code)) {
      fputs("\xef\xbf\xbd", file);
    } else if (length == 1 && entities[code] != NULL) {
      fputs(entities[code], file);
    } else {
      fwrite(text, 1, length, file);
    }
    text += length ? length : 1;
  }
}

void print_csv(FILE *file, const char *text) {
  const bool formula = *text != '\0' && strchr("=+-@\t\r", *text) != NULL;
  if (!formula && strpbrk(text, ",\"\r\n ") == NULL) {
    fputs(text, file);
    return;
  }
  fputs(formula ? "\"'" : "\"", file);
  for (; *text != '\0'; text++) {
    fputs(*text == '"' ? "\"\"" : (char[2]){*text}, file);
  }
  fputc('"', file);
}
