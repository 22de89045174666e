/*
 * The sums as a report. Nothing here changes them; sums_finish comes before.
 */
#ifndef WINORD_REPORT_REPORT_H
#define WINORD_REPORT_REPORT_H

#include "cli/check_hosts.h"
#include "report/sums.h"

#include <stdio.h>

/* Reports on stdout. wanted: the hosts that should have records; NULL: not known. */
void report_text(const struct sums *sums, const struct fleet *wanted);
void report_json(const struct sums *sums, const struct fleet *wanted);
void report_html(const struct sums *sums, const struct fleet *wanted);

/* A row for each row of registrations, with a heading; nothing else. */
void report_csv(const struct sums *sums);

/* Rows of one job that agree in some columns, taken together. */
struct fold {
  const struct row *like; /* the first of them */
  uint64_t count, bytes;
  uint32_t *hosts; /* distinct, in order */
  size_t host_count;
};

enum { SECTION_COLUMNS = 8, SECTION_FILTERS = 2 };

/* What a report shows of a sheet: rows that pass the filters, folded by the columns. */
struct section {
  const char *title, *title_many; /* title_many: where there are several rows; NULL: the same */
  enum sheet sheet;
  const char *counted; /* heading of the count */
  struct {
    enum field field; /* FIELDS or 0: no filter */
    const char *is; /* NULL: anything but null */
  } filters[SECTION_FILTERS];
  enum field columns[SECTION_COLUMNS]; /* ended by FIELD_V, which is no column */
  bool say_none;
};
extern const struct section sections[];
extern const size_t section_count;

/* The folds of a section, most counted first. Fresh memory, freed by folds_free. */
struct fold *folds_of(const struct sums *sums, uint32_t job, const struct section *section, size_t *count);
void folds_free(struct fold *folds, size_t count);

/* How many columns a section has. */
size_t section_width(const struct section *section);

/* The text of a section's nth column in a fold; "-": none. */
const char *fold_text(const struct sums *sums, const struct section *section, const struct fold *fold, size_t n);

/* fold_names of a fold. Fresh memory. */
char *fold_hosts(const struct sums *sums, const struct fold *fold);

/* One job in numbers. */
struct summary {
  uint64_t hosts, processes, windows, bytes, ended;
  uint64_t missing, incomplete /* processes that miss records */, lost;
};
struct summary summary_of(const struct sums *sums, uint32_t job);

/* The jobs, by the time of their first record. Fresh memory, freed by the caller. */
uint32_t *jobs_in_order(const struct sums *sums);

/* A job's rows, processes, communicators. Not owned; valid like sums. */
const struct row *job_rows(const struct sums *sums, enum sheet sheet, uint32_t job, size_t *count);
const struct process *job_processes(const struct sums *sums, uint32_t job, size_t *count);
const struct comm *job_comms(const struct sums *sums, uint32_t job, size_t *count);

/* "job 4711", "run 6b0dca", "no job, no run". Fresh memory; as the journal has it. */
char *job_name(const struct sums *sums, uint32_t job);

/* "4-7, 9": the gaps of a process, the first few. Fresh memory. */
char *gaps_text(const struct process *process);

/* What was wanted and has no record, by full name or first label. Pointers into wanted; fresh memory. */
const char **hosts_absent(const struct sums *sums, const struct fleet *wanted, size_t *count);

/* "64MiB", "1000". Into text; returns it. */
const char *bytes_text(uint64_t bytes, char text[static 24]);

/* One side of a communicator whose ranks differ: "8 asked strict, got default (h200-1 rank 0, ...)". Fresh memory. */
char *sides_text(const struct sums *sums, const struct comm *comm);

#endif
