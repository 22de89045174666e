/* The hunter in default ordering, and what its result is worth. */
#include "ab.h"
#include "command.h"
#include "launch.h"
#include "qualify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHORT_RUN = 1000 }; /* blocks: fewer are a short run for winord-stress, too */

/* The rows taken together. */
struct rows {
  size_t never, va_signals, controls, controls_seen, short_runs;
  json_int_t tries, violations;
  double bound; /* the weakest */
  const char *weakest; /* its scenario */
  json_int_t blocks; /* and its blocks */
};

static const char *text_of(const json_t *object, const char *key) {
  const char *text = qualify_text(object, key);
  return text ? text : "";
}

static json_int_t number_of(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

static void judge_never(struct qualification *it, struct rows *rows, const json_t *row) {
  const char *scenario = text_of(row, "scenario");
  json_int_t violations = number_of(row, "violations"), blocks = number_of(row, "blocks");
  double bound = json_number_value(json_object_get(row, "block_bound"));
  rows->never++;
  rows->tries += number_of(row, "tries");
  rows->violations += violations;
  if (violations > 0) {
    qualify_found(it, FOUND_REFUTES, "hunter, %s: %lld violations in %lld tries", scenario, (long long)violations,
                  (long long)number_of(row, "tries"));
  } else if (blocks < 1 || !(bound > 0 && bound <= 1) || strcmp(text_of(row, "verdict"), "ok") != 0) {
    qualify_found(it, FOUND_LACKS, "hunter, %s: too little was run", scenario);
  } else {
    rows->va_signals += strstr(scenario, "va-signal") != NULL;
    rows->short_runs += blocks < SHORT_RUN;
    if (bound >= rows->bound) {
      rows->bound = bound, rows->weakest = scenario, rows->blocks = blocks;
    }
  }
}

static void judge_row(struct qualification *it, struct rows *rows, const json_t *row) {
  const char *expected = text_of(row, "expected"), *registered = text_of(row, "registered");
  if (strcmp(text_of(row, "asked"), "default") != 0 ||
      (strcmp(registered, "relaxed") != 0 && strcmp(registered, "unknown") != 0)) {
    qualify_found(it, FOUND_LACKS, "hunter, %s: windows asked '%s' were registered '%s'", text_of(row, "scenario"),
                  text_of(row, "asked"), registered);
  }
  if (strcmp(expected, "seen") == 0) {
    rows->controls++;
    rows->controls_seen += number_of(row, "violations") > 0;
  } else if (strcmp(expected, "never") == 0) {
    judge_never(it, rows, row);
  }
}

/* What the hunter must have had for its zero to mean anything. */
static void judge_whole(struct qualification *it, const struct rows *rows, int status) {
  const char *backend = text_of(it->hunt, "backend");
  if (rows->controls == 0 || rows->controls_seen < rows->controls) {
    qualify_found(it, FOUND_LACKS, "hunter: %zu of %zu detector controls were seen: it may be blind",
                  rows->controls_seen, rows->controls);
  }
  if (rows->violations == 0 && rows->va_signals == 0) {
    qualify_found(it, FOUND_LACKS, "hunter: no scenario with a VA signal, the one at risk, was run");
  }
  it->rehearsal = strcmp(backend, "fabric") == 0;
  if (it->rehearsal) {
    qualify_found(it, FOUND_UNSEEN,
                  "the hunter ran on the simulated fabric, a rehearsal: nothing of these hosts' NICs");
  } else if (strcmp(backend, "gin") != 0) {
    qualify_found(it, FOUND_LACKS, "hunter: windows' flags do nothing on backend '%s'", backend);
  }
  if (json_is_true(json_object_get(it->hunt, "interrupted")) ||
      (status != 0 && json_array_size(it->findings[FOUND_REFUTES]) == 0)) {
    qualify_found(it, FOUND_LACKS, "hunter: it did not run to its end (status %d)", status);
  }
  if (rows->short_runs > 0) {
    qualify_found(it, FOUND_LACKS, "hunter: %zu of %zu rows have fewer than %d blocks: hunt for longer",
                  rows->short_runs, rows->never, SHORT_RUN);
  }
}

static void tell(struct qualification *it, const struct rows *rows) {
  char *bound = rows->weakest
                    ? text_format("; weakest bound %s: 0 of %lld blocks, probability below %.3g (%g %% confidence)",
                                  rows->weakest, (long long)rows->blocks, rows->bound,
                                  100 * json_number_value(json_object_get(it->hunt, "confidence")))
                    : text_copy("");
  it->hunt_text =
      text_format("backend %s (%s), seed %lld: %lld violations in %lld tries of %zu scenarios%s",
                  text_of(it->hunt, "backend"), text_of(it->hunt, "transport"), (long long)number_of(it->hunt, "seed"),
                  (long long)rows->violations, (long long)rows->tries, rows->never, bound);
  free(bound);
}

/* Its windows, by the journals: all default, and some on each host. */
static void judge_journals(struct qualification *it) {
  char *folder = qualify_path(it, "journals");
  struct registrations all = registrations_read(folder, "hunt");
  if (all.strict > 0 || all.relaxed == 0 || all.trouble != NULL) {
    qualify_found(it, FOUND_LACKS, "hunter: %zu strict and %zu default windows journalled in %zu files%s%s", all.strict,
                  all.relaxed, all.files, all.trouble ? ": " : "", all.trouble ? all.trouble : "");
  }
  for (size_t i = 0; i < json_array_size(it->hosts); i++) {
    const char *host = text_of(json_array_get(it->hosts, i), "host");
    bool seen = false;
    for (size_t j = 0; j < all.shape_count; j++) {
      seen = seen || strcmp(all.shapes[j].host, host) == 0;
    }
    if (!seen) {
      qualify_found(it, FOUND_LACKS, "%s: the hunter journalled no window there", host);
    }
  }
  snprintf(it->nccl, sizeof it->nccl, "%s", all.nccl);
  registrations_free(&all);
  free(folder);
}

static void judge(struct qualification *it, int status) {
  const json_t *list = json_object_get(it->hunt, "rows");
  struct rows rows = {0};
  size_t lacked = json_array_size(it->findings[FOUND_LACKS]);
  for (size_t i = 0; i < json_array_size(list); i++) {
    judge_row(it, &rows, json_array_get(list, i));
  }
  judge_whole(it, &rows, status);
  tell(it, &rows);
  judge_journals(it);
  it->hunted = json_array_size(it->findings[FOUND_LACKS]) == lacked;
}

/* Beside this program, else by PATH. Fresh memory. */
static char *find_hunter(const struct qualification *it) {
  char *beside = text_format("%.*swinord-stress", (int)(base_name(it->self) - it->self), it->self);
  if (access(beside, X_OK) == 0) {
    return beside;
  }
  free(beside);
  return text_copy("winord-stress");
}

void qualify_hunt(struct qualification *it) {
  char *keep = qualify_path(it, "keep.conf"), *result = qualify_path(it, "hunt.json"), *hunter = find_hunter(it);
  char *literal = launch_log_literal(it->folder), *log = text_format("%s/journals/hunt.%%h.%%p.jsonl", literal);
  char *tail = text_format("%s --flags default --seconds %g --quiet --json \"$WINORD_QUALIFY_HUNT\"", it->stress,
                           60 * it->minutes);
  char *const argv[] = {it->self, "run", "-c", keep, "-o", log, "--", hunter, NULL};
  if (policy_write_default(keep, "keep") && launch_set("WINORD_QUALIFY_HUNT", result)) {
    int status = qualify_launch(it, tail, argv);
    it->hunt = qualify_load(result);
    if (it->hunt != NULL) {
      judge(it, status);
    } else {
      qualify_found(it, FOUND_LACKS, "the hunter left no result (status %d)", status);
    }
  } else {
    qualify_found(it, FOUND_LACKS, "the hunter was not started");
  }
  free(tail);
  free(log);
  free(literal);
  free(hunter);
  free(result);
  free(keep);
}
