/*
 * winord tag: the word that keeps benchmark results of relaxed windows apart from others.
 */
#include "cli/command.h"
#include "report/read.h"

#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: winord tag [--json] LOG...\n"
    "\n"
    "Prints a word to keep with the results of what wrote these journals:\n"
    "  nothing            winord made no window relaxed\n"
    "  relaxed-ordering   it made some relaxed, and none was registered strict\n"
    "  mixed-ordering     it made some relaxed, and others were registered strict\n"
    "LOG is as in winord report.\n"
    "\n"
    "      --json   how many windows of each kind, and on what ground they were made relaxed\n"
    "  -h, --help   show this\n"
    "\n"
    "Exit status: 0 known; 1 not known for sure: records are missing, damaged, not to be read, or there is no\n"
    "registration; 2 usage.\n";

/* Windows that NCCL accepted, by what was asked and what NCCL got. */
enum group { MADE_RELAXED, MADE_STRICT, KEPT_STRICT, KEPT_DEFAULT, GROUPS };

static const char *const group_names[GROUPS] = {"made_relaxed", "made_strict", "kept_strict", "kept_default"};
static const char *const grounds[] = {"proved", "attested", "accepted", "asserted"};
enum { GROUNDS = sizeof grounds / sizeof grounds[0] };

struct findings {
  bool is_there[GROUPS];
  uint64_t windows[GROUPS], grounds[GROUNDS], refused;
};

static size_t place(enum field field) { return sheet_column(SHEET_REGISTRATIONS, field); }

static void add_row(struct findings *findings, const struct sums *sums, const struct row *row) {
  static const enum group groups[2][2] = {{KEPT_DEFAULT, MADE_STRICT}, {MADE_RELAXED, KEPT_STRICT}};
  if (!row_has(sums, row, place(FIELD_OUTCOME), "accepted")) {
    return;
  }
  const bool asked = row_has(sums, row, place(FIELD_ASKED), "strict");
  const enum group group = groups[asked][row_has(sums, row, place(FIELD_GOT), "strict")];
  findings->is_there[group] = true;
  findings->windows[group] += row->count;
  findings->refused += row_has(sums, row, place(FIELD_VERDICT), "refused") ? row->count : 0;
  for (size_t i = 0; i < GROUNDS && group == MADE_RELAXED; i++) {
    findings->grounds[i] += row_has(sums, row, place(FIELD_GUARD), grounds[i]) ? row->count : 0;
  }
}

static struct findings find(const struct sums *sums) {
  const struct table *rows = &sums->sheets[SHEET_REGISTRATIONS];
  struct findings findings = {0};
  for (size_t i = 0; i < rows->count; i++) {
    add_row(&findings, sums, table_at(rows, i));
  }
  return findings;
}

static const char *tag_of(const struct findings *findings) {
  if (!findings->is_there[MADE_RELAXED]) {
    return "";
  }
  return findings->is_there[MADE_STRICT] || findings->is_there[KEPT_STRICT] ? "mixed-ordering" : "relaxed-ordering";
}

/* Why the tag is not known for sure; NULL: it is. */
static const char *doubt_of(const struct sums *sums) {
  if (sums->unreadable > 0) {
    return "not all of the journals could be read";
  }
  if (sums->sheets[SHEET_REGISTRATIONS].count == 0) {
    return "no registration in the journals";
  }
  return sums_is_whole(sums) ? NULL : "records are damaged, missing or of another version: see winord report";
}

static void print_json(const struct findings *findings, const char *doubt) {
  json_t *windows = json_object(), *ground = json_object();
  for (size_t i = 0; i < GROUPS; i++) {
    json_object_set_new(windows, group_names[i], json_integer((json_int_t)findings->windows[i]));
  }
  json_object_set_new(windows, "refused", json_integer((json_int_t)findings->refused));
  for (size_t i = 0; i < GROUNDS; i++) {
    if (findings->grounds[i] > 0) {
      json_object_set_new(ground, grounds[i], json_integer((json_int_t)findings->grounds[i]));
    }
  }
  json_t *object = json_pack("{s:s, s:b, s:s?, s:o, s:o}", "tag", tag_of(findings), "sure", doubt == NULL, "doubt",
                             doubt, "grounds", ground, "windows", windows);
  json_dumpf(object, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(object);
}

static int print_tag(const struct sums *sums, bool as_json) {
  const struct findings findings = find(sums);
  const char *doubt = doubt_of(sums), *tag = tag_of(&findings);
  if (as_json) {
    print_json(&findings, doubt);
  } else if (*tag != '\0') {
    puts(tag);
  }
  if (doubt != NULL) {
    say("%s", doubt);
  }
  return doubt == NULL ? STATUS_OK : STATUS_FAILED;
}

int command_tag(int argc, char **argv) {
  static const struct option long_options[] = {
      {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  static struct sums sums;
  bool as_json = false;
  int option;
  while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
    if (option == 'h') {
      fputs(help, stdout);
      return STATUS_OK;
    }
    if (option != 'j') {
      return option_error(option, argv);
    }
    as_json = true;
  }
  if (optind == argc) {
    return usage_error("no journal given");
  }
  sums_begin(&sums);
  (void)read_journals(&sums, argv + optind, argc - optind);
  const int status = print_tag(&sums, as_json);
  sums_free(&sums);
  return status;
}
