#include "cli/check_hosts.h"
#include "cli/command.h"
#include "report/memory.h"
#include "report/print.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One screen: rows of a section, and characters of a column and of the hosts. */
enum { ROWS = 10, WIDTH = 44, HOSTS_WIDTH = 60 };

static const char *s(uint64_t count) { return count == 1 ? "" : "s"; }

static size_t min(size_t a, size_t b) { return a < b ? a : b; }

static size_t shown_width(const char *text) {
  char *shown = printable(text);
  size_t width = 0;
  for (const char *at = shown; *at != '\0'; at++) {
    width += ((unsigned char)*at & 0xc0) != 0x80;
  }
  free(shown);
  return min(width, WIDTH);
}

static const char *heading(const struct section *section, size_t column) {
  return sheet_forms[section->sheet].columns[sheet_column(section->sheet, section->columns[column])].name;
}

static void print_cell(const char *text, size_t width) {
  print_text(stdout, text, WIDTH);
  printf("%*s", (int)(width - shown_width(text) + 2), "");
}

static void print_fold(const struct sums *sums, const struct section *section, const struct fold *fold,
                       const size_t *widths) {
  printf("  %*" PRIu64 "  ", (int)strlen(section->counted), fold->count);
  for (size_t i = 0; i < section_width(section); i++) {
    print_cell(fold_text(sums, section, fold, i), widths[i]);
  }
  char *hosts = fold_hosts(sums, fold);
  printf("%zu: ", fold->host_count);
  print_text(stdout, hosts, HOSTS_WIDTH);
  putchar('\n');
  free(hosts);
}

static void print_folds(const struct sums *sums, const struct section *section, const struct fold *folds,
                        size_t count) {
  size_t widths[SECTION_COLUMNS] = {0};
  printf("  %s  ", section->counted);
  for (size_t i = 0; i < section_width(section); i++) {
    widths[i] = strlen(heading(section, i));
    for (size_t j = 0; j < count && j < ROWS; j++) {
      const size_t width = shown_width(fold_text(sums, section, &folds[j], i));
      widths[i] = width > widths[i] ? width : widths[i];
    }
    print_cell(heading(section, i), widths[i]);
  }
  puts("hosts");
  for (size_t j = 0; j < count && j < ROWS; j++) {
    print_fold(sums, section, &folds[j], widths);
  }
  if (count > ROWS) {
    printf("  and %zu more: --json and --html have all\n", count - ROWS);
  }
}

static void print_section(const struct sums *sums, uint32_t job, const struct section *section) {
  size_t count;
  struct fold *folds = folds_of(sums, job, section, &count);
  if (count > 0) {
    puts(count > 1 && section->title_many ? section->title_many : section->title);
    print_folds(sums, section, folds, count);
  } else if (section->say_none) {
    printf("%s: none\n", section->title);
  }
  folds_free(folds, count);
}

static void print_comms(const struct sums *sums, uint32_t job) {
  size_t count, differing = 0;
  const struct comm *comm = job_comms(sums, job, &count);
  char size[24];
  fputs("ranks of one communicator that differ (matched by job, step, nranks, size, comm_seq: approximate)", stdout);
  for (; count > 0; count--, comm++) {
    if (comm_differs(comm) && ++differing <= FIRST_FEW) {
      char *sides = sides_text(sums, comm);
      printf("%s  communicator %" PRId64 " of %" PRId64 " ranks, %s: ", differing == 1 ? "\n" : "", comm->key.comm_seq,
             comm->key.nranks, bytes_text((uint64_t)comm->key.size, size));
      print_text(stdout, sides, 0);
      putchar('\n');
      free(sides);
    }
  }
  if (differing > FIRST_FEW) {
    printf("  and %zu more: --json has all\n", differing - FIRST_FEW);
  } else if (differing == 0) {
    puts(": none");
  }
}

static void print_process(const struct sums *sums, const struct process *process) {
  char *gaps = gaps_text(process);
  fputs("  ", stdout);
  print_text(stdout, texts_text(&sums->texts, process->host), WIDTH);
  printf(" pid %" PRId64 ": %" PRIu64 " missing%s%s; it says it lost %" PRIu64 "\n", process->pid,
         process_missing(process), *gaps ? ", seq " : "", gaps, process->lost);
  free(gaps);
}

static void print_lost(const struct sums *sums, uint32_t job, const struct summary *summary) {
  size_t count, shown = 0;
  const struct process *process = job_processes(sums, job, &count);
  if (summary->incomplete == 0) {
    puts("lost records: none");
    return;
  }
  printf("lost records: %" PRIu64 " missing (gaps in seq), %" PRIu64 " lost as the processes say, of %" PRIu64
         " process%s\n",
         summary->missing, summary->lost, summary->incomplete, summary->incomplete == 1 ? "" : "es");
  for (; count > 0; count--, process++) {
    if ((process_missing(process) > 0 || process->lost > 0) && shown++ < FIRST_FEW) {
      print_process(sums, process);
    }
  }
  if (shown > FIRST_FEW) {
    printf("  and %zu more: --json has all\n", shown - FIRST_FEW);
  }
}

static void print_head(const struct sums *sums, uint32_t number, const struct summary *summary) {
  const struct job *job = table_at(&sums->jobs, number);
  char first[20], last[20], bytes[24];
  char *name = job_name(sums, number);
  print_text(stdout, name, 0);
  time_text(job->first, first);
  time_text(job->last, last);
  printf(": %s to %s UTC, %" PRIu64 " host%s, %" PRIu64 " process%s, %" PRIu64 " registration%s of %s\n", first,
         strncmp(first, last, 10) == 0 ? last + 11 : last, summary->hosts, s(summary->hosts), summary->processes,
         summary->processes == 1 ? "" : "es", summary->windows, s(summary->windows), bytes_text(summary->bytes, bytes));
  free(name);
}

static void print_job(const struct sums *sums, uint32_t job) {
  const struct summary summary = summary_of(sums, job);
  print_head(sums, job, &summary);
  for (size_t i = 0; i < section_count; i++) {
    print_section(sums, job, &sections[i]);
  }
  print_comms(sums, job);
  print_lost(sums, job, &summary);
  if (summary.ended < summary.processes) {
    printf("processes without an exit record (killed, or not ended yet): %" PRIu64 "\n",
           summary.processes - summary.ended);
  }
  putchar('\n');
}

static void print_damage(const struct sums *sums) {
  const struct damage *damage = &sums->damage;
  printf("damaged lines: %" PRIu64 "\n", damage->count);
  for (size_t i = 0; i < damage->count && i < FIRST_FEW; i++) {
    const struct damaged_line *line = &damage->first[i];
    fputs("  ", stdout);
    print_text(stdout, texts_text(&sums->texts, line->file), 0);
    printf(":%" PRIu64 ": %s: ", line->line, line->why);
    print_text(stdout, line->text, EXCERPT);
    putchar('\n');
  }
  if (damage->count > FIRST_FEW) {
    printf("  and %" PRIu64 " more\n", damage->count - FIRST_FEW);
  }
}

static void print_tallies(const struct sums *sums, const struct table *table, const char *title) {
  for (size_t i = 0; i < table->count && i < ROWS; i++) {
    const struct tally *tally = table_at(table, i);
    fputs(title, stdout);
    print_text(stdout, texts_text(&sums->texts, tally->key), WIDTH);
    printf(": %" PRIu64 "\n", tally->count);
  }
}

static void print_read(const struct sums *sums) {
  const struct {
    uint64_t count;
    const char *words;
  } remarks[] = {
      {sums->same_files, "files met again, and left out"},
      {sums->duplicates,
       "records there already, and not counted again (read twice, or processes of one job, host, pid)"},
      {sums->unreadable, "files that could not be read to their end"},
  };
  printf("read: %" PRIu64 " file%s, %" PRIu64 " line%s, %" PRIu64 " record%s\n", sums->files, s(sums->files),
         sums->lines, s(sums->lines), sums->records, s(sums->records));
  for (size_t i = 0; i < sizeof remarks / sizeof remarks[0]; i++) {
    if (remarks[i].count > 0) {
      printf("%s: %" PRIu64 "\n", remarks[i].words, remarks[i].count);
    }
  }
  if (sums->no_journals > 0) {
    printf("files in folders without a record: %" PRIu64 ", the first of them ", sums->no_journals);
    print_text(stdout, texts_text(&sums->texts, sums->no_journal), 0);
    putchar('\n');
  }
  print_tallies(sums, &sums->versions, "records that are not read, being of version ");
  print_tallies(sums, &sums->events, "records of an event that is not known: ");
  if (sums->damage.count > 0) {
    print_damage(sums);
  }
}

static void print_absent(const struct sums *sums, const struct fleet *wanted) {
  size_t count;
  const char **absent = hosts_absent(sums, wanted, &count);
  char *text = fold_names(absent, count);
  printf("hosts without records, of %zu: %zu%s", wanted->count, count, count ? ": " : "");
  print_text(stdout, text, 0);
  putchar('\n');
  free(text);
  free(absent);
}

void report_text(const struct sums *sums, const struct fleet *wanted) {
  uint32_t *jobs = jobs_in_order(sums);
  for (size_t i = 0; i < sums->jobs.count; i++) {
    print_job(sums, jobs[i]);
  }
  if (wanted != NULL) {
    print_absent(sums, wanted);
  }
  print_read(sums);
  free(jobs);
}
