/* The evidence, the rule and the summary. */
#include "collect/collect.h"
#include "collect/json_word.h"
#include "command.h"
#include "policy/policy.h"
#include "qualify.h"
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const kind_names[FINDING_KINDS] = {"refutes", "lacks", "not_seen"};
static const char *const kind_words[FINDING_KINDS] = {"refuted", "lacking", "not seen"};

static json_t *same(json_t *value) { return value ? json_incref(value) : json_null(); }

static json_t *command_list(char *const *command) {
  json_t *list = json_array();
  for (size_t i = 0; command != NULL && command[i] != NULL; i++) {
    json_array_append_new(list, json_word(command[i]));
  }
  return list;
}

bool qualify_write_evidence(const struct qualification *it, bool finished) {
  json_t *all =
      json_pack("{s:i, s:s, s:s, s:b}", "v", 1, "winord", WINORD_VERSION, "started", it->started, "finished", finished);
  json_object_set_new(all, "verdict", json_word(finished ? qualify_verdict(it) : "unknown"));
  json_object_set_new(all, "rehearsal", it->rehearsal ? json_word(qualify_outcome(it)) : json_null());
  json_object_set_new(all, "nccl", json_word(it->nccl[0] ? it->nccl : NULL));
  for (int kind = 0; kind < FINDING_KINDS; kind++) {
    json_object_set_new(all, kind_names[kind], same(it->findings[kind]));
  }
  json_object_set_new(all, "launcher", json_word(it->launcher));
  json_object_set_new(all, "stress_options", json_word(it->stress));
  json_object_set_new(all, "minutes", json_real(it->minutes));
  json_object_set_new(all, "command", command_list(it->command));
  json_object_set_new(all, "folder", json_word(it->folder));
  json_object_set_new(all, "journals",
                      json_pack("{s:s, s:s?}", "hunter", "journals/hunt.*.jsonl", "bandwidth",
                                it->bandwidth ? "bandwidth/[AB]*.jsonl" : NULL));
  json_object_set_new(all, "hosts", same(it->hosts));
  json_object_set_new(all, "bandwidth", same(it->bandwidth));
  json_object_set_new(all, "hunt", same(it->hunt));
  char *text = json_dumps(all, JSON_INDENT(1)), *path = qualify_path(it, "evidence.json");
  bool done = text != NULL && facts_replace(path, text, strlen(text)) == 0;
  if (!done) {
    say("%s: cannot be written: %s", path, strerror(errno));
  }
  free(path);
  free(text);
  json_decref(all);
  return done;
}

/* As comments, in lines that a policy can hold; control characters become `?`. */
static void comment(FILE *file, const char *title, const char *text) {
  enum { WIDTH = 110 };
  size_t length = strlen(text);
  for (size_t at = 0; at == 0 || at < length;) {
    size_t end = length - at <= WIDTH ? length : at + WIDTH, blank = end;
    while (end < length && blank > at && text[blank] != ' ') {
      blank--;
    }
    end = blank > at ? blank : end;
    print_plain(file, "# %-10s %.*s\n", at == 0 ? title : "", (int)(end - at), text + at);
    at = end + (text[end] == ' ');
    at += at == 0; /* an empty text */
  }
}

static void comment_hosts(FILE *file, const struct qualification *it) {
  for (size_t i = 0; i < json_array_size(it->hosts); i++) {
    const json_t *record = json_array_get(it->hosts, i);
    const char *row = qualify_text(record, "grounds"), *mode = qualify_text(record, "pci_atomic_mode"),
               *source = qualify_text(record, "pci_atomic_source");
    char *line = text_format("%s: PCI_ATOMIC_MODE %s (%s), guard %s", qualify_text(record, "host"),
                             mode ? mode : "unknown", source ? source : "no source", row ? row : "has no grounds");
    comment(file, i == 0 ? "hosts" : "", line);
    free(line);
  }
}

static void comment_all(FILE *file, const struct qualification *it) {
  char *head = text_format("winord %s qualify, %s, NCCL %s: %s%s", WINORD_VERSION, it->started,
                           it->nccl[0] ? it->nccl : "unknown", qualify_outcome(it),
                           it->rehearsal ? ", in a rehearsal: not for use" : "");
  comment(file, "by", head);
  free(head);
  comment_hosts(file, it);
  comment(file, "bandwidth", it->bandwidth_text ? it->bandwidth_text : "not measured");
  comment(file, "hunter", it->hunt_text ? it->hunt_text : "not run");
  comment(file, "", "Zero of N bounds how often it can happen under this stress; it does not show that it cannot.");
  for (int kind = 0; kind < FINDING_KINDS; kind++) {
    for (size_t i = 0; i < json_array_size(it->findings[kind]); i++) {
      comment(file, kind_words[kind], json_string_value(json_array_get(it->findings[kind], i)));
    }
  }
}

/* The pool that all hosts are in, or NULL. */
static const char *common_pool(const struct qualification *it) {
  const char *pool = qualify_text(json_array_get(it->hosts, 0), "pool");
  for (size_t i = 1; pool != NULL && i < json_array_size(it->hosts); i++) {
    const char *other = qualify_text(json_array_get(it->hosts, i), "pool");
    pool = other != NULL && strcmp(pool, other) == 0 ? pool : NULL;
  }
  return pool;
}

/* The pool's section, where some host's grounds are its attestation. */
static void print_section(FILE *file, const struct qualification *it, const char *pool) {
  for (size_t i = 0; i < json_array_size(it->hosts); i++) {
    const json_t *record = json_array_get(it->hosts, i), *section = json_object_get(record, "attestation");
    const json_t *hosts = json_object_get(section, "hosts");
    const char *row = qualify_text(record, "grounds"), *by = qualify_text(section, "by");
    int until = (int)json_integer_value(json_object_get(section, "until"));
    if (row == NULL || strcmp(row, "attested") != 0) {
      continue;
    }
    fprintf(file, "[pool %s]\n", pool);
    for (size_t j = 0; j < json_array_size(hosts); j++) {
      const char *pattern = json_string_value(json_array_get(hosts, j));
      print_plain(file, "hosts = %s\n", pattern ? pattern : "");
    }
    fprintf(file, "attest-pci-atomic-mode = 0\n");
    print_plain(file, "attested-by = %s\n", by ? by : "");
    fprintf(file, "attested-until = %04d-%02d-%02d\n\n", until / 10000, until / 100 % 100, until % 100);
    return;
  }
}

/* A relaxed rule holds only where the mode still is 0; a strict one always. */
static void print_rule(FILE *file, const struct qualification *it, const char *ordering) {
  const char *pool = common_pool(it), *last = "";
  fprintf(file, "\n[winord]\nversion = 1\n\n");
  if (pool != NULL) {
    print_section(file, it, pool);
  }
  fprintf(file, "[rule qualified]\n");
  if (pool != NULL) {
    fprintf(file, "pool = %s\n", pool);
  }
  for (size_t i = 0; pool == NULL && i < json_array_size(it->hosts); i++) {
    const char *host = qualify_text(json_array_get(it->hosts, i), "host");
    if (strcmp(host, last) != 0) {
      fprintf(file, "host = %s\n", host);
    }
    last = host;
  }
  if (strcmp(ordering, "relaxed") == 0) {
    fprintf(file, "asked = strict\npci-atomic-mode = 0\n");
  }
  fprintf(file, "ordering = %s\n", ordering);
}

/* Whether the policy can be used as it stands. */
static bool is_good(const char *path) {
  struct policy *policy = policy_read(path);
  bool good = policy != NULL && policy->error_count == 0;
  if (policy != NULL && !good) {
    report_problems(policy);
  }
  policy_free(policy);
  return good;
}

bool qualify_write_rule(const struct qualification *it, const char *name, const char *ordering) {
  char *text = NULL, *path = qualify_path(it, name);
  size_t size = 0;
  FILE *file = json_array_size(it->hosts) > 0 ? open_memstream(&text, &size) : NULL;
  bool done = file != NULL;
  if (done) {
    comment_all(file, it);
    print_rule(file, it, ordering);
    done = fclose(file) == 0 && facts_replace(path, text, size) == 0;
    if (!done) {
      say("%s: cannot be written: %s", path, strerror(errno));
    }
  }
  done = done && is_good(path);
  free(text);
  free(path);
  return done;
}

void qualify_print(const struct qualification *it) {
  comment_all(stdout, it);
  if (it->rehearsal) {
    printf("%s (rehearsal: %s)\n", qualify_verdict(it), qualify_outcome(it));
  } else {
    puts(qualify_verdict(it));
  }
}
