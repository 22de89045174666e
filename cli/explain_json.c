#include "collect/json_word.h"
#include "command.h"
#include "explanation.h"
#include "values.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* Likewise of fresh memory, which is freed. */
static json_t *taken(char *text) {
  json_t *value = json_word(text);
  free(text);
  return value;
}

static json_t *place(const char *file, int line) {
  return file ? taken(text_format("%s:%d", file, line)) : json_null();
}

static json_t *flag_list(int flags) {
  json_t *list = json_array();
  char *name;
  for (int i = 0; (name = flag_name(flags, i)) != NULL; i++) {
    json_array_append_new(list, taken(name));
  }
  return list;
}

static json_t *mode_value(int mode) { return mode == MODE_UNKNOWN ? json_null() : json_integer(mode); }

static json_t *host_object(const struct explanation *e) {
  const struct host *host = &e->host;
  const char *source;
  int mode = host_mode(host, &source);
  json_t *object = json_object();
  json_object_set_new(object, "name", json_word(host->name));
  json_object_set_new(object, "pool", json_word(host->pool));
  json_object_set_new(object, "pool_source",
                      json_word(host->pool && e->given[INPUT_POOL] ? "given" : host->pool_source));
  json_object_set_new(object, "pool_where",
                      host->section ? place(host->section->file, host->section->line) : json_null());
  json_object_set_new(object, "pool_mismatch", json_boolean(host->pool_mismatch));
  json_object_set_new(object, "pci_atomic_mode", mode_value(mode));
  json_object_set_new(object, "pci_atomic_source", json_word(source));
  json_object_set_new(object, "hypervisor", json_word(host->modes.words.hypervisor));
  json_object_set_new(object, "gpu", json_word(host->modes.words.gpu));
  json_object_set_new(object, "nic_type",
                      json_word(host->modes.words.nic_types[0] ? host->modes.words.nic_types : NULL));
  json_object_set_new(object, "path", json_word(host->modes.words.path));
  json_object_set_new(object, "facts", json_word(e->facts));
  json_object_set_new(object, "exe", json_word(host->exe));
  return object;
}

static json_t *request_object(const struct request *request) {
  json_t *object = json_object();
  json_object_set_new(object, "asked", json_word(request->flags & WIN_STRICT_ORDERING ? "strict" : "default"));
  json_object_set_new(object, "flags_in", json_integer(request->flags));
  json_object_set_new(object, "flag_names_in", flag_list(request->flags));
  json_object_set_new(object, "size", json_integer((json_int_t)request->size));
  json_object_set_new(object, "nccl", taken(version_text(request->nccl)));
  json_object_set_new(object, "gin_connection", json_word(gin_connection_name(request->gin_connection)));
  json_object_set_new(object, "caller", json_word(request->caller));
  return object;
}

/* What neither the command line nor this host told. */
static json_t *assumed_list(const struct explanation *e) {
  json_t *list = json_array();
  for (int i = INPUT_NCCL; i < INPUTS; i++) {
    if (!e->given[i]) {
      json_array_append_new(list, json_word(input_names[i]));
    }
  }
  return list;
}

static json_t *rule_object(const struct explanation *e, const struct rule *rule) {
  const char *key = rule_mismatch(rule, &e->request, &e->host);
  json_t *object = json_object();
  json_object_set_new(object, "rule", json_word(rule->name));
  json_object_set_new(object, "where", place(rule->file, rule->line));
  json_object_set_new(object, "matches", json_boolean(key == NULL));
  json_object_set_new(object, "key", json_word(key));
  json_object_set_new(object, "asks", key ? taken(rule_value(key, rule)) : json_null());
  json_object_set_new(object, "here", key ? taken(request_value(key, &e->request, &e->host)) : json_null());
  return object;
}

/* The rules in order, up to the one that decides. */
static json_t *rule_list(const struct explanation *e) {
  json_t *list = json_array();
  for (size_t i = 0; i < e->policy->rule_count; i++) {
    json_array_append_new(list, rule_object(e, &e->policy->rules[i]));
    if (e->decision.rule == &e->policy->rules[i]) {
      break;
    }
  }
  return list;
}

static json_t *guard_list(const struct explanation *e) {
  json_t *list = json_array();
  for (int row = GUARD_ASSERTED; row <= GUARD_ACCEPTED; row++) {
    const char *fails = guard_fails((enum guard)row, e->decision.rule, &e->request, &e->host);
    json_t *object = json_object();
    json_object_set_new(object, "guard", json_word(guard_name((enum guard)row)));
    json_object_set_new(object, "holds", json_boolean(fails == NULL));
    json_object_set_new(object, "why", json_word(fails));
    json_array_append_new(list, object);
  }
  return list;
}

/* The words of the journal's fields of the same names. */
static json_t *decision_object(const struct explanation *e) {
  const struct decision *decision = &e->decision;
  char warnings[256];
  json_t *object = json_object();
  json_object_set_new(object, "verdict", json_word(verdict_name(decision->verdict)));
  json_object_set_new(object, "why", json_word(decision->why));
  json_object_set_new(object, "ordering", json_word(ordering_name(decision->ordering)));
  json_object_set_new(object, "rule", json_word(decision->rule ? decision->rule->name : NULL));
  json_object_set_new(object, "where", place(decision->file, decision->line));
  json_object_set_new(object, "guard", json_word(guard_name(decision->guard)));
  json_object_set_new(object, "flags_out", json_integer(decision->flags));
  json_object_set_new(object, "flag_names_out", flag_list(decision->flags));
  json_object_set_new(object, "exposure", json_word(decision->exposed ? "possible" : "none"));
  warnings_text(decision->warnings, warnings, sizeof warnings);
  json_object_set_new(object, "warning", json_word(warnings[0] ? warnings : NULL));
  return object;
}

void explain_json(const struct explanation *e) {
  json_t *object = json_object();
  json_object_set_new(object, "v", json_integer(1));
  json_object_set_new(object, "policy", json_word(e->policy->path));
  json_object_set_new(object, "digest", taken(text_format("fnv1a64:%016llx", (unsigned long long)e->policy->digest)));
  json_object_set_new(object, "host", host_object(e));
  json_object_set_new(object, "request", request_object(&e->request));
  json_object_set_new(object, "assumed", assumed_list(e));
  json_object_set_new(object, "rules", rule_list(e));
  json_object_set_new(object, "guard", guard_list(e));
  json_object_set_new(object, "decision", decision_object(e));
  json_dumpf(object, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(object);
}
