#include "check_hosts.h"
#include "collect/json_word.h"
#include "command.h"
#include "values.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static const char *s(size_t count) { return count == 1 ? "" : "s"; }

static void print_names(const char *indent, struct outcome *outcome) {
  char *names = fold_names(outcome->names, outcome->count);
  printf("%s%zu host%s: %s\n", indent, outcome->count, s(outcome->count), names);
  free(names);
}

static void print_pool(const struct outcome *outcome) {
  if (outcome->pool_mismatch != NULL) {
    printf("  pool      none: %s was given, but its hosts do not hold these\n", outcome->pool_mismatch);
  } else if (outcome->pool == NULL) {
    printf("  pool      none\n");
  } else if (outcome->section == NULL) {
    printf("  pool      %s (%s), which no section describes\n", outcome->pool, outcome->pool_source);
  } else {
    printf("  pool      %s (%s), %s:%d\n", outcome->pool, outcome->pool_source, outcome->section->file,
           outcome->section->line);
  }
}

static void print_mode(const struct outcome *outcome) {
  const struct decision *decision = &outcome->decisions[0];
  const struct pool *section = outcome->section;
  const char *source = decision->mode_source;
  printf("  mode      %s%s%s%s", mode_text(decision->mode), source ? " (" : "", source ? source : "",
         source ? ")" : "");
  if (section != NULL && section->attested_mode != MODE_UNKNOWN && section->attested_until != 0) {
    int until = section->attested_until;
    printf("; the pool attests %d until %04d-%02d-%02d, %s", section->attested_mode, until / 10000, until / 100 % 100,
           until % 100, section->attested_by ? section->attested_by : "by nobody named");
  }
  putchar('\n');
}

static void print_place(const struct policy *policy, const struct decision *decision) {
  if (decision->rule != NULL) {
    char *keys = program_keys(decision->rule);
    printf("rule %s, %s:%d%s%s%s", decision->rule->name, decision->file, decision->line, keys[0] ? " (" : "", keys,
           keys[0] ? " as assumed)" : "");
    free(keys);
  } else if (policy->fallback_file != NULL) {
    printf("default = %s, %s:%d", ordering_name(policy->fallback), policy->fallback_file, policy->fallback_line);
  } else {
    printf("no rule");
  }
}

/* "strict    becomes default: rule relax, fleet.conf:17; guard attested" */
static void print_decision(const struct policy *policy, const char *asked, const struct decision *decision) {
  const char *verb = decision->verdict == VERDICT_REWRITTEN ? "becomes" : "stays";
  const char *guard = guard_name(decision->guard);
  printf("  %-8s  %s %s: ", asked, verb, decision->flags & WIN_STRICT_ORDERING ? "strict" : "default");
  print_place(policy, decision);
  if (decision->verdict == VERDICT_REFUSED) {
    printf("; relaxed refused: %s", decision->why);
  }
  if (guard != NULL) {
    printf("; guard %s", guard);
  }
  puts(decision->exposed ? "; exposure possible" : "");
}

static void print_depends(const struct outcome *outcome) {
  for (size_t i = 0; i < outcome->depend_count; i++) {
    const struct rule *rule = outcome->depends[i];
    char *keys = program_keys(rule);
    printf("  or        %s, where %s fit%s: rule %s, %s:%d\n", ordering_name(rule->ordering), keys,
           rule->asked == ASKED_ANY      ? ""
           : rule->asked == ASKED_STRICT ? " and strict is asked"
                                         : " and default is asked",
           rule->name, rule->file, rule->line);
    free(keys);
  }
}

typedef bool outcome_test(const struct outcome *outcome);
static bool has_no_pool(const struct outcome *outcome) { return outcome->pool == NULL; }
static bool has_no_rule(const struct outcome *outcome) { return outcome->no_rule; }

/* All hosts that the test holds for. Fresh memory. */
static const char **select_names(const struct outcomes *all, outcome_test *test, size_t *count) {
  const char **names = malloc((all->hosts + 1) * sizeof *names);
  if (names == NULL) {
    say("out of memory");
    exit(STATUS_FAILED);
  }
  *count = 0;
  for (size_t i = 0; i < all->count; i++) {
    for (size_t j = 0; test(&all->items[i]) && j < all->items[i].count; j++) {
      names[(*count)++] = all->items[i].names[j];
    }
  }
  return names;
}

static void print_selected(const char *title, const struct outcomes *all, outcome_test *test) {
  struct outcome selected = {.names = select_names(all, test, &selected.count)};
  printf("%s: ", title);
  if (selected.count > 0) {
    print_names("", &selected);
  } else {
    puts("no host");
  }
  free(selected.names);
}

void outcomes_text(struct outcomes *all) {
  printf("%zu host%s, %zu outcome%s; assumed: NCCL 2.30.7, 1GiB, other keys of programs unknown\n", all->hosts,
         s(all->hosts), all->count, s(all->count));
  for (size_t i = 0; i < all->count; i++) {
    struct outcome *outcome = &all->items[i];
    putchar('\n');
    print_names("", outcome);
    print_pool(outcome);
    print_mode(outcome);
    print_decision(all->policy, "strict", &outcome->decisions[0]);
    print_decision(all->policy, "default", &outcome->decisions[1]);
    print_depends(outcome);
  }
  putchar('\n');
  print_selected("no pool", all, has_no_pool);
  print_selected("no rule", all, has_no_rule);
}

static json_t *place(const char *file, int line) {
  if (file == NULL) {
    return json_null();
  }
  char *text = text_format("%s:%d", file, line);
  json_t *value = json_word(text);
  free(text);
  return value;
}

static json_t *name_list(const char **names, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(list, json_word(names[i]));
  }
  return list;
}

/* The words of the journal's fields of the same names. */
static json_t *decision_object(const struct decision *decision) {
  json_t *object = json_object();
  json_object_set_new(object, "verdict", json_word(verdict_name(decision->verdict)));
  json_object_set_new(object, "why", json_word(decision->why));
  json_object_set_new(object, "ordering", json_word(ordering_name(decision->ordering)));
  json_object_set_new(object, "rule", json_word(decision->rule ? decision->rule->name : NULL));
  json_object_set_new(object, "where", place(decision->file, decision->line));
  json_object_set_new(object, "guard", json_word(guard_name(decision->guard)));
  json_object_set_new(object, "flags_out", json_integer(decision->flags));
  json_object_set_new(object, "exposure", json_word(decision->exposed ? "possible" : "none"));
  return object;
}

static json_t *depend_list(const struct outcome *outcome) {
  static const char *const asked[] = {NULL, "strict", "default"};
  json_t *list = json_array();
  for (size_t i = 0; i < outcome->depend_count; i++) {
    const struct rule *rule = outcome->depends[i];
    char *keys = program_keys(rule);
    json_t *object = json_object();
    json_object_set_new(object, "rule", json_word(rule->name));
    json_object_set_new(object, "where", place(rule->file, rule->line));
    json_object_set_new(object, "ordering", json_word(ordering_name(rule->ordering)));
    json_object_set_new(object, "asked", json_word(asked[rule->asked]));
    json_object_set_new(object, "keys", json_word(keys));
    json_array_append_new(list, object);
    free(keys);
  }
  return list;
}

static json_t *outcome_object(struct outcome *outcome) {
  const struct decision *strict = &outcome->decisions[0];
  char *folded = fold_names(outcome->names, outcome->count);
  json_t *object = json_object();
  json_object_set_new(object, "count", json_integer((json_int_t)outcome->count));
  json_object_set_new(object, "folded", json_word(folded));
  json_object_set_new(object, "hosts", name_list(outcome->names, outcome->count));
  json_object_set_new(object, "pool", json_word(outcome->pool));
  json_object_set_new(object, "pool_source", json_word(outcome->pool_source));
  json_object_set_new(object, "pool_where",
                      outcome->section ? place(outcome->section->file, outcome->section->line) : json_null());
  json_object_set_new(object, "pool_mismatch", json_word(outcome->pool_mismatch));
  json_object_set_new(object, "pci_atomic_mode",
                      strict->mode == MODE_UNKNOWN ? json_null() : json_integer(strict->mode));
  json_object_set_new(object, "pci_atomic_source", json_word(strict->mode_source));
  json_object_set_new(object, "strict", decision_object(strict));
  json_object_set_new(object, "default", decision_object(&outcome->decisions[1]));
  json_object_set_new(object, "depends", depend_list(outcome));
  json_object_set_new(object, "no_rule", json_boolean(outcome->no_rule));
  free(folded);
  return object;
}

static json_t *selected_list(const struct outcomes *all, outcome_test *test) {
  size_t count;
  const char **names = select_names(all, test, &count);
  json_t *list = name_list(names, count);
  free(names);
  return list;
}

void outcomes_json(struct outcomes *all) {
  json_t *object = json_object(), *list = json_array();
  for (size_t i = 0; i < all->count; i++) {
    json_array_append_new(list, outcome_object(&all->items[i]));
  }
  json_object_set_new(object, "v", json_integer(1));
  json_object_set_new(object, "policy", json_word(all->policy->path));
  json_object_set_new(object, "hosts", json_integer((json_int_t)all->hosts));
  json_object_set_new(object, "assumed", json_pack("{s:s, s:i}", "nccl", "2.30.7", "size", 1 << 30));
  json_object_set_new(object, "outcomes", list);
  json_object_set_new(object, "no_pool", selected_list(all, has_no_pool));
  json_object_set_new(object, "no_rule", selected_list(all, has_no_rule));
  json_dumpf(object, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(object);
}
