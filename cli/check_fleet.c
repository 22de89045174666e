#include "check_hosts.h"
#include "command.h"
#include "policy/lines.h"
#include "policy/names.h"
#include "policy/text.h"
#include "values.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 16 << 20, NAME_MAX_BYTES = 253, ERRORS_SHOWN = 100 };

struct list_reader {
  struct fleet *fleet;
  const char *path;
  int line;
  size_t errors, problems;
  size_t taken; /* names so far, the repeated ones too */
  struct names seen;
  struct fleet_host columns; /* of the line */
};

static void problem(struct list_reader *reader, bool warning, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void problem(struct list_reader *reader, bool warning, const char *format, ...) {
  va_list arguments;
  reader->errors += !warning;
  if (++reader->problems > ERRORS_SHOWN) {
    return;
  }
  fprintf(stderr, "%s:%d: %s: ", reader->path, reader->line, warning ? "warning" : "error");
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

static _Noreturn void end_without_memory(void) {
  say("out of memory");
  exit(STATUS_FAILED);
}

/* Room for one more element of size bytes behind count of them. Without memory the program ends. */
static void *grown(void *array, size_t count, size_t size) {
  bool full = (count & (count - 1)) == 0; /* 0, 1, 2, 4, ...: the room was doubled at each */
  void *longer = full ? realloc(array, (count ? 2 * count : 1) * size) : array;
  if (longer == NULL) {
    end_without_memory();
  }
  return longer;
}

static const char *kept(struct fleet *fleet, const char *text) {
  fleet->texts = grown(fleet->texts, fleet->text_count, sizeof *fleet->texts);
  return fleet->texts[fleet->text_count++] = text_copy(text);
}

static bool is_name_byte(char c) {
  return is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || strchr("-._", c) != NULL;
}

static void add_host(struct list_reader *reader, const char *name) {
  struct place first, place = {.name = text_copy(name), .file = reader->path, .line = reader->line};
  struct fleet *fleet = reader->fleet;
  enum names_result result = names_add(&reader->seen, place, &first);
  if (result == NAMES_PRESENT) {
    problem(reader, true, "host '%s' stands in line %d already; that line counts", name, first.line);
  }
  if (result != NAMES_ADDED) {
    free((char *)place.name);
    if (result == NAMES_NO_MEMORY) {
      end_without_memory();
    }
    return;
  }
  fleet->hosts = grown(fleet->hosts, fleet->count, sizeof *fleet->hosts);
  struct fleet_host *host = &fleet->hosts[fleet->count++];
  *host = reader->columns;
  host->name = (char *)place.name;
  host->line = reader->line;
}

/* One range of a bracket: "7", "01-04". Returns what follows, or NULL: said. */
static const char *read_range(struct list_reader *reader, const char *text, uint64_t *low, uint64_t *high, int *width) {
  const char *end = read_digits(text, low);
  *width = end ? (int)(end - text) : 0;
  *high = *low;
  if (end != NULL && *end == '-') {
    end = read_digits(end + 1, high);
  }
  if (end == NULL || (*end != ',' && *end != ']') || *width > 9) {
    problem(reader, false, "'[%.40s': a range is like [01-04,7]", text);
    return NULL;
  }
  if (*high < *low) {
    problem(reader, false, "the range %llu-%llu runs backwards", (unsigned long long)*low, (unsigned long long)*high);
    return NULL;
  }
  return end;
}

static bool expand(struct list_reader *reader, const char *name);

/* The names for one bracket that opens behind length bytes of name; false: said. */
static bool expand_bracket(struct list_reader *reader, const char *name, size_t length) {
  const char *close = strchr(name + length, ']'), *at = name + length;
  uint64_t low, high;
  int width;
  do {
    at = read_range(reader, at + 1, &low, &high, &width);
    for (uint64_t number = low; at != NULL && number <= high; number++) {
      char *one = text_format("%.*s%0*llu%s", (int)length, name, width, (unsigned long long)number, close + 1);
      bool good = expand(reader, one);
      free(one);
      if (!good) {
        return false;
      }
    }
  } while (at != NULL && *at == ',');
  return at != NULL;
}

/* Adds what one entry of a host list stands for. False: said. */
static bool expand(struct list_reader *reader, const char *name) {
  size_t length = 0;
  while (name[length] != '\0' && is_name_byte(name[length])) {
    length++;
  }
  if (length > NAME_MAX_BYTES || *name == '\0') {
    problem(reader, false, "a name of a host has 1 to %d bytes", NAME_MAX_BYTES);
  } else if (name[length] == '[' && strchr(name + length, ']') != NULL) {
    return expand_bracket(reader, name, length);
  } else if (name[length] != '\0') {
    char byte = name[length];
    problem(reader, false, "'%.*s': no name of a host: the byte '%c' (0x%02x)", NAME_MAX_BYTES, name,
            byte > ' ' && byte < 127 ? byte : '?', (unsigned char)byte);
  } else if (++reader->taken > FLEET_MAX) {
    problem(reader, false, "more than %d names", FLEET_MAX);
  } else {
    add_host(reader, name);
    return true;
  }
  return false;
}

/* Takes the names of a line apart at the commas outside of brackets. */
static void take_names(struct list_reader *reader, char *names) {
  char *start = names;
  bool inside = false;
  for (char *c = names;; c++) {
    inside = *c == '[' || (inside && *c != ']');
    if (*c != '\0' && (*c != ',' || inside)) {
      continue;
    }
    bool last = *c == '\0';
    *c = '\0';
    if (!expand(reader, start) || last) {
      return;
    }
    start = c + 1;
  }
}

typedef bool column_taker(struct list_reader *reader, const char *value);

static bool take_mode(struct list_reader *reader, const char *value) {
  reader->columns.mode = MODE_UNKNOWN;
  for (int mode = 0; mode <= MODE_MAX; mode++) {
    if (strcmp(value, mode_text(mode)) == 0) {
      reader->columns.mode = mode;
    }
  }
  reader->columns.mode_given = true;
  return reader->columns.mode != MODE_UNKNOWN || strcmp(value, "unknown") == 0;
}

static bool take_nic_type(struct list_reader *reader, const char *value) {
  reader->columns.nic_type = kept(reader->fleet, value);
  return strlen(value) < NIC_TYPES_MAX;
}

/* Keys of a line; where offset is set, the text itself is kept. */
static const struct column {
  char name[16];
  column_taker *take;
  size_t offset;
} columns[] = {{"pool", NULL, offsetof(struct fleet_host, pool)},
               {"pci-atomic-mode", take_mode, 0},
               {"hypervisor", NULL, offsetof(struct fleet_host, hypervisor)},
               {"gpu", NULL, offsetof(struct fleet_host, gpu)},
               {"nic-type", take_nic_type, 0},
               {"path", NULL, offsetof(struct fleet_host, path)}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const struct column *find_column(const char *name) {
  for (size_t i = 0; i < COLUMNS; i++) {
    if (strcmp(columns[i].name, name) == 0) {
      return &columns[i];
    }
  }
  return NULL;
}

/* Takes one KEY=VALUE, which is changed. */
static void take_column(struct list_reader *reader, char *word) {
  char *value = strchr(word, '=');
  if (value == NULL || value[1] == '\0') {
    problem(reader, false, "'%s': behind the names stand KEY=VALUE; one line for each host, or a comma list", word);
    return;
  }
  *value++ = '\0';
  const struct column *column = find_column(word);
  if (column == NULL) {
    const char *near = nearest(word, columns, COLUMNS, sizeof columns[0]);
    problem(reader, false, "unknown key '%s'%s%s%s", word, near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : ": there are pool, pci-atomic-mode, hypervisor, gpu, nic-type and path");
  } else if (column->take == NULL) {
    *(const char **)((char *)&reader->columns + column->offset) = kept(reader->fleet, value);
  } else if (!column->take(reader, value)) {
    problem(reader, false, "'%s' is no value of %s", value, word);
  }
}

/* Takes one line, which is changed. */
static void take_line(struct list_reader *reader, char *text) {
  char *rest = NULL;
  reader->columns = (struct fleet_host){.mode = MODE_UNKNOWN};
  text[strcspn(text, "#")] = '\0';
  char *names = strtok_r(text, " \t\r\v\f", &rest), *word;
  if (names == NULL) {
    return;
  }
  size_t errors = reader->errors;
  while ((word = strtok_r(NULL, " \t\r\v\f", &rest)) != NULL) {
    take_column(reader, word);
  }
  if (reader->errors == errors) {
    take_names(reader, names);
  }
}

/* What a terminal would act upon, in a line that messages quote; a NUL stands at end. NULL: nothing. */
static const char *find_control(const char *text, const char *end) {
  while (text < end && (is_blank(*text) || !text_is_control((const unsigned char *)text))) {
    text++;
  }
  return text < end ? text : NULL;
}

static void take_text(struct list_reader *reader, char *text, size_t size) {
  char *end = text + size;
  static const char mark[] = "\xef\xbb\xbf";
  text += size >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  while (text < end) {
    char *newline = memchr(text, '\n', (size_t)(end - text)), *next = newline ? newline + 1 : end;
    reader->line++;
    if (newline != NULL) {
      *newline = '\0';
    }
    const char *control = find_control(text, newline ? newline : end);
    if (control != NULL) {
      problem(reader, false, "control character 0x%02x", (unsigned char)*control);
    } else {
      take_line(reader, text);
    }
    text = next;
  }
}

/* Standard input as file_slurp reads a file. */
static const char *slurp_input(char **text, size_t *size) {
  *text = malloc(FILE_MAX + 1);
  if (*text == NULL) {
    return "out of memory";
  }
  *size = fread(*text, 1, FILE_MAX + 1, stdin);
  if (*size > FILE_MAX || ferror(stdin)) {
    free(*text);
    return ferror(stdin) ? "cannot be read" : "is too large";
  }
  (*text)[*size] = '\0';
  return NULL;
}

bool fleet_read(const char *path, struct fleet *fleet) {
  struct list_reader reader = {.fleet = fleet, .path = path};
  char *text;
  size_t size;
  *fleet = (struct fleet){0};
  const char *obstacle = strcmp(path, "-") == 0 ? slurp_input(&text, &size) : file_slurp(path, FILE_MAX, &text, &size);
  if (obstacle != NULL) {
    fprintf(stderr, "%s: error: %s\n", path, obstacle);
    return false;
  }
  take_text(&reader, text, size);
  free(text);
  names_free(&reader.seen);
  if (reader.problems > ERRORS_SHOWN) {
    fprintf(stderr, "%s: %zu more problems\n", path, reader.problems - ERRORS_SHOWN);
  }
  if (fleet->count == 0 && reader.errors == 0) {
    fprintf(stderr, "%s: error: no host in it\n", path);
  }
  return reader.errors == 0 && fleet->count > 0;
}

void fleet_free(struct fleet *fleet) {
  for (size_t i = 0; i < fleet->count; i++) {
    free(fleet->hosts[i].name);
  }
  for (size_t i = 0; i < fleet->text_count; i++) {
    free(fleet->texts[i]);
  }
  free(fleet->hosts);
  free(fleet->texts);
}
