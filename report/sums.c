#define _GNU_SOURCE
#include "report/sums.h"

#include "report/memory.h"

#include <stdlib.h>
#include <string.h>

/* A file found in a folder that has no record of ours in so many bytes is no journal. */
enum { NO_JOURNAL = 1 << 20 };

/* What tells processes apart, but for those that a pid is given to one after the other. */
struct name {
  struct name_key {
    uint32_t job, host, step, run;
    int64_t pid;
  } key;
  uint32_t newest; /* place plus one in sums.processes; 0: none yet */
};

void sums_begin(struct sums *sums) {
  *sums = (struct sums){.jobs = {.key_size = sizeof((struct job *)NULL)->key, .entry_size = sizeof(struct job)},
                        .names = {.key_size = sizeof(struct name_key), .entry_size = sizeof(struct name)},
                        .comms = {.key_size = sizeof(struct comm_key), .entry_size = sizeof(struct comm)},
                        .versions = {.key_size = sizeof(uint32_t), .entry_size = sizeof(struct tally)},
                        .events = {.key_size = sizeof(uint32_t), .entry_size = sizeof(struct tally)}};
  for (size_t i = 0; i < SHEETS; i++) {
    sums->sheets[i] = (struct table){.key_size = sizeof((struct row *)NULL)->key, .entry_size = sizeof(struct row)};
  }
}

void sums_free(struct sums *sums) {
  struct table *tables[] = {&sums->jobs, &sums->names, &sums->comms, &sums->versions, &sums->events};
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    table_free(tables[i]);
  }
  for (size_t i = 0; i < SHEETS; i++) {
    table_free(&sums->sheets[i]);
  }
  for (size_t i = 0; i < sums->process_count; i++) {
    sequence_free(&sums->processes[i].seen);
  }
  free(sums->processes);
  texts_free(&sums->texts);
}

static uint32_t number_of(struct sums *sums, enum field field) {
  const struct value *value = &sums->record.values[field];
  const struct text *last = &sums->recent[field].text;
  if (value->text == NULL) {
    return 0;
  }
  if (last->bytes == NULL || last->size != value->size || memcmp(last->bytes, value->text, value->size) != 0) {
    sums->recent[field].number = texts_number(&sums->texts, value->text, value->size);
    sums->recent[field].text = sums->texts.list[sums->recent[field].number];
  }
  return sums->recent[field].number;
}

static uint32_t job_of(struct sums *sums, int64_t time) {
  const uint32_t name = number_of(sums, FIELD_JOB), key[2] = {name ? name : number_of(sums, FIELD_RUN), name == 0};
  struct job *job = table_entry(&sums->jobs, key);
  if (job->records++ == 0) {
    job->first = job->last = time;
  }
  job->first = time < job->first ? time : job->first;
  job->last = time > job->last ? time : job->last;
  return (uint32_t)(((char *)job - sums->jobs.entries) / (ptrdiff_t)sizeof *job);
}

static struct process *new_process(struct sums *sums, const struct name_key *key, int64_t time, uint32_t older) {
  sums->processes =
      memory_for_one_more(sums->processes, sums->process_count, &sums->process_room, sizeof *sums->processes);
  struct process *process = &sums->processes[sums->process_count++];
  *process = (struct process){.job = key->job,
                              .host = key->host,
                              .step = key->step,
                              .run = key->run,
                              .pid = key->pid,
                              .start = -1,
                              .first = time,
                              .older = older};
  return process;
}

/* A start record: of a process that is known by it, of one whose later records were read before, or of a new one. */
static struct process *started(struct sums *sums, struct name *name, int64_t time) {
  for (uint32_t at = name->newest; at != 0; at = sums->processes[at - 1].older) {
    struct process *process = &sums->processes[at - 1];
    if (process->start == time) {
      return process;
    }
    if (process->start < 0 && process->first >= time && !sequence_has(&process->seen, 1)) {
      process->start = time;
      return process;
    }
  }
  /* Kept in order of their starts, the newest first. */
  uint32_t *link = &name->newest;
  while (*link != 0 && sums->processes[*link - 1].start > time) {
    link = &sums->processes[*link - 1].older;
  }
  const uint32_t older = *link;
  *link = (uint32_t)sums->process_count + 1;
  struct process *process = new_process(sums, &name->key, time, older);
  process->start = time;
  return process;
}

/* Any other record: of the last process that had started by then, or whose start was not seen; else of the oldest. */
static struct process *running(struct sums *sums, struct name *name, int64_t time) {
  struct process *oldest = NULL;
  for (uint32_t at = name->newest; at != 0; at = oldest->older) {
    oldest = &sums->processes[at - 1];
    if (oldest->start <= time) {
      return oldest;
    }
  }
  if (oldest != NULL) {
    return oldest;
  }
  name->newest = (uint32_t)sums->process_count + 1;
  return new_process(sums, &name->key, time, 0);
}

static struct process *process_of(struct sums *sums, uint32_t job, int64_t time) {
  const struct name_key key = {.job = job,
                               .host = number_of(sums, FIELD_HOST),
                               .step = number_of(sums, FIELD_STEP),
                               .run = number_of(sums, FIELD_RUN),
                               .pid = sums->record.values[FIELD_PID].number};
  struct name *name = table_entry(&sums->names, &key);
  const bool starts = value_is(&sums->record.values[FIELD_EVENT], "start");
  struct process *process = starts ? started(sums, name, time) : running(sums, name, time);
  process->first = time < process->first ? time : process->first;
  return process;
}

/* count 0: that there is such a record, and no more. */
static void count_row(struct sums *sums, enum sheet sheet, uint32_t job, uint64_t count, uint64_t bytes) {
  uint32_t key[COLUMNS] = {job};
  for (size_t i = 1; i < sheet_forms[sheet].column_count; i++) {
    key[i] = number_of(sums, sheet_forms[sheet].columns[i].field);
  }
  struct row *row = table_entry(&sums->sheets[sheet], key);
  row->count += count;
  row->bytes += bytes;
}

static void count_comm(struct sums *sums, uint32_t job) {
  const struct value *values = sums->record.values;
  const struct value *rank = &values[FIELD_RANK], *nranks = &values[FIELD_NRANKS], *comm = &values[FIELD_COMM_SEQ];
  if (rank->kind != KIND_NUMBER || nranks->kind != KIND_NUMBER || comm->kind != KIND_NUMBER || nranks->number < 2 ||
      !value_is(&values[FIELD_OUTCOME], "accepted")) {
    return;
  }
  struct comm_key key = {.job = job,
                         .step = number_of(sums, FIELD_STEP),
                         .nranks = nranks->number,
                         .comm_seq = comm->number,
                         .size = values[FIELD_SIZE].number};
  struct comm *entry = table_entry(&sums->comms, &key);
  const bool asked = value_is(&values[FIELD_ASKED], "strict"), got = value_is(&values[FIELD_GOT], "strict");
  struct side *side = &entry->sides[asked][got];
  if (side->count++ == 0) {
    side->host = number_of(sums, FIELD_HOST);
    side->rank = rank->number;
  }
}

static void count_registration(struct sums *sums, uint32_t job, bool again) {
  record_derive(&sums->record);
  if (!again) {
    count_comm(sums, job);
  }
  count_row(sums, SHEET_REGISTRATIONS, job, !again, again ? 0 : (uint64_t)sums->record.values[FIELD_SIZE].number);
}

static enum sheet sheet_of(const struct value *event) {
  enum sheet sheet = 0;
  while (sheet < SHEETS && !value_is(event, sheet_forms[sheet].event)) {
    sheet++;
  }
  return sheet;
}

static void tally(struct sums *sums, struct table *table, enum field field) {
  const uint32_t key = number_of(sums, field);
  ((struct tally *)table_entry(table, &key))->count++;
}

/* again: it was read before. */
static void count_event(struct sums *sums, uint32_t job, bool again) {
  static const char *const uncounted[] = {"deregister", "devcomm", "exit"};
  const struct value *event = &sums->record.values[FIELD_EVENT];
  const enum sheet sheet = sheet_of(event);
  if (sheet == SHEET_REGISTRATIONS) {
    count_registration(sums, job, again);
  } else if (again || value_is(event, uncounted[0]) || value_is(event, uncounted[1]) || value_is(event, uncounted[2])) {
    return;
  } else if (sheet < SHEETS) {
    count_row(sums, sheet, job, 1, 0);
  } else {
    tally(sums, &sums->events, FIELD_EVENT);
  }
}

static void count_record(struct sums *sums) {
  const struct value *values = sums->record.values;
  const int64_t time = time_number(&values[FIELD_TS]);
  const uint32_t job = job_of(sums, time);
  struct process *process = process_of(sums, job, time);
  const uint64_t lost = (uint64_t)values[FIELD_LOST].number;
  process->lost = lost > process->lost ? lost : process->lost;
  process->ended = process->ended || value_is(&values[FIELD_EVENT], "exit");
  const bool again = !sequence_add(&process->seen, (uint64_t)values[FIELD_SEQ].number);
  sums->duplicates += again;
  count_event(sums, job, again);
}

static const char *read_line(struct sums *sums, const char *line, size_t size) {
  const char *fault = record_read(&sums->record, line, size);
  const struct value *version = &sums->record.values[FIELD_V];
  if (fault != NULL) {
    return fault;
  }
  if (version->kind != KIND_NUMBER || sums->record.values[FIELD_EVENT].kind != KIND_TEXT) {
    return "not a record of winord";
  }
  if (version->number == 1) {
    fault = record_fault(&sums->record);
  }
  if (fault == NULL) {
    sums->file.records++;
    if (version->number == 1) {
      count_record(sums);
    } else {
      tally(sums, &sums->versions, FIELD_V);
    }
  }
  return fault;
}

bool sums_line(struct sums *sums, const char *line, size_t size, bool cut) {
  sums->file.lines++;
  sums->file.bytes += size;
  if (strspn(line, " \t\r") >= size) {
    return true;
  }
  const char *fault = read_line(sums, line, size);
  record_done(&sums->record);
  if (fault != NULL) {
    sums_damaged(sums, cut ? "the file ends within this line" : fault, line, size);
  }
  return sums->file.records > 0 || !sums->file.found || sums->file.bytes < NO_JOURNAL;
}

void sums_damaged(struct sums *sums, const char *why, const char *text, size_t size) {
  struct damage *damage = &sums->pending;
  if (damage->count < FIRST_FEW) {
    struct damaged_line *line = &damage->first[damage->count];
    *line = (struct damaged_line){.file = sums->file.name, .line = sums->file.lines, .why = why};
    size = size < EXCERPT ? size : EXCERPT;
    for (size_t i = 0; i < size; i++) {
      line->text[i] = (char)(text[i] ? text[i] : '?');
    }
  }
  damage->count++;
}

void sums_begin_file(struct sums *sums, const char *name, bool found) {
  sums->file.name = texts_number(&sums->texts, name, strlen(name));
  sums->file.found = found;
  sums->file.lines = sums->file.records = sums->file.bytes = 0;
  sums->pending.count = 0;
}

static void keep_damage(struct sums *sums) {
  const struct damage *pending = &sums->pending;
  for (size_t i = 0; i < FIRST_FEW && i < pending->count && sums->damage.count + i < FIRST_FEW; i++) {
    sums->damage.first[sums->damage.count + i] = pending->first[i];
  }
  sums->damage.count += pending->count;
}

void sums_end_file(struct sums *sums) {
  if (sums->file.found && sums->file.records == 0) {
    sums->no_journal = sums->no_journals++ ? sums->no_journal : sums->file.name;
    return;
  }
  keep_damage(sums);
  sums->files++;
  sums->lines += sums->file.lines;
  sums->records += sums->file.records;
}

static int by_rank(const void *a, const void *b, void *user) {
  const struct row *left = a, *right = b;
  const struct texts *texts = user;
  if (left->key[0] != right->key[0]) {
    return left->key[0] < right->key[0] ? -1 : 1;
  }
  for (size_t i = 1; i < COLUMNS; i++) {
    const uint32_t l = texts_rank(texts, left->key[i]), r = texts_rank(texts, right->key[i]);
    if (l != r) {
      return l < r ? -1 : 1;
    }
  }
  return 0;
}

static int by_place(const void *a, const void *b, void *user) {
  const struct process *left = a, *right = b;
  const struct texts *texts = user;
  const uint32_t l = texts_rank(texts, left->host), r = texts_rank(texts, right->host);
  if (left->job != right->job) {
    return left->job < right->job ? -1 : 1;
  }
  if (l != r) {
    return l < r ? -1 : 1;
  }
  return (left->pid > right->pid) - (left->pid < right->pid);
}

static int by_size(const void *a, const void *b) {
  const struct comm_key *left = a, *right = b;
  const int64_t l[] = {left->job, left->step, left->comm_seq, left->nranks, left->size};
  const int64_t r[] = {right->job, right->step, right->comm_seq, right->nranks, right->size};
  for (size_t i = 0; i < sizeof l / sizeof l[0]; i++) {
    if (l[i] != r[i]) {
      return l[i] < r[i] ? -1 : 1;
    }
  }
  return 0;
}

static void sort(void *base, size_t count, size_t size, int (*order)(const void *, const void *, void *), void *user) {
  if (count > 1) {
    qsort_r(base, count, size, order, user);
  }
}

void sums_finish(struct sums *sums) {
  texts_sort(&sums->texts);
  for (size_t i = 0; i < SHEETS; i++) {
    sort(sums->sheets[i].entries, sums->sheets[i].count, sizeof(struct row), by_rank, &sums->texts);
  }
  sort(sums->processes, sums->process_count, sizeof *sums->processes, by_place, &sums->texts);
  if (sums->comms.count > 1) {
    qsort(sums->comms.entries, sums->comms.count, sizeof(struct comm), by_size);
  }
}

uint64_t process_missing(const struct process *process) { return sequence_missing(&process->seen); }

bool sums_is_whole(const struct sums *sums) {
  bool whole = sums->damage.count == 0 && sums->versions.count == 0;
  for (size_t i = 0; i < sums->process_count && whole; i++) {
    whole = sums->processes[i].lost == 0 && process_missing(&sums->processes[i]) == 0;
  }
  return whole;
}

bool comm_differs(const struct comm *comm) {
  uint64_t asked[2];
  for (int i = 0; i < 2; i++) {
    const struct side *sides = comm->sides[i];
    asked[i] = sides[0].count + sides[1].count;
    if (sides[0].count > 0 && sides[1].count > 0) {
      return true;
    }
  }
  /* Windows of both kinds, each on all ranks, are no difference between ranks. */
  const uint64_t ranks = (uint64_t)comm->key.nranks;
  return asked[0] > 0 && asked[1] > 0 && asked[0] % ranks != 0 && asked[1] % ranks != 0;
}
