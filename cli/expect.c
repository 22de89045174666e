#include "expect.h"
#include "command.h"
#include "policy/file.h"
#include "policy/policy.h"

#include <fcntl.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const words[] = {"", "any", "relaxed", "strict"};

bool expect_parse(const char *word, enum expect *expect) {
  for (size_t i = EXPECT_ANY; i <= EXPECT_STRICT; i++) {
    if (strcmp(word, words[i]) == 0) {
      *expect = (enum expect)i;
      return true;
    }
  }
  return false;
}

/* What the journals of one run hold. */
struct tally {
  enum expect expect;
  const char *run;
  size_t registrations, met; /* met: with the expected outcome */
  size_t uncovered, policy_errors, no_nccl, not_json, files;
  json_int_t lost;
};

static const char *word_of(json_t *record, const char *key) {
  const char *word = json_string_value(json_object_get(record, key));
  return word ? word : "";
}

static bool is_met(enum expect expect, json_t *record) {
  json_t *flags = json_object_get(record, "flags_out");
  bool strict = json_integer_value(flags) & WIN_STRICT_ORDERING;
  const char *verdict = word_of(record, "verdict");
  switch (expect) {
  case EXPECT_STRICT: return json_is_integer(flags) && strict;
  case EXPECT_RELAXED:
    return json_is_integer(flags) && !strict && (strcmp(verdict, "rewritten") == 0 || strcmp(verdict, "passed") == 0);
  default: return true;
  }
}

static void count_registration(struct tally *tally, json_t *record) {
  if (strcmp(word_of(record, "verdict"), "no_nccl") == 0) {
    tally->no_nccl++;
    return;
  }
  tally->registrations++;
  tally->met += is_met(tally->expect, record);
}

static void count_event(struct tally *tally, json_t *record) {
  const char *event = word_of(record, "event");
  if (strcmp(event, "register") == 0) {
    count_registration(tally, record);
  } else if (strcmp(event, "uncovered") == 0) {
    if (tally->uncovered++ == 0) {
      say("calls can reach %s past the shim (uncovered: %s)", word_of(record, "nccl_path"), word_of(record, "why"));
    }
  } else if (strcmp(event, "policy_error") == 0) {
    if (tally->policy_errors++ == 0) {
      say("the policy was not used: %s: %s", word_of(record, "where"), word_of(record, "message"));
    }
  } else if (strcmp(event, "no_nccl") == 0) {
    tally->no_nccl++;
  }
}

static void count_line(struct tally *tally, const char *line, size_t size) {
  json_t *record = json_loadb(line, size, 0, NULL);
  if (!json_is_object(record)) {
    tally->not_json += line[strspn(line, " \r\n")] != '\0';
  } else if (strcmp(word_of(record, "run"), tally->run) == 0) {
    json_int_t lost = json_integer_value(json_object_get(record, "lost"));
    tally->lost = lost > tally->lost ? lost : tally->lost;
    count_event(tally, record);
  }
  json_decref(record);
}

/* A plain file, and not one that everybody could have put there: the shim would not have written to it. */
static bool is_journal(int descriptor, const char *path) {
  struct stat facts;
  return fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
         (file_is_own(facts.st_uid) || !file_folder_is_open(path));
}

static void count_file(struct tally *tally, const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  FILE *file = descriptor >= 0 && is_journal(descriptor, path) ? fdopen(descriptor, "r") : NULL;
  if (file == NULL) {
    if (descriptor >= 0) {
      close(descriptor);
    }
    say("%s: cannot be read back as a journal", path);
    return;
  }
  char *line = NULL;
  size_t room = 0;
  ssize_t size;
  while ((size = getline(&line, &room, file)) >= 0) {
    count_line(tally, line, (size_t)size);
  }
  free(line);
  fclose(file);
  tally->files++;
}

/* Bytes of a WINORD_LOG pattern that stand for what only the process knows; 0: this % stands for itself. */
static size_t pattern_length(const char *at) {
  if (at[1] == 'h' || at[1] == 'p') {
    return 2;
  }
  const char *end = strncmp(at, "%q{", 3) == 0 ? strchr(at, '}') : NULL;
  return end ? (size_t)(end - at) + 1 : 0;
}

/* WINORD_LOG as a glob(3) pattern: whatever a process may have put in its place is `*`. */
static char *log_glob(const char *log) {
  char *pattern = text_copy(""), *longer;
  while (*log != '\0') {
    size_t length = *log == '%' ? pattern_length(log) : 0;
    if (length > 0) {
      longer = text_format("%s*", pattern);
    } else {
      length = log[0] == '%' && log[1] == '%' ? 2 : 1;
      longer = text_format("%s%s%c", pattern, strchr("*?[\\", *log) ? "\\" : "", *log);
    }
    free(pattern);
    pattern = longer;
    log += length;
  }
  return pattern;
}

static void count_files(struct tally *tally, const char *log) {
  glob_t found;
  char *pattern = log_glob(log);
  if (glob(pattern, GLOB_PERIOD, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      count_file(tally, found.gl_pathv[i]);
    }
    globfree(&found);
  }
  free(pattern);
}

static int say_outcome(const struct tally *tally) {
  const char *outcome = words[tally->expect];
  const char *kind = tally->expect == EXPECT_ANY ? "" : outcome, *space = *kind ? " " : "";
  if (tally->no_nccl > 0) {
    say("calls of NCCL's window functions found no NCCL (no_nccl)");
  }
  if (tally->lost > 0) {
    say("%lld journal records were lost", (long long)tally->lost);
  }
  if (tally->met == 0) {
    say("no %s%sregistration was journalled by this run: %zu registrations in %zu journal files%s", kind, space,
        tally->registrations, tally->files, tally->registrations ? "" : "; was the shim loaded? 'winord doctor' tells");
  }
  bool good = tally->met > 0 && !tally->uncovered && !tally->policy_errors && !tally->no_nccl && !tally->lost;
  if (!good && tally->not_json > 0) {
    say("%zu lines that are not JSON were skipped", tally->not_json);
  }
  if (!good) {
    say("--expect %s failed", outcome);
  }
  return good ? STATUS_OK : STATUS_UNEXPECTED;
}

int expect_check(enum expect expect, const char *log, const char *run) {
  struct tally tally = {.expect = expect, .run = run};
  count_files(&tally, log);
  return say_outcome(&tally);
}
