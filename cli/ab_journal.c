#include "ab_journal.h"
#include "command.h"
#include "policy/policy.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHAPES_MAX = 4096, REFUSALS_MAX = 64, RANKS_MAX = 1 << 20 };

static const char *word_of(json_t *record, const char *key) {
  const char *word = json_string_value(json_object_get(record, key));
  return word ? word : "";
}

static int64_t number_of(json_t *record, const char *key) { return json_integer_value(json_object_get(record, key)); }

static bool word_is(json_t *record, const char *key, const char *word) {
  return strcmp(word_of(record, key), word) == 0;
}

/* One more element of size bytes, zeroed, behind count of them. Without memory the program ends. */
static void *one_more(void *array, size_t count, size_t size) {
  char *longer = realloc(array, (count + 1) * size);
  if (longer == NULL) {
    say("out of memory");
    exit(STATUS_FAILED);
  }
  memset(longer + count * size, 0, size);
  return longer;
}

static bool same_shape(const struct shape *a, const struct shape *b) {
  return a->size == b->size && a->asked_strict == b->asked_strict && strcmp(a->host, b->host) == 0;
}

static struct shape *find_shape(const struct registrations *all, const struct shape *wanted) {
  for (size_t i = 0; i < all->shape_count; i++) {
    if (same_shape(&all->shapes[i], wanted)) {
      return &all->shapes[i];
    }
  }
  return NULL;
}

static void count_shape(struct registrations *all, json_t *record, bool relaxed) {
  struct shape wanted = {.host = (char *)word_of(record, "host"),
                         .size = number_of(record, "size"),
                         .asked_strict = number_of(record, "flags_in") & WIN_STRICT_ORDERING};
  struct shape *shape = find_shape(all, &wanted);
  if (shape == NULL && all->shape_count < SHAPES_MAX) {
    all->shapes = one_more(all->shapes, all->shape_count, sizeof *shape);
    shape = &all->shapes[all->shape_count++];
    *shape = wanted;
    shape->host = text_copy(wanted.host);
  }
  if (shape != NULL) {
    shape->total++;
    shape->relaxed += relaxed;
  }
}

static struct refusal *find_refusal(const struct registrations *all, const struct refusal *wanted) {
  for (size_t i = 0; i < all->refusal_count; i++) {
    struct refusal *refusal = &all->refusals[i];
    if (!strcmp(refusal->rule, wanted->rule) && !strcmp(refusal->where, wanted->where) &&
        !strcmp(refusal->why, wanted->why)) {
      return refusal;
    }
  }
  return NULL;
}

static void count_refusal(struct registrations *all, json_t *record) {
  struct refusal wanted = {(char *)word_of(record, "rule"), (char *)word_of(record, "where"),
                           (char *)word_of(record, "why"), 0};
  struct refusal *refusal = find_refusal(all, &wanted);
  all->refused++;
  if (refusal == NULL && all->refusal_count < REFUSALS_MAX) {
    all->refusals = one_more(all->refusals, all->refusal_count, sizeof *refusal);
    refusal = &all->refusals[all->refusal_count++];
    *refusal = (struct refusal){text_copy(wanted.rule), text_copy(wanted.where), text_copy(wanted.why), 0};
  }
  if (refusal != NULL) {
    refusal->count++;
  }
}

/* Marks the rank of a communicator that is as large as the largest so far. */
static void count_rank(struct registrations *all, json_t *record) {
  int64_t rank = number_of(record, "rank"), nranks = number_of(record, "nranks");
  if (nranks > (int64_t)all->nranks && nranks <= RANKS_MAX) {
    free(all->seen);
    all->seen = calloc((size_t)nranks, 1);
    all->nranks = all->seen ? (size_t)nranks : 0;
    all->ranks_seen = 0;
  }
  if (nranks == (int64_t)all->nranks && rank >= 0 && rank < nranks && !all->seen[rank]) {
    all->seen[rank] = 1;
    all->ranks_seen++;
  }
}

static void trouble(struct registrations *all, char *words) {
  if (all->trouble == NULL) {
    all->trouble = words;
  } else {
    free(words);
  }
}

static void count_no_nccl(struct registrations *all) {
  all->no_nccl++;
  trouble(all, text_copy("a window call found no NCCL (no_nccl)"));
}

static void count_registration(struct registrations *all, json_t *record) {
  json_t *flags = json_object_get(record, "flags_out");
  bool relaxed = !(json_integer_value(flags) & WIN_STRICT_ORDERING);
  if (word_is(record, "verdict", "no_nccl")) {
    count_no_nccl(all);
  } else if (!json_is_integer(flags)) {
    all->damaged++;
  } else if (number_of(record, "result") != 0) {
    all->failed++;
  } else {
    if (all->nccl[0] == '\0') {
      snprintf(all->nccl, sizeof all->nccl, "%s", word_of(record, "nccl"));
    }
    all->relaxed += relaxed;
    all->strict += !relaxed;
    all->rewritten += word_is(record, "verdict", "rewritten");
    if (word_is(record, "verdict", "refused")) {
      count_refusal(all, record);
    }
    count_shape(all, record, relaxed);
    count_rank(all, record);
  }
}

static void count_event(struct registrations *all, json_t *record) {
  if (word_is(record, "event", "register")) {
    count_registration(all, record);
  } else if (word_is(record, "event", "uncovered")) {
    all->uncovered++;
    trouble(all, text_format("calls can reach %s past the shim (uncovered: %s)", word_of(record, "nccl_path"),
                             word_of(record, "why")));
  } else if (word_is(record, "event", "policy_error")) {
    all->policy_errors++;
    trouble(all, text_format("the policy was not used on %s: %s: %s", word_of(record, "host"), word_of(record, "where"),
                             word_of(record, "message")));
  } else if (word_is(record, "event", "no_nccl")) {
    count_no_nccl(all);
  }
}

static void count_line(struct registrations *all, const char *line, size_t size) {
  json_t *record = json_loadb(line, size, 0, NULL);
  if (!json_is_object(record)) {
    all->damaged += line[strspn(line, " \r\n")] != '\0';
  } else {
    int64_t lost = number_of(record, "lost");
    if (lost > all->lost) {
      all->lost = lost;
      trouble(all, text_copy("journal records were lost"));
    }
    count_event(all, record);
  }
  json_decref(record);
}

static void count_file(struct registrations *all, int folder, const char *name) {
  struct stat facts;
  int descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  bool regular = descriptor >= 0 && fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
  FILE *file = regular ? fdopen(descriptor, "r") : NULL;
  if (file == NULL) {
    if (descriptor >= 0) {
      close(descriptor);
    }
    all->damaged++;
    return;
  }
  char *line = NULL;
  size_t room = 0;
  ssize_t size;
  while ((size = getline(&line, &room, file)) >= 0) {
    count_line(all, line, (size_t)size);
  }
  free(line);
  fclose(file);
  all->files++;
}

/* Whether the file is called NAME.*.jsonl. */
static bool is_journal(const char *file, const char *name) {
  static const char end[] = ".jsonl";
  size_t begin = strlen(name), length = strlen(file);
  return length > begin + sizeof end && strncmp(file, name, begin) == 0 && file[begin] == '.' &&
         strcmp(file + length - (sizeof end - 1), end) == 0;
}

struct registrations registrations_read(const char *folder, const char *name) {
  struct registrations all = {0};
  DIR *directory = opendir(folder);
  struct dirent *entry;
  while (directory != NULL && (entry = readdir(directory)) != NULL) {
    if (is_journal(entry->d_name, name)) {
      count_file(&all, dirfd(directory), entry->d_name);
    }
  }
  if (directory != NULL) {
    closedir(directory);
  }
  return all;
}

void registrations_free(struct registrations *all) {
  for (size_t i = 0; i < all->shape_count; i++) {
    free(all->shapes[i].host);
  }
  for (size_t i = 0; i < all->refusal_count; i++) {
    free(all->refusals[i].rule);
    free(all->refusals[i].where);
    free(all->refusals[i].why);
  }
  free(all->shapes);
  free(all->refusals);
  free(all->trouble);
  free(all->seen);
  *all = (struct registrations){0};
}

bool registrations_differ(const struct registrations *a, const struct registrations *b, bool *common) {
  bool differ = false;
  *common = false;
  for (size_t i = 0; i < a->shape_count; i++) {
    const struct shape *mine = &a->shapes[i], *other = find_shape(b, mine);
    *common = *common || other != NULL;
    differ = differ || (other != NULL && mine->relaxed * other->total != other->relaxed * mine->total);
  }
  return differ;
}
