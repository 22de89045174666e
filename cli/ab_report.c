#include "ab.h"
#include "collect/json_word.h"
#include "command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the pairs came to; estimate is set where there is one. */
static enum finding find(const struct comparison *comparison, struct estimate *estimate) {
  double ratios[ESTIMATE_PAIRS_MAX];
  *estimate = (struct estimate){0};
  if (comparison->measured == 0) {
    return FINDING_TOO_FEW;
  }
  comparison_ratios(comparison, ratios);
  *estimate = estimate_ratios(ratios, comparison->measured);
  return estimate_finding(estimate, comparison->measured);
}

static double side_median(const struct comparison *comparison, int side) {
  double values[ESTIMATE_PAIRS_MAX];
  memcpy(values, comparison->values[side], comparison->measured * sizeof *values);
  return median_of(values, comparison->measured);
}

/* Two decimals where that is a percent or less, else three. Into text. */
static const char *ratio_text(double ratio, char text[32]) {
  snprintf(text, 32, ratio >= 2 ? "%.2f" : "%.3f", ratio);
  return text;
}

static void print_pairs(const struct comparison *comparison) {
  double ratios[ESTIMATE_PAIRS_MAX];
  char text[32];
  comparison_ratios(comparison, ratios);
  printf("pair     %12s %12s %9s\n", "A", "B", comparison->lower_is_better ? "A/B" : "B/A");
  if (comparison->warm_up[0] > 0 && comparison->warm_up[1] > 0) {
    printf("warm-up  %12g %12g\n", comparison->warm_up[0], comparison->warm_up[1]);
  }
  for (size_t i = 0; i < comparison->measured; i++) {
    printf("%-8zu %12g %12g %9s\n", i + 1, comparison->values[0][i], comparison->values[1][i],
           ratio_text(ratios[i], text));
  }
  if (comparison->measured > 0) {
    printf("median   %12g %12g\n", side_median(comparison, 0), side_median(comparison, 1));
  }
}

static void print_refusals(const struct side *side) {
  for (size_t i = 0; i < side->latest.refusal_count; i++) {
    const struct refusal *refusal = &side->latest.refusals[i];
    printf("           refused in the latest run: %s%s%s (%s): %s: %zu windows stayed strict\n",
           refusal->rule[0] ? "rule '" : "the default", refusal->rule, refusal->rule[0] ? "'" : "", refusal->where,
           refusal->why, refusal->count);
  }
}

/* Of the pairs that count; of the latest run where there are none. */
static struct windows side_windows(const struct comparison *comparison, const struct side *side) {
  const struct registrations *latest = &side->latest;
  return comparison->measured > 0
             ? side->windows
             : (struct windows){latest->strict, latest->relaxed, latest->rewritten, latest->refused};
}

static void print_sides(const struct comparison *comparison) {
  for (int i = 0; i < SIDES; i++) {
    const struct side *side = &comparison->sides[i];
    struct windows windows = side_windows(comparison, side);
    printf("policy %s   %s: windows %zu strict, %zu default; %zu rewritten, %zu refused\n", side_name(i), side->policy,
           windows.strict, windows.relaxed, windows.rewritten, windows.refused);
    print_refusals(side);
  }
  if (comparison->several > 1) {
    printf("metric     the last of up to %zu matches in a run\n", comparison->several);
  }
}

static void print_failures(const struct comparison *comparison) {
  for (size_t i = 0; i < comparison->failure_count; i++) {
    printf("not counted: %s\n", comparison->failures[i]);
  }
}

enum finding comparison_finding(const struct comparison *comparison) {
  struct estimate estimate;
  return comparison->alike ? FINDING_TOO_FEW : find(comparison, &estimate);
}

char *comparison_verdict(const struct comparison *comparison) {
  struct estimate estimate;
  char median[32], low[32], high[32];
  enum finding finding = find(comparison, &estimate);
  if (comparison->alike) {
    size_t refused = comparison->sides[0].latest.refused + comparison->sides[1].latest.refused;
    return text_copy(
        refused ? "not compared: the guard refused what would have told the two sides apart; see 'winord explain'"
                : "not compared: the two sides did not register differently");
  }
  if (finding == FINDING_TOO_FEW) {
    return text_format("no verdict: %zu of the %d pairs that it takes were measured", comparison->measured,
                       ESTIMATE_PAIRS);
  }
  return text_format("%sB is %sx [%s, %s] (%.4g %% interval of the median of %zu pairs; above 1 is better)",
                     finding == FINDING_NO_DIFFERENCE ? "no difference shown: " : "",
                     ratio_text(estimate.median, median), ratio_text(estimate.low, low),
                     ratio_text(estimate.high, high), 100 * estimate.coverage, comparison->measured);
}

void comparison_text(const struct comparison *comparison) {
  print_pairs(comparison);
  print_sides(comparison);
  print_failures(comparison);
  char *verdict = comparison_verdict(comparison);
  puts(verdict);
  free(verdict);
}

/* Null for what was not measured. */
static json_t *positive(double value) { return value > 0 ? json_real(value) : json_null(); }

static json_t *count(size_t value) { return json_integer((json_int_t)value); }

static json_t *words(char *const *items, size_t items_count) {
  json_t *list = json_array();
  for (size_t i = 0; i < items_count; i++) {
    json_array_append_new(list, json_word(items[i]));
  }
  return list;
}

static json_t *command_list(char *const *command) {
  size_t length = 0;
  while (command[length] != NULL) {
    length++;
  }
  return words(command, length);
}

static json_t *refusal_list(const struct registrations *latest) {
  json_t *list = json_array();
  for (size_t i = 0; i < latest->refusal_count; i++) {
    const struct refusal *refusal = &latest->refusals[i];
    json_t *object = json_object();
    json_object_set_new(object, "rule", json_word(refusal->rule[0] ? refusal->rule : NULL));
    json_object_set_new(object, "where", json_word(refusal->where));
    json_object_set_new(object, "why", json_word(refusal->why));
    json_object_set_new(object, "windows", count(refusal->count));
    json_array_append_new(list, object);
  }
  return list;
}

static json_t *side_object(const struct comparison *comparison, int i) {
  const struct side *side = &comparison->sides[i];
  const struct windows windows = side_windows(comparison, side);
  json_t *object = json_object(), *values = json_array();
  for (size_t pair = 0; pair < comparison->measured; pair++) {
    json_array_append_new(values, json_real(comparison->values[i][pair]));
  }
  json_object_set_new(object, "policy", json_word(side->policy));
  json_object_set_new(object, "warm_up", positive(comparison->warm_up[i]));
  json_object_set_new(object, "values", values);
  json_object_set_new(object, "median", positive(comparison->measured ? side_median(comparison, i) : 0));
  json_object_set_new(object, "strict", count(windows.strict));
  json_object_set_new(object, "default", count(windows.relaxed));
  json_object_set_new(object, "rewritten", count(windows.rewritten));
  json_object_set_new(object, "refused", count(windows.refused));
  json_object_set_new(object, "refusals", refusal_list(&side->latest));
  json_object_set_new(object, "ranks", count(side->latest.nranks));
  json_object_set_new(object, "ranks_journalled", count(side->latest.ranks_seen));
  json_object_set_new(object, "trouble", json_word(side->latest.trouble));
  return object;
}

static json_t *ratio_object(const struct comparison *comparison, const struct estimate *estimate) {
  if (comparison->measured == 0) {
    return json_null();
  }
  double ratios[ESTIMATE_PAIRS_MAX];
  json_t *object = json_object(), *list = json_array();
  comparison_ratios(comparison, ratios);
  for (size_t i = 0; i < comparison->measured; i++) {
    json_array_append_new(list, json_real(ratios[i]));
  }
  json_object_set_new(object, "pairs", list);
  json_object_set_new(object, "median", json_real(estimate->median));
  json_object_set_new(object, "low", json_real(estimate->low));
  json_object_set_new(object, "high", json_real(estimate->high));
  json_object_set_new(object, "coverage", json_real(estimate->coverage));
  return object;
}

static const char *verdict_word(const struct comparison *comparison, enum finding finding) {
  static const char *const names[] = {"too_few_pairs", "no_difference_shown", "better", "worse"};
  if (comparison->alike) {
    return "registered_alike";
  }
  return comparison->measured == 0 ? "not_measured" : names[finding];
}

json_t *comparison_object(const struct comparison *comparison) {
  struct estimate estimate;
  enum finding finding = find(comparison, &estimate);
  json_t *object = json_object();
  json_object_set_new(object, "v", json_integer(1));
  json_object_set_new(object, "command", command_list(comparison->command));
  json_object_set_new(object, "metric", json_word(comparison->pattern));
  json_object_set_new(object, "lower_is_better", json_boolean(comparison->lower_is_better));
  json_object_set_new(object, "pairs_asked", count(comparison->pairs));
  json_object_set_new(object, "pairs", count(comparison->measured));
  json_object_set_new(object, "a", side_object(comparison, 0));
  json_object_set_new(object, "b", side_object(comparison, 1));
  json_object_set_new(object, "ratio", ratio_object(comparison, &estimate));
  json_object_set_new(object, "verdict", json_word(verdict_word(comparison, finding)));
  json_object_set_new(object, "failures", words(comparison->failures, comparison->failure_count));
  json_object_set_new(object, "matches_in_a_run", count(comparison->several));
  json_object_set_new(object, "signal", comparison->signal ? json_integer(comparison->signal) : json_null());
  return object;
}

void comparison_json(const struct comparison *comparison) {
  json_t *object = comparison_object(comparison);
  json_dumpf(object, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(object);
}
