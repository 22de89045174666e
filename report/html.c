#include "cli/check_hosts.h"
#include "report/print.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
    "<title>winord report</title>\n<style>\n"
    ":root { color-scheme: light dark; --line: #d0d4da; --soft: #5d6673; --bad: #b3261e; --head: #f2f4f7; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --line: #3b424c; --soft: #9aa4b2; --bad: #ff8a80; --head: #23282f; }\n"
    "}\n"
    "body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 84rem; padding: 0 1rem; }\n"
    "h1 { font-size: 1.5rem; }\n"
    "h2 { font-size: 1.2rem; margin-top: 2.2rem; border-top: 2px solid var(--line); padding-top: 1rem; }\n"
    "h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }\n"
    "p { margin: .2rem 0; color: var(--soft); }\n"
    ".wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: .87rem; }\n"
    "th, td { border: 1px solid var(--line); padding: .2rem .55rem; text-align: left; vertical-align: top; }\n"
    "th { background: var(--head); font-weight: 600; white-space: nowrap; }\n"
    "td { overflow-wrap: anywhere; }\n"
    "td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    ".bad { color: var(--bad); font-weight: 600; }\n"
    "</style>\n</head>\n<body>\n<h1>winord report</h1>\n";

static void cell(const char *text) {
  fputs("<td>", stdout);
  print_html(stdout, text);
  fputs("</td>", stdout);
}

static void number_cell(uint64_t value) { printf("<td class=\"number\">%" PRIu64 "</td>", value); }

static void begin_table(void) { fputs("<div class=\"wide\"><table>\n<tr>", stdout); }

static void end_table(void) { fputs("</table></div>\n", stdout); }

static void section_table(const struct sums *sums, const struct section *section, const struct fold *folds,
                          size_t count) {
  const struct sheet_form *form = &sheet_forms[section->sheet];
  begin_table();
  printf("<th>%s</th>", section->counted);
  for (size_t i = 0; i < section_width(section); i++) {
    printf("<th>%s</th>", form->columns[sheet_column(section->sheet, section->columns[i])].name);
  }
  fputs("<th>hosts</th></tr>\n", stdout);
  for (size_t j = 0; j < count; j++) {
    char *hosts = fold_hosts(sums, &folds[j]);
    fputs("<tr>", stdout);
    number_cell(folds[j].count);
    for (size_t i = 0; i < section_width(section); i++) {
      cell(fold_text(sums, section, &folds[j], i));
    }
    printf("<td>%zu: ", folds[j].host_count);
    print_html(stdout, hosts);
    fputs("</td></tr>\n", stdout);
    free(hosts);
  }
  end_table();
}

static void print_section(const struct sums *sums, uint32_t job, const struct section *section) {
  size_t count;
  struct fold *folds = folds_of(sums, job, section, &count);
  if (count > 0) {
    printf("<h3>%s</h3>\n", count > 1 && section->title_many ? section->title_many : section->title);
    section_table(sums, section, folds, count);
  } else if (section->say_none) {
    printf("<h3>%s</h3>\n<p>none</p>\n", section->title);
  }
  folds_free(folds, count);
}

static void print_comms(const struct sums *sums, uint32_t job) {
  size_t count, differing = 0;
  const struct comm *comm = job_comms(sums, job, &count);
  char size[24];
  fputs("<h3>ranks of one communicator that differ</h3>\n"
        "<p>Matched by job, step, nranks, size and comm_seq: approximate.</p>\n",
        stdout);
  for (; count > 0; count--, comm++) {
    if (!comm_differs(comm)) {
      continue;
    }
    if (differing++ == 0) {
      begin_table();
      fputs("<th>comm_seq</th><th>nranks</th><th>size</th><th>ranks</th></tr>\n", stdout);
    }
    char *sides = sides_text(sums, comm);
    fputs("<tr>", stdout);
    number_cell((uint64_t)comm->key.comm_seq);
    number_cell((uint64_t)comm->key.nranks);
    cell(bytes_text((uint64_t)comm->key.size, size));
    cell(sides);
    fputs("</tr>\n", stdout);
    free(sides);
  }
  if (differing > 0) {
    end_table();
  } else {
    fputs("<p>none</p>\n", stdout);
  }
}

static void print_lost(const struct sums *sums, uint32_t job, const struct summary *summary) {
  size_t count;
  const struct process *process = job_processes(sums, job, &count);
  fputs("<h3>lost records</h3>\n", stdout);
  if (summary->incomplete == 0) {
    fputs("<p>none</p>\n", stdout);
    return;
  }
  begin_table();
  fputs("<th>host</th><th>pid</th><th>missing</th><th>seq</th><th>lost, as it says</th></tr>\n", stdout);
  for (; count > 0; count--, process++) {
    if (process_missing(process) == 0 && process->lost == 0) {
      continue;
    }
    char *gaps = gaps_text(process);
    fputs("<tr>", stdout);
    cell(texts_text(&sums->texts, process->host));
    number_cell((uint64_t)process->pid);
    number_cell(process_missing(process));
    cell(gaps);
    number_cell(process->lost);
    fputs("</tr>\n", stdout);
    free(gaps);
  }
  end_table();
}

/* A row for each host: what it got. */
static void print_hosts(const struct sums *sums, uint32_t job) {
  static const enum field shown[] = {FIELD_POOL,    FIELD_MODE, FIELD_ASKED, FIELD_GOT,
                                     FIELD_VERDICT, FIELD_WHY,  FIELD_RULE,  FIELD_EXPOSURE};
  enum { SHOWN = sizeof shown / sizeof shown[0] };
  const struct column *columns = sheet_forms[SHEET_REGISTRATIONS].columns;
  size_t count;
  const struct row *row = job_rows(sums, SHEET_REGISTRATIONS, job, &count);
  fputs("<h3>each host</h3>\n", stdout);
  begin_table();
  fputs("<th>host</th><th>windows</th>", stdout);
  for (size_t i = 0; i < SHOWN; i++) {
    printf("<th>%s</th>", columns[sheet_column(SHEET_REGISTRATIONS, shown[i])].name);
  }
  fputs("</tr>\n", stdout);
  for (; count > 0; count--, row++) {
    fputs("<tr>", stdout);
    cell(row_text(sums, row, 1));
    number_cell(row->count);
    for (size_t i = 0; i < SHOWN; i++) {
      const char *text = row_text(sums, row, sheet_column(SHEET_REGISTRATIONS, shown[i]));
      cell(text ? text : "-");
    }
    fputs("</tr>\n", stdout);
  }
  end_table();
}

static void print_job(const struct sums *sums, uint32_t number) {
  const struct job *job = table_at(&sums->jobs, number);
  const struct summary summary = summary_of(sums, number);
  char first[20], last[20], bytes[24];
  char *name = job_name(sums, number);
  fputs("<h2>", stdout);
  print_html(stdout, name);
  printf("</h2>\n<p>%s to %s UTC; hosts: %" PRIu64 "; processes: %" PRIu64 ", of them without an exit record: %" PRIu64
         "; registrations: %" PRIu64 ", of %s</p>\n",
         time_text(job->first, first), time_text(job->last, last), summary.hosts, summary.processes,
         summary.processes - summary.ended, summary.windows, bytes_text(summary.bytes, bytes));
  for (size_t i = 0; i < section_count; i++) {
    print_section(sums, number, &sections[i]);
  }
  print_comms(sums, number);
  print_lost(sums, number, &summary);
  if (summary.windows > 0) {
    print_hosts(sums, number);
  }
  free(name);
}

static void print_damage(const struct sums *sums) {
  begin_table();
  fputs("<th>file</th><th>line</th><th>why</th><th>begins</th></tr>\n", stdout);
  for (size_t i = 0; i < sums->damage.count && i < FIRST_FEW; i++) {
    const struct damaged_line *line = &sums->damage.first[i];
    fputs("<tr>", stdout);
    cell(texts_text(&sums->texts, line->file));
    number_cell(line->line);
    cell(line->why);
    cell(line->text);
    fputs("</tr>\n", stdout);
  }
  end_table();
}

static void print_tallies(const struct sums *sums, const struct table *table, const char *title) {
  for (size_t i = 0; i < table->count; i++) {
    const struct tally *tally = table_at(table, i);
    printf("<p class=\"bad\">%s", title);
    print_html(stdout, texts_text(&sums->texts, tally->key));
    printf(": %" PRIu64 "</p>\n", tally->count);
  }
}

static void print_read(const struct sums *sums) {
  printf("<h2>what was read</h2>\n<p>files: %" PRIu64 "; lines: %" PRIu64 "; records: %" PRIu64
         "; there already, and not counted again: %" PRIu64 "; files met again: %" PRIu64
         "; files in folders without a record: %" PRIu64 "</p>\n",
         sums->files, sums->lines, sums->records, sums->duplicates, sums->same_files, sums->no_journals);
  printf("<p%s>files that could not be read to their end: %" PRIu64 "; damaged lines: %" PRIu64 "</p>\n",
         sums->unreadable + sums->damage.count ? " class=\"bad\"" : "", sums->unreadable, sums->damage.count);
  if (sums->damage.count > 0) {
    print_damage(sums);
  }
  print_tallies(sums, &sums->versions, "records that are not read, being of version ");
  print_tallies(sums, &sums->events, "records of an event that is not known: ");
}

static void print_absent(const struct sums *sums, const struct fleet *wanted) {
  size_t count;
  const char **absent = hosts_absent(sums, wanted, &count);
  char *text = fold_names(absent, count);
  printf("<h2>hosts without records</h2>\n<p%s>%zu of %zu", count ? " class=\"bad\"" : "", count, wanted->count);
  fputs(count ? ": " : "", stdout);
  print_html(stdout, text);
  fputs("</p>\n", stdout);
  free(text);
  free(absent);
}

void report_html(const struct sums *sums, const struct fleet *wanted) {
  uint32_t *jobs = jobs_in_order(sums);
  fputs(head, stdout);
  for (size_t i = 0; i < sums->jobs.count; i++) {
    print_job(sums, jobs[i]);
  }
  if (wanted != NULL) {
    print_absent(sums, wanted);
  }
  print_read(sums);
  fputs("</body>\n</html>\n", stdout);
  free(jobs);
}
