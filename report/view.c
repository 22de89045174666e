#define _GNU_SOURCE
#include "cli/command.h"
#include "report/memory.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static int by_first(const void *a, const void *b, void *user) {
  const struct sums *sums = user;
  const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
  const int64_t l = ((const struct job *)table_at(&sums->jobs, left))->first;
  const int64_t r = ((const struct job *)table_at(&sums->jobs, right))->first;
  return l != r ? (l > r) - (l < r) : (left > right) - (left < right);
}

uint32_t *jobs_in_order(const struct sums *sums) {
  uint32_t *jobs = memory_sized(NULL, sums->jobs.count + 1, sizeof *jobs);
  for (uint32_t i = 0; i < sums->jobs.count; i++) {
    jobs[i] = i;
  }
  qsort_r(jobs, sums->jobs.count, sizeof *jobs, by_first, (void *)sums);
  return jobs;
}

/* Entries of a sorted array; the number of an entry's job is where `job_at` says. */
struct entries {
  const void *base;
  size_t count, size, job_at;
};

/* How many of them are of jobs before this one. */
static size_t count_before(const struct entries *entries, uint64_t job) {
  size_t low = 0, high = entries->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    uint32_t here;
    memcpy(&here, (const char *)entries->base + middle * entries->size + entries->job_at, sizeof here);
    if (here < job) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Those of one job, `found` of them. */
static const void *of_job(struct entries entries, uint32_t job, size_t *found) {
  const size_t first = count_before(&entries, job);
  *found = count_before(&entries, (uint64_t)job + 1) - first;
  return entries.count > 0 ? (const char *)entries.base + first * entries.size : entries.base;
}

const struct row *job_rows(const struct sums *sums, enum sheet sheet, uint32_t job, size_t *count) {
  const struct table *table = &sums->sheets[sheet];
  return of_job((struct entries){table->entries, table->count, sizeof(struct row), offsetof(struct row, key)}, job,
                count);
}

const struct process *job_processes(const struct sums *sums, uint32_t job, size_t *count) {
  return of_job(
      (struct entries){sums->processes, sums->process_count, sizeof(struct process), offsetof(struct process, job)},
      job, count);
}

const struct comm *job_comms(const struct sums *sums, uint32_t job, size_t *count) {
  const struct table *table = &sums->comms;
  return of_job((struct entries){table->entries, table->count, sizeof(struct comm), offsetof(struct comm, key.job)},
                job, count);
}

struct summary summary_of(const struct sums *sums, uint32_t job) {
  struct summary summary = {0};
  size_t count;
  const struct process *process = job_processes(sums, job, &count);
  uint32_t host = 0;
  for (; count > 0; count--, process++) {
    const uint64_t missing = process_missing(process);
    summary.processes++;
    summary.hosts += process->host != host;
    summary.ended += process->ended;
    summary.missing += missing;
    summary.incomplete += missing > 0 || process->lost > 0;
    summary.lost += process->lost;
    host = process->host;
  }
  const struct row *row = job_rows(sums, SHEET_REGISTRATIONS, job, &count);
  for (; count > 0; count--, row++) {
    summary.windows += row->count;
    summary.bytes += row->bytes;
  }
  return summary;
}

char *job_name(const struct sums *sums, uint32_t job) {
  const struct job *entry = table_at(&sums->jobs, job);
  const char *text = texts_text(&sums->texts, entry->key[0]);
  return text ? text_format("%s %s", entry->key[1] ? "run" : "job", text) : text_copy("no job, no run");
}

char *gaps_text(const struct process *process) {
  char *text = text_copy("");
  uint64_t next = 1;
  for (size_t i = 0, shown = 0; i < process->seen.count && shown <= FIRST_FEW; i++) {
    const struct range *range = &process->seen.ranges[i];
    if (range->first > next) {
      const unsigned long long first = next, last = range->first - 1;
      char *gap = shown == FIRST_FEW ? text_copy("...")
                  : first == last    ? text_format("%llu", first)
                                     : text_format("%llu-%llu", first, last);
      char *longer = text_format("%s%s%s", text, shown ? ", " : "", gap);
      free(text);
      free(gap);
      text = longer;
      shown++;
    }
    next = range->last + 1;
  }
  return text;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static int by_version(const void *a, const void *b) {
  const int order = strverscmp(*(const char *const *)a, *(const char *const *)b);
  return order ? order : by_name(a, b);
}

/* Full names and first labels of all hosts with records, sorted. */
static char **hosts_present(const struct sums *sums, size_t *count) {
  char **names = memory_sized(NULL, 2 * sums->process_count + 1, sizeof *names);
  uint32_t last = 0;
  *count = 0;
  for (size_t i = 0; i < sums->process_count; i++) {
    const char *host = texts_text(&sums->texts, sums->processes[i].host);
    if (sums->processes[i].host != last && host != NULL) {
      last = sums->processes[i].host;
      names[(*count)++] = text_copy(host);
      names[(*count)++] = text_format("%.*s", (int)strcspn(host, "."), host);
    }
  }
  qsort(names, *count, sizeof *names, by_name);
  return names;
}

static bool is_present(char *const *names, size_t count, const char *host) {
  char *label = text_format("%.*s", (int)strcspn(host, "."), host);
  const bool whole = count > 0 && bsearch(&host, names, count, sizeof *names, by_name) != NULL;
  const bool part = count > 0 && bsearch(&label, names, count, sizeof *names, by_name) != NULL;
  free(label);
  return whole || part;
}

const char **hosts_absent(const struct sums *sums, const struct fleet *wanted, size_t *count) {
  size_t present;
  char **names = hosts_present(sums, &present);
  const char **absent = memory_sized(NULL, wanted->count + 1, sizeof *absent);
  *count = 0;
  for (size_t i = 0; i < wanted->count; i++) {
    if (!is_present(names, present, wanted->hosts[i].name)) {
      absent[(*count)++] = wanted->hosts[i].name;
    }
  }
  qsort(absent, *count, sizeof *absent, by_version);
  for (size_t i = 0; i < present; i++) {
    free(names[i]);
  }
  free(names);
  return absent;
}

const char *bytes_text(uint64_t bytes, char text[static 24]) {
  static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  double value = (double)bytes;
  while (value >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
    value /= 1024;
    unit++;
  }
  const bool whole = value == (double)(uint64_t)value;
  snprintf(text, 24, whole ? "%.0f%s%s" : "%.1f%s%s", value, unit ? "" : " bytes", units[unit]);
  return text;
}

char *sides_text(const struct sums *sums, const struct comm *comm) {
  static const char *const words[] = {"default", "strict"};
  char *text = text_copy("");
  for (int asked = 0; asked < 2; asked++) {
    for (int got = 0; got < 2; got++) {
      const struct side *side = &comm->sides[asked][got];
      if (side->count > 0) {
        char *longer =
            text_format("%s%s%llu asked %s, got %s (%s rank %lld%s)", text, *text ? "; " : "",
                        (unsigned long long)side->count, words[asked], words[got], texts_text(&sums->texts, side->host),
                        (long long)side->rank, side->count > 1 ? ", ..." : "");
        free(text);
        text = longer;
      }
    }
  }
  return text;
}
