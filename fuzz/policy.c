/*
 * The policy file, and behind a line "#part" a second file, part.conf, that it may include. The readers of the command and of
 * the library agree; what is decided keeps the guard's promises.
 */
#include "policy/policy.h"
#include "cli/command.h"
#include "fuzz/fuzz.h"
#include "policy/decide.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "\n#part\n";

static const struct host hosts[] = {
    {.name = "h200-17.example", .today = 20260630, .modes = {.mode = 0}},
    {.name = "h200-17", .today = 20991231, .modes = {.mode = 4, .unproved = "mode_not_zero", .contradicts = true}},
    {.name = "dgxc-9",
     .today = 20260630,
     .modes = {.mode = MODE_UNKNOWN, .unproved = "facts_missing"},
     .exe = "python3"},
    {.name = "a",
     .today = 20260630,
     .modes = {.mode = MODE_UNKNOWN,
               .unproved = "facts_stale",
               .words = {.hypervisor = "kvm", .gpu = "H200", .path = "PIX"}}},
};

static const struct request requests[] = {
    {.flags = 2, .size = 1 << 20, .nccl = 23007, .gin_connection = GIN_FULL, .caller = "/opt/deep_ep/_C.so"},
    {.flags = 0, .size = 1ULL << 40, .nccl = 22907, .gin_connection = GIN_UNKNOWN},
    {.flags = -1, .size = 0, .nccl = 0, .gin_connection = GIN_RAIL, .caller = "x"},
    {.flags = 6, .size = UINT64_MAX, .nccl = 23203, .gin_connection = GIN_NONE, .overlaps_strict = true},
};

/* Rules that the search says no request can reach are put last in the list of problems of their line; told by their text. */
static bool is_unreachable(const struct policy *policy, const struct rule *rule) {
  for (size_t i = 0; i < policy->problem_count; i++) {
    const struct problem *problem = &policy->problems[i];
    if (problem->line == rule->line && problem->file == rule->file && strstr(problem->text, " can never decide: ")) {
      return true;
    }
  }
  return false;
}

static void check_decision(const struct policy *policy, const struct request *request, struct host *host) {
  struct decision all = decide(request, host, policy, true);
  host_select_rules(host, policy);
  struct decision chosen = decide(request, host, policy, true);
  free((void *)host->rules);
  host->rules = NULL;
  check(all.rule == chosen.rule && all.flags == chosen.flags && all.verdict == chosen.verdict &&
            all.guard == chosen.guard,
        "the rules of this host decide as all do");
  check((all.flags & ~WIN_STRICT_ORDERING) == (request->flags & ~WIN_STRICT_ORDERING), "other bits pass");
  check((all.flags != request->flags) == (all.verdict == VERDICT_REWRITTEN), "rewritten says so");
  bool relaxed = request->flags & WIN_STRICT_ORDERING && !(all.flags & WIN_STRICT_ORDERING);
  check(relaxed == (all.guard != GUARD_NONE), "a row of the guard stands behind each relaxed window");
  check(!relaxed || guard_fails(all.guard, all.rule, request, host) == NULL, "the row holds");
  check(!relaxed || policy->error_count == 0, "a broken policy relaxes nothing");
  check(all.why != NULL, "there is a why");
  check(all.rule == NULL || rule_mismatch(all.rule, request, host) == NULL, "the rule matches");
  for (const struct rule *rule = policy->rules; all.rule != NULL && rule < all.rule; rule++) {
    check(rule_mismatch(rule, request, host) != NULL, "the first rule that matches decides");
  }
  check(all.rule == NULL || !is_unreachable(policy, all.rule), "a rule that can never decide does not");
}

static void check_decisions(const struct policy *policy) {
  static const char *const pools[] = {NULL, "h200-dgxc", "p"};
  for (size_t h = 0; h < sizeof hosts / sizeof hosts[0]; h++) {
    for (size_t r = 0; r < sizeof requests / sizeof requests[0]; r++) {
      struct host host = hosts[h];
      host_find_pool(&host, policy, pools[(h + r) % 3], NULL);
      check_decision(policy, &requests[r], &host);
    }
  }
}

static void check_problems(const struct policy *policy) {
  size_t errors = 0;
  for (size_t i = 0; i < policy->problem_count; i++) {
    const struct problem *problem = &policy->problems[i];
    errors += !problem->warning;
    check(problem->file != NULL && problem->line >= 0, "a problem has its place");
    for (const char *text = problem->text; *text != '\0'; text++) {
      check(((unsigned char)*text >= ' ' && *text != 0x7f) || *text == '\t',
            "a problem is one line without control characters but tabs");
    }
  }
  check(errors == policy->error_count, "errors are counted");
}

static struct policy *read_again(const char *path) {
  struct policy *policy = policy_read(path);
  check(policy != NULL, "there is memory");
  check_problems(policy);
  return policy;
}

/* Lines that end in CRLF say the same. Not for a file that has a CR, or a line that a CR more makes too long. */
static void check_crlf(const struct policy *policy, const char *path, const char *text, size_t size) {
  if (memchr(text, '\r', size) != NULL) {
    return;
  }
  char *other = malloc(2 * size + 1), *end = other;
  check(other != NULL, "there is memory");
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '\n') {
      *end++ = '\r';
    }
    *end++ = text[i];
  }
  folder_write("p.conf", other, (size_t)(end - other));
  free(other);
  struct policy *same = read_again(path);
  check(same->problem_count == policy->problem_count && same->rule_count == policy->rule_count &&
            same->pool_count == policy->pool_count && same->fallback == policy->fallback,
        "CRLF says the same");
  policy_free(same);
  folder_write("p.conf", text, size);
}

static int command(int (*function)(int argc, char **argv), const char *option, const char *path) {
  char *argv[] = {(char *)"winord", (char *)option, (char *)path, NULL};
  optind = 0;
  return function(3, argv);
}

static void check_commands(const struct policy *policy, size_t unreachable, const char *path) {
  bool good = command(command_check, "--", path) == STATUS_OK;
  check(good == (policy->error_count == 0 && unreachable == 0), "winord check says ok to what the library takes");
  int status = command(command_explain, "--host=h200-17", path);
  check((status == STATUS_OK) == (policy->error_count == 0), "winord explain explains what the library takes");
  check(command(command_explain, "--json", path) == status, "so does its JSON");
}

/* Other folders are no business of this target: an include that may name one is left alone. */
static bool leaves_folder(const char *text, size_t size) {
  return memmem(text, size, "include", 7) != NULL && memchr(text, '/', size) != NULL;
}

static size_t write_files(const char *text, size_t size) {
  const char *part = memmem(text, size, mark, sizeof mark - 1);
  const size_t first = part ? (size_t)(part + 1 - text) : size;
  const char *second = part ? part + sizeof mark - 1 : NULL;
  folder_write("p.conf", text, first);
  folder_write("part.conf", second, second ? size - (size_t)(second - text) : 0);
  return first;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[128], *text = text_of(data, size);
  if (!leaves_folder(text, size)) {
    folder_path(path, "p.conf");
    const size_t first = write_files(text, size);
    struct policy *policy = read_again(path);
    check_crlf(policy, path, text, first);
    const size_t before = policy->problem_count;
    policy_find_unreachable(policy, false);
    check_commands(policy, policy->problem_count - before, path);
    check_decisions(policy);
    policy_free(policy);
  }
  free(text);
  return 0;
}
