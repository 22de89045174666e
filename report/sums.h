/*
 * What journals add up to. Memory grows with what differs in them (jobs, hosts, processes, decisions), not with their
 * length. One thread.
 */
#ifndef WINORD_REPORT_SUMS_H
#define WINORD_REPORT_SUMS_H

#include "report/scan.h"
#include "report/sequence.h"
#include "report/table.h"
#include "report/texts.h"

/* Records of one kind are counted in one sheet, a row for each distinct combination of its columns. */
enum sheet { SHEET_REGISTRATIONS, SHEET_STARTS, SHEET_UNCOVERED, SHEET_POLICY_ERRORS, SHEET_EFFECTS, SHEETS };

enum { COLUMNS = 18, NO_COLUMN = COLUMNS };

struct column {
  const char *name; /* as in the journal, where it is there */
  enum field field;
  bool is_number;
};

/* Columns of a sheet from 1 on; column 0 is the job, column 1 the host. */
struct sheet_form {
  const char *name, *event;
  const struct column *columns;
  size_t column_count;
};
extern const struct sheet_form sheet_forms[SHEETS];

/* The place of a field among a sheet's columns. NO_COLUMN: it is not there. */
size_t sheet_column(enum sheet sheet, enum field field);

struct row {
  uint32_t key[COLUMNS]; /* [0]: the job's place in sums.jobs; else the number of a text */
  uint64_t count, bytes; /* count 0: only records that were read twice, or of processes that cannot be told apart */
};

struct job {
  uint32_t key[2]; /* text; whether it is a run's, there being no job */
  int64_t first, last; /* times, as time_number has them */
  uint64_t records;
};

struct process {
  uint32_t job, host, step, run;
  int64_t pid;
  int64_t start; /* of its start record; -1: none was seen */
  int64_t first;
  uint64_t lost; /* the most that one of its records says */
  bool ended; /* has an exit record */
  uint32_t older; /* another of the same job, step, run, host and pid, started before: place plus one; 0: none */
  struct sequence seen;
};

/* Registrations of one size on one communicator, as far as job, step, ranks and comm_seq tell communicators apart. */
struct comm {
  struct comm_key {
    uint32_t job, step;
    int64_t nranks, comm_seq, size;
  } key;
  struct side {
    uint64_t count;
    uint32_t host; /* of the first */
    int64_t rank;
  } sides[2][2]; /* asked strict, got strict */
};

enum { FIRST_FEW = 5, EXCERPT = 64 };

struct damage {
  uint64_t count;
  struct damaged_line {
    uint32_t file;
    uint64_t line;
    const char *why; /* static */
    char text[EXCERPT + 1]; /* how the line begins; bytes as they are, NUL as `?` */
  } first[FIRST_FEW];
};

struct sums {
  struct texts texts;
  struct table sheets[SHEETS], jobs, names /* of processes */, comms;
  struct table versions, events; /* of records that are not read: key: text; count */
  struct process *processes;
  size_t process_count, process_room;
  uint64_t files, lines, records, duplicates;
  struct damage damage, pending; /* pending: of the file that is being read */
  uint64_t same_files; /* times that a file was met again, and left out */
  uint64_t unreadable; /* files that could not be read, or not to their end */
  uint64_t no_journals; /* files found in folders that have no record of ours */
  uint32_t no_journal; /* the first of these */
  struct {
    uint32_t name;
    bool found;
    uint64_t lines, records, bytes;
  } file;
  struct {
    struct text text;
    uint32_t number;
  } recent[FIELDS]; /* the last text of each field */
  struct record record;
};

struct tally {
  uint32_t key; /* a text */
  uint64_t count;
};

void sums_begin(struct sums *sums);
void sums_free(struct sums *sums);

/* Between these two come the lines of one file. found: in a folder, so that it need not be a journal. */
void sums_begin_file(struct sums *sums, const char *name, bool found);
void sums_end_file(struct sums *sums);

/* Adds a line without its newline; cut: the file ends before the newline. false: no more of this file is wanted. */
bool sums_line(struct sums *sums, const char *line, size_t size, bool cut);

/* Counts a line, or with line 0 a file, that cannot be read. why is kept. */
void sums_damaged(struct sums *sums, const char *why, const char *text, size_t size);

/* Sorts: rows by job, host and what follows; then nothing more may be added. */
void sums_finish(struct sums *sums);

/* Records that are missing in the journals of one process: gaps in seq. */
uint64_t process_missing(const struct process *process);

/* Whether nothing is known to be missing: no damaged line, no gap, no loss, no other version. */
bool sums_is_whole(const struct sums *sums);

/* The text of a column of a row; NULL: none. */
const char *row_text(const struct sums *sums, const struct row *row, size_t column);

/* Whether the row has this text in this column. */
bool row_has(const struct sums *sums, const struct row *row, size_t column, const char *text);

/* Whether the ranks of a communicator registered differently, as far as they can be matched. */
bool comm_differs(const struct comm *comm);

#endif
