#include "command.h"

#include <stdlib.h>
#include <string.h>

static const char plain_query[] = "plain q shows next boot only";

/* The header of a table, column by column. */
struct header {
  bool seen; /* and understood */
  enum column columns[MOST_COLUMNS];
  size_t count;
  bool has[MOST_COLUMNS];
};

/* One device's output, from its first line to the next device, command or heading. */
struct block {
  bool open;
  bool silent; /* a query was started and nothing of its output is seen yet */
  struct header header;
  bool closed; /* behind the table's last row */
  bool applied; /* a set dialog was answered with yes */
  bool no_columns; /* the firmware cannot report Default and Current */
  size_t rows;
  const char *gap; /* rows were left out: how */
  char failure[112]; /* reason an error gives for everything; "" is none */
  bool refused, unknown_to_tool; /* an error that names a parameter: which */
  enum parameter named;
};

struct reading {
  const struct capture *capture;
  struct queries *queries;
  struct command command;
  const char *hint; /* what the system said before the tool gave up */
  size_t changes;
  struct block block;
  struct query query;
};

/* Columns of the header's words. Before mstflint 4.6 the next boot's column was called Current. */
static bool read_header(const char *words, struct header *header) {
  static const char *const names[MOST_COLUMNS] = {"Default", "Current", "Next", "New"};
  struct word word;
  while (next_word(&words, &word)) {
    enum column column = DEFAULT_VALUE;
    while (column < MOST_COLUMNS && !word_is(word, names[column])) {
      column++;
    }
    if (word_is(word, "Boot") && header->count > 0 && header->columns[header->count - 1] == NEXT_VALUE) {
      continue;
    }
    if (column == MOST_COLUMNS || header->has[column]) {
      return false;
    }
    header->has[column] = true;
    header->columns[header->count++] = column;
  }
  return true;
}

static void rename_old_column(struct header *header) {
  if (!header->has[CURRENT_VALUE] || header->has[NEXT_VALUE] || header->has[NEW_VALUE]) {
    return;
  }
  for (size_t i = 0; i < header->count; i++) {
    if (header->columns[i] == CURRENT_VALUE) {
      header->columns[i] = NEXT_VALUE;
    }
  }
  header->has[CURRENT_VALUE] = false;
  header->has[NEXT_VALUE] = true;
}

/* The header, with the rest of it that a narrow terminal put on the next line. */
static void start_table(struct reading *reading, size_t line, const char *words) {
  struct header *header = &reading->block.header;
  const struct capture *capture = reading->capture;
  struct header more;
  header->seen = read_header(words, header);
  more = *header;
  size_t next = line + 1;
  if (header->seen && next < capture->count && read_header(capture->lines[next], &more)) {
    *header = more;
  }
  header->seen = header->seen && header->count > 0;
  rename_old_column(header);
}

/* Why a column that the table lacks is unknown. */
static const char *hidden_column(const struct reading *reading) {
  const struct header *header = &reading->block.header;
  if (header->has[NEW_VALUE]) {
    return header->has[NEXT_VALUE] ? plain_query : "no Next Boot column in a set dialog";
  }
  bool asked = reading->command.enumerates || header->has[DEFAULT_VALUE] || header->has[CURRENT_VALUE];
  return reading->block.no_columns || asked ? "firmware cannot report it" : plain_query;
}

static void finish_row(struct reading *reading, struct answer answers[COLUMNS]) {
  const struct header *header = &reading->block.header;
  if (!header->seen) {
    return;
  }
  for (size_t i = 0; i < COLUMNS; i++) {
    bool dialog_only = header->has[NEW_VALUE] && !header->has[NEXT_VALUE];
    if (!header->has[i] || dialog_only) {
      set_reason(&answers[i], hidden_column(reading));
      answers[i].hidden = true;
    }
  }
  if (reading->block.applied) {
    set_reason(&answers[NEXT_VALUE], "changed by this set, not queried since");
  }
}

static bool is_mlx4(const struct query *query) {
  return text_begins(query->type, "ConnectX3") || text_begins(query->type, "ConnectX2") ||
         text_begins(query->type, "ConnectX-3") || text_begins(query->type, "ConnectX-2");
}

static bool asked_for_others(const struct reading *reading, enum parameter parameter) {
  const struct command *command = &reading->command;
  const struct block *block = &reading->block;
  bool alone = block->rows == 1 && !reading->query.row[ATOMIC_MODE] && !reading->query.row[WR_ORDERING];
  bool one_row = alone && block->header.seen && !command->piped && reading->query.device[0];
  return (command->names && !command->asked[parameter]) || one_row;
}

/* The reason an error gives for a parameter without a row, or NULL. */
static const char *failure_of(const struct reading *reading, enum parameter parameter) {
  static const char refusal[] = "device doesn't support the parameter";
  const struct block *block = &reading->block;
  if (block->refused) {
    /* A query that was refused before its table began says nothing of the mode either. */
    bool whole = block->named == PARAMETERS && !block->header.seen && parameter == ATOMIC_MODE;
    const char *other = reading->command.asked[parameter] ? "no row" : "parameter not asked for";
    return block->named == parameter || whole ? refusal : other;
  }
  if (block->unknown_to_tool) {
    return block->named == parameter ? "the tool does not know the parameter" : "no row";
  }
  return block->failure[0] && block->rows == 0 ? block->failure : NULL;
}

static const char *missing_row(const struct reading *reading, enum parameter parameter) {
  const char *failure = failure_of(reading, parameter);
  if (failure) {
    return failure;
  }
  if (reading->block.header.has[NEW_VALUE]) {
    return "no row";
  }
  if (asked_for_others(reading, parameter)) {
    return "parameter not asked for";
  }
  if (reading->block.gap) {
    return reading->block.gap;
  }
  return is_mlx4(&reading->query) && reading->block.rows > 0 ? "no row (mlx4 card)" : "no row";
}

static void finish_parameter(struct reading *reading, enum parameter parameter) {
  struct answer *answers = reading->query.answers[parameter];
  if (reading->query.row[parameter]) {
    finish_row(reading, answers);
    return;
  }
  const char *reason = missing_row(reading, parameter);
  set_reasons(answers, reason);
  bool only_next = reading->block.header.has[NEXT_VALUE] && reading->block.header.count == 1;
  if (reason == reading->block.gap && only_next && !reading->command.enumerates) {
    set_reason(&answers[DEFAULT_VALUE], plain_query);
    set_reason(&answers[CURRENT_VALUE], plain_query);
  }
}

/* Ends the block and keeps what it said. */
static bool finish(struct reading *reading) {
  struct block *block = &reading->block;
  struct query *query = &reading->query;
  bool told = query->device[0] || query->type[0] || block->header.count > 0 || query->row[ATOMIC_MODE] ||
              query->row[WR_ORDERING] || query->failed || block->silent;
  bool ok = true;
  if (block->open && told) {
    for (size_t i = 0; i < PARAMETERS; i++) {
      finish_parameter(reading, i);
    }
    query->source = "mlxconfig text";
    query->changes = reading->changes;
    set_alarm(query);
    ok = add_query(reading->queries, query);
  }
  reading->changes += block->applied;
  *block = (struct block){0};
  *query = (struct query){0};
  return ok;
}

static bool start(struct reading *reading) {
  bool ok = finish(reading);
  reading->block.open = true;
  return ok;
}

/* A query whose output follows; one that shows nothing leaves an unnamed device without rows. */
static bool start_command(struct reading *reading, const struct command *command) {
  bool ok = start(reading);
  reading->command = *command;
  reading->hint = NULL;
  reading->changes += command->set;
  reading->block.silent = command->query;
  return ok;
}

static bool end_command(struct reading *reading, const char *line) {
  bool ok = finish(reading);
  reading->command = (struct command){0};
  reading->changes += strstr(line, "fwreset") != NULL || strstr(line, "reboot") != NULL;
  return ok;
}

static struct word after_markers(const char **line) {
  struct word word = {*line, 0};
  while (next_word(line, &word) && (word_is(word, "*") || word_is(word, "RO") || word_is(word, "*RO"))) {}
  return word;
}

/* Cells of a row. A row that was wrapped goes on behind line ends; there a bare number could be anybody's. */
static size_t read_cells(const struct capture *capture, size_t line, const char *rest, struct word *cells,
                         size_t most) {
  size_t count = 0;
  struct word word;
  for (;;) {
    while (next_word(&rest, &word)) {
      if (!is_cell(word)) {
        return count;
      }
      if (count < most) {
        cells[count++] = word;
      }
    }
    line++;
    rest = line < capture->count ? capture->lines[line] : "";
    const char *look = rest;
    if (count == most || !next_word(&look, &word) || !is_cell(word) || !memchr(word.text, '(', word.size)) {
      return count;
    }
  }
}

static void read_row(struct reading *reading, enum parameter parameter, const struct word *cells, size_t count) {
  const struct header *header = &reading->block.header;
  struct answer answers[MOST_COLUMNS] = {0};
  bool again = reading->query.row[parameter];
  reading->query.row[parameter] = true;
  if (!header->seen || reading->block.closed) {
    set_reasons(answers, "no header");
  } else if (count != header->count) {
    set_reasons(answers, count < header->count ? "row cut" : "more values than columns");
  } else {
    for (size_t i = 0; i < count; i++) {
      read_cell(parameter, cells[i], &answers[header->columns[i]]);
    }
  }
  struct answer *kept = reading->query.answers[parameter];
  for (size_t i = 0; i < COLUMNS; i++) {
    if (again && strcmp(kept[i].value, answers[i].value) != 0) {
      set_reason(&kept[i], "contradiction: two rows that differ");
    } else {
      kept[i] = answers[i];
    }
  }
}

/* An alarm of a row without columns: one cannot tell which boot it speaks of. */
static void look_for_alarm(struct reading *reading, const struct word *cells, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct answer answer;
    read_cell(WR_ORDERING, cells[i], &answer);
    reading->query.alarm = reading->query.alarm || strcmp(answer.value, "force_relax") == 0;
  }
}

static void table_line(struct reading *reading, size_t line) {
  const char *rest = reading->capture->lines[line];
  struct word name = after_markers(&rest), cells[MOST_COLUMNS + 1];
  enum parameter parameter = parameter_of(name);
  if (parameter == PARAMETERS) {
    struct word word;
    reading->block.rows += reading->block.header.count > 0 && next_word(&rest, &word) && is_cell(word);
    return;
  }
  size_t count = read_cells(reading->capture, line, rest, cells, MOST_COLUMNS + 1);
  reading->block.open = true;
  reading->block.rows++;
  read_row(reading, parameter, cells, count);
  if (parameter == WR_ORDERING && !reading->block.header.seen) {
    look_for_alarm(reading, cells, count);
  }
}

static const char *gap_of(const char *line) {
  static const char *const cuts[] = {"TRUNCATED", "truncated", "snip", "SNIP", "omitted", "[cut]"};
  for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
    if (strstr(line, cuts[i])) {
      return "no row (output cut)";
    }
  }
  return text_begins(line, "...") || text_begins(line, "[...]") || strcmp(line, "?") == 0 ? "no row (output elided)"
                                                                                          : NULL;
}

/* Errors of the tool, by how they begin, and what they mean for every value. */
static const struct {
  const char *message, *reason;
} errors[] = {
    {"Failed to open", "cannot open the device"},
    {"Cannot open", "cannot open the device"},
    {"Failed to query device", "failed to query the device"},
    {"Failed to query the device", "failed to query the device"},
    {"Unsupported device", "unsupported device"},
    {"You must be root", "no permission"},
    {"Permission denied", "no permission"},
    {"command not found", "the tool is not installed"},
};

static void read_failure(struct reading *reading, const char *message) {
  struct answer reason = {0};
  struct block *block = &reading->block;
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
    if (text_begins(message, errors[i].message)) {
      set_reason(&reason, errors[i].reason);
    }
  }
  if (!reason.reason[0]) {
    set_reason(&reason, "the tool gave up: ");
    strncat(reason.reason, message, sizeof reason.reason - strlen(reason.reason) - 1);
  } else if (reading->hint) {
    strncat(reason.reason, reading->hint, sizeof reason.reason - strlen(reason.reason) - 1);
  }
  memcpy(block->failure, reason.reason, sizeof block->failure);
}

static enum parameter named_parameter(const char *words) {
  struct word word = {words, strcspn(words, " :,.")};
  return parameter_of(word);
}

/* An error behind a device's rows is the next device's, which then has no name. */
static bool read_error(struct reading *reading, const char *message) {
  struct block *block = &reading->block;
  const char *refused = after_label(message, "The Device doesn't support");
  const char *unknown = after_label(message, "Unknown Parameter:");
  const char *unfound = after_label(message, "Failed to find Param / TLV with name");
  const char *name = refused ? refused : unknown ? unknown : unfound;
  bool ok = block->rows > 0 && !name ? start(reading) : true;
  block->open = true;
  if (!reading->query.type[0] && !reading->query.device[0] && block->header.count == 0) {
    memcpy(reading->query.device, reading->command.device, sizeof reading->query.device);
    reading->query.failed = true;
  }
  if (name) {
    block->refused = refused != NULL;
    block->unknown_to_tool = !refused;
    block->named = named_parameter(name);
  } else {
    read_failure(reading, message);
  }
  return ok;
}

/* "/sys/bus/pci/devices/0000:05:00.0/config", "0000:ca:00.0:" and the like: the address. */
static void read_device(struct query *query, const char *rest) {
  static const char sysfs[] = "/sys/bus/pci/devices/";
  struct word word = {rest, strcspn(rest, " ")};
  if (word_begins(word, sysfs)) {
    word.text += sizeof sysfs - 1;
    word.size = strcspn(word.text, "/ ");
  }
  struct word shorter = {word.text, word.size > 0 ? word.size - 1 : 0};
  if (word.size > 0 && word.text[word.size - 1] == ':' && is_pci_address(shorter)) {
    word = shorter;
  }
  word_copy(query->device, sizeof query->device, word);
}

/* Lines that begin a device or name it; *done: the line was one. */
static bool device_line(struct reading *reading, const char *line, bool *done) {
  struct query *query = &reading->query;
  const char *type = after_label(line, "Device type:");
  const char *device = after_label(line, "Device:");
  device = device ? device : after_label(line, "PCI device:");
  *done = true;
  reading->block.silent = reading->block.silent && !type && !device && !text_begins(line, "Device #");
  if (text_begins(line, "Device #")) {
    return start(reading);
  }
  if (!type && !device) {
    *done = false;
    return true;
  }
  bool named = query->device[0] || reading->block.header.count > 0 || (type && query->type[0]);
  bool ok = reading->block.open && !named ? true : start(reading);
  reading->block.open = true;
  if (device) {
    read_device(query, device);
  } else {
    word_copy(query->type, sizeof query->type, (struct word){type, strcspn(type, " ")});
  }
  return ok;
}

/* A second table in one block has lost its device line. */
static bool header_line(struct reading *reading, size_t line, const char *words) {
  bool ok = reading->block.open && reading->block.header.count == 0 ? true : start(reading);
  start_table(reading, line, words);
  return ok;
}

static const char *system_error(const char *line) {
  return strstr(line, "Operation not permitted") ? " (Operation not permitted)"
         : strstr(line, "Permission denied")     ? " (Permission denied)"
                                                 : NULL;
}

static bool other_line(struct reading *reading, size_t line) {
  const char *text = reading->capture->lines[line];
  struct block *block = &reading->block;
  const char *error = strstr(text, "-E- ");
  const char *absent = reading->block.silent ? strstr(text, "command not found") : NULL;
  const char *gap = gap_of(text);
  const char *hint = system_error(text);
  if (error && !strstr(error, "some of the TLVs")) {
    return read_error(reading, error + 4);
  }
  if (absent) {
    return read_error(reading, absent);
  }
  if (text_begins(text, "The '*'") || text_begins(text, "Apply new Configuration")) {
    block->closed = true;
  } else if (text_begins(text, "Device Firmware does not support reading")) {
    block->no_columns = true;
  } else if (text_begins(text, "Applying") && strstr(text, "Done!")) {
    block->applied = block->header.has[NEW_VALUE];
  } else if (gap) {
    block->gap = block->header.count > 0 ? gap : NULL;
  } else if (hint) {
    reading->hint = hint;
  } else {
    table_line(reading, line);
  }
  return true;
}

/* What scripts and people put between the outputs of several devices or hosts. */
static bool is_heading(const struct reading *reading, const char *line) {
  bool table = reading->block.header.count > 0 && !strstr(line, "-E-");
  bool label = line[strlen(line) - 1] == ':' || text_begins(line, "---") || text_begins(line, "***");
  return text_begins(line, "===") || (table && label);
}

static bool read_line(struct reading *reading, size_t line) {
  const char *text = reading->capture->lines[line];
  struct command command;
  bool done;
  if (read_command(text, &command)) {
    return start_command(reading, &command);
  }
  if (!device_line(reading, text, &done)) {
    return false;
  }
  if (!done && (is_prompt(text) || is_heading(reading, text))) {
    return end_command(reading, text);
  }
  const char *words = after_label(text, "Configurations:");
  if (words) {
    return header_line(reading, line, words);
  }
  return done || other_line(reading, line);
}

bool read_mlxconfig(const struct capture *capture, struct from_notes *notes, struct host_facts *host) {
  struct queries queries = {0};
  struct reading *reading = calloc(1, sizeof *reading);
  bool ok = reading != NULL && read_mlxconfig_json(capture, &queries);
  if (ok) {
    reading->capture = capture;
    reading->queries = &queries;
  }
  for (size_t i = 0; ok && i < capture->count; i++) {
    ok = read_line(reading, i);
  }
  ok = ok && finish(reading) && queries_commit(&queries, notes, host);
  free(reading);
  free(queries.list);
  return ok;
}
