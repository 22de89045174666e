#include "cli/command.h"
#include "report/print.h"
#include "report/report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *number(uint64_t value) { return json_integer((json_int_t)(value > INT64_MAX ? INT64_MAX : value)); }

/* NULL: null. What is not UTF-8, which only a file's name can be, has its bytes as \xNN. */
static json_t *text(const char *bytes) {
  if (bytes == NULL) {
    return json_null();
  }
  json_t *json = json_string(bytes);
  if (json == NULL) {
    char *shown = printable(bytes);
    json = json_string(shown);
    free(shown);
  }
  return json;
}

static json_t *column(const struct sums *sums, const struct row *row, enum sheet sheet, size_t n) {
  const struct column *column = &sheet_forms[sheet].columns[n];
  const char *bytes = row_text(sums, row, n);
  return bytes && column->is_number ? json_integer(atoll(bytes)) : text(bytes);
}

static json_t *rows_json(const struct sums *sums, uint32_t job, enum sheet sheet) {
  json_t *list = json_array();
  size_t count;
  const struct row *row = job_rows(sums, sheet, job, &count);
  for (; count > 0; count--, row++) {
    if (row->count == 0) {
      continue;
    }
    json_t *object = json_object();
    for (size_t i = 1; i < sheet_forms[sheet].column_count; i++) {
      json_object_set_new(object, sheet_forms[sheet].columns[i].name, column(sums, row, sheet, i));
    }
    json_object_set_new(object, "count", number(row->count));
    if (sheet == SHEET_REGISTRATIONS) {
      json_object_set_new(object, "bytes", number(row->bytes));
    }
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *comm_json(const struct sums *sums, const struct comm *comm) {
  static const char *const words[] = {"default", "strict"};
  json_t *sides = json_array();
  for (int i = 0; i < 4; i++) {
    const struct side *side = &comm->sides[i / 2][i % 2];
    if (side->count > 0) {
      json_array_append_new(sides,
                            json_pack("{s:s, s:s, s:o, s:o, s:I}", "asked", words[i / 2], "got", words[i % 2], "count",
                                      number(side->count), "host", text(texts_text(&sums->texts, side->host)), "rank",
                                      (json_int_t)side->rank));
    }
  }
  return json_pack("{s:o, s:I, s:I, s:I, s:o}", "step", text(texts_text(&sums->texts, comm->key.step)), "comm_seq",
                   (json_int_t)comm->key.comm_seq, "nranks", (json_int_t)comm->key.nranks, "size",
                   (json_int_t)comm->key.size, "sides", sides);
}

static json_t *comms_json(const struct sums *sums, uint32_t job) {
  json_t *list = json_array();
  size_t count;
  const struct comm *comm = job_comms(sums, job, &count);
  for (; count > 0; count--, comm++) {
    if (comm_differs(comm)) {
      json_array_append_new(list, comm_json(sums, comm));
    }
  }
  return json_pack("{s:b, s:o}", "approximate", 1, "communicators", list);
}

static json_t *gaps_json(const struct process *process) {
  json_t *list = json_array();
  uint64_t next = 1;
  for (size_t i = 0; i < process->seen.count; i++) {
    const struct range *range = &process->seen.ranges[i];
    if (range->first > next) {
      json_array_append_new(list, json_pack("[o,o]", number(next), number(range->first - 1)));
    }
    next = range->last + 1;
  }
  return list;
}

static json_t *lost_json(const struct sums *sums, uint32_t job, const struct summary *summary) {
  json_t *list = json_array();
  size_t count;
  const struct process *process = job_processes(sums, job, &count);
  for (; count > 0; count--, process++) {
    const uint64_t missing = process_missing(process);
    if (missing > 0 || process->lost > 0) {
      json_array_append_new(
          list, json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}", "host", text(texts_text(&sums->texts, process->host)),
                          "pid", (json_int_t)process->pid, "step", text(texts_text(&sums->texts, process->step)),
                          "missing", number(missing), "gaps", gaps_json(process), "lost", number(process->lost)));
    }
  }
  return json_pack("{s:o, s:o, s:o}", "missing", number(summary->missing), "lost", number(summary->lost), "processes",
                   list);
}

static json_t *policies_differ(const struct sums *sums, uint32_t job) {
  for (size_t i = 0; i < section_count; i++) {
    if (sections[i].title_many != NULL) {
      size_t count;
      struct fold *folds = folds_of(sums, job, &sections[i], &count);
      folds_free(folds, count);
      return json_boolean(count > 1);
    }
  }
  return json_null();
}

static json_t *job_json(const struct sums *sums, uint32_t number_of_job) {
  const struct job *job = table_at(&sums->jobs, number_of_job);
  const struct summary summary = summary_of(sums, number_of_job);
  const char *name = texts_text(&sums->texts, job->key[0]);
  char first[20], last[20];
  json_t *object = json_object();
  json_object_set_new(object, "job", text(job->key[1] ? NULL : name));
  json_object_set_new(object, "run", text(job->key[1] ? name : NULL));
  json_object_set_new(object, "first", text(time_text(job->first, first)));
  json_object_set_new(object, "last", text(time_text(job->last, last)));
  json_object_set_new(object, "hosts", number(summary.hosts));
  json_object_set_new(object, "processes", number(summary.processes));
  json_object_set_new(object, "without_exit", number(summary.processes - summary.ended));
  json_object_set_new(object, "windows", number(summary.windows));
  json_object_set_new(object, "bytes", number(summary.bytes));
  for (enum sheet sheet = 0; sheet < SHEETS; sheet++) {
    json_object_set_new(object, sheet_forms[sheet].name, rows_json(sums, number_of_job, sheet));
  }
  json_object_set_new(object, "policies_differ", policies_differ(sums, number_of_job));
  json_object_set_new(object, "ranks_differ", comms_json(sums, number_of_job));
  json_object_set_new(object, "lost_records", lost_json(sums, number_of_job, &summary));
  return object;
}

static json_t *tallies_json(const struct sums *sums, const struct table *table) {
  json_t *object = json_object();
  for (size_t i = 0; i < table->count; i++) {
    const struct tally *tally = table_at(table, i);
    json_object_set_new(object, texts_text(&sums->texts, tally->key), number(tally->count));
  }
  return object;
}

static json_t *damage_json(const struct sums *sums) {
  json_t *list = json_array();
  for (size_t i = 0; i < sums->damage.count && i < FIRST_FEW; i++) {
    const struct damaged_line *line = &sums->damage.first[i];
    json_array_append_new(list, json_pack("{s:o, s:o, s:s, s:o}", "file", text(texts_text(&sums->texts, line->file)),
                                          "line", number(line->line), "why", line->why, "text", text(line->text)));
  }
  return json_pack("{s:o, s:o}", "count", number(sums->damage.count), "first", list);
}

static json_t *read_json(const struct sums *sums) {
  const struct {
    const char *name;
    uint64_t value;
  } numbers[] = {{"files", sums->files},
                 {"lines", sums->lines},
                 {"records", sums->records},
                 {"duplicates", sums->duplicates},
                 {"same_files", sums->same_files},
                 {"unreadable", sums->unreadable},
                 {"no_journals", sums->no_journals}};
  json_t *object = json_object();
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    json_object_set_new(object, numbers[i].name, number(numbers[i].value));
  }
  json_object_set_new(object, "damaged", damage_json(sums));
  json_object_set_new(object, "other_versions", tallies_json(sums, &sums->versions));
  json_object_set_new(object, "other_events", tallies_json(sums, &sums->events));
  return object;
}

static json_t *absent_json(const struct sums *sums, const struct fleet *wanted) {
  if (wanted == NULL) {
    return json_null();
  }
  json_t *list = json_array();
  size_t count;
  const char **absent = hosts_absent(sums, wanted, &count);
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(list, text(absent[i]));
  }
  free(absent);
  return list;
}

void report_json(const struct sums *sums, const struct fleet *wanted) {
  uint32_t *jobs = jobs_in_order(sums);
  json_t *list = json_array();
  for (size_t i = 0; i < sums->jobs.count; i++) {
    json_array_append_new(list, job_json(sums, jobs[i]));
  }
  free(jobs);
  json_t *object = json_pack("{s:i, s:s, s:o, s:o, s:o}", "version", 1, "winord", WINORD_VERSION, "read",
                             read_json(sums), "hosts_without_records", absent_json(sums, wanted), "jobs", list);
  if (object == NULL || json_dumpf(object, stdout, JSON_INDENT(2)) != 0) {
    say("cannot write the output");
    exit(STATUS_FAILED);
  }
  putchar('\n');
  json_decref(object);
}
