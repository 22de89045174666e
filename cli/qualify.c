/*
 * winord qualify: should this pool be relaxed? Facts, bandwidth, hunter; then a verdict, the evidence and a rule.
 */
#define _GNU_SOURCE
#include "qualify.h"
#include "ab.h"
#include "ab_run.h"
#include "command.h"
#include "launch.h"
#include "local.h"
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: winord qualify -o FOLDER [OPTION]... [[--] COMMAND [ARGUMENT]...]\n"
    "\n"
    "Answers whether the hosts that LAUNCHER reaches should be relaxed: their facts, as the guard judges them; what COMMAND\n"
    "gains by relaxed windows, in pairs; and a hunt for signals that overtake their data, in default ordering. Leaves\n"
    "evidence.json and a rule with these numbers, rule.conf, in FOLDER. Proposes relaxed only on the guard's grounds.\n"
    "\n"
    "  -o, --out=FOLDER       a new or empty folder, the same on all hosts\n"
    "      --launcher=WORDS   what starts a process on each host, as in 'srun -N 2 -n 2'; a shell's words\n"
    "      --minutes=N        time to hunt (10)\n"
    "      --stress=WORDS     options of winord-stress (its backend gin)\n"
    "  -p, --pool=NAME        the pool (WINORD_POOL, SLURM_JOB_PARTITION, or by the policy's hosts)\n"
    "  -m, --metric=REGEX     what COMMAND's number is, as for winord ab\n"
    "      --lower-is-better  the metric is a time, not a rate\n"
    "  -n, --pairs=COUNT      pairs of runs of COMMAND (5)\n"
    "      --b=POLICY         measure under this policy, not under the rule to be proposed, which the guard may refuse\n"
    "      --look=FOLDER      look at this host alone, and leave what was seen: what LAUNCHER starts\n"
    "      --root=DIR         with --look: a recorded host, as for winord facts\n"
    "  -h, --help             show this\n"
    "\n"
    "Exit status: 0 relaxed is proposed, 1 strict: refuted, 2 usage, 3 unknown: strict stays, 128+N ended by signal N.\n";

enum { OPTION_LAUNCHER = 256, OPTION_MINUTES, OPTION_STRESS, OPTION_LOWER, OPTION_B, OPTION_LOOK, OPTION_ROOT };

static const struct option long_options[] = {
    {"out", required_argument, NULL, 'o'},
    {"launcher", required_argument, NULL, OPTION_LAUNCHER},
    {"minutes", required_argument, NULL, OPTION_MINUTES},
    {"stress", required_argument, NULL, OPTION_STRESS},
    {"pool", required_argument, NULL, 'p'},
    {"metric", required_argument, NULL, 'm'},
    {"lower-is-better", no_argument, NULL, OPTION_LOWER},
    {"pairs", required_argument, NULL, 'n'},
    {"b", required_argument, NULL, OPTION_B},
    {"look", required_argument, NULL, OPTION_LOOK},
    {"root", required_argument, NULL, OPTION_ROOT},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* The command line. */
struct wishes {
  struct qualification *it;
  struct comparison *comparison;
  const char *look, *root;
};

void qualify_found(struct qualification *it, enum finding_kind kind, const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  int size = vasprintf(&text, format, arguments);
  va_end(arguments);
  json_t *value = size >= 0 ? json_string(text) : NULL;
  if (value == NULL || json_array_append_new(it->findings[kind], value) != 0) {
    say("out of memory");
    exit(STATUS_UNKNOWN);
  }
  say("%s", text);
  free(text);
}

const char *qualify_outcome(const struct qualification *it) {
  if (json_array_size(it->findings[FOUND_REFUTES]) > 0) {
    return "strict";
  }
  return it->looked && it->hunted && json_array_size(it->findings[FOUND_LACKS]) == 0 ? "relaxed" : "unknown";
}

const char *qualify_verdict(const struct qualification *it) {
  const char *outcome = qualify_outcome(it);
  return it->rehearsal && strcmp(outcome, "relaxed") == 0 ? "unknown" : outcome;
}

char *qualify_path(const struct qualification *it, const char *name) { return text_format("%s/%s", it->folder, name); }

json_t *qualify_load(const char *path) {
  struct stat facts;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  bool regular = file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size <= 64 << 20;
  json_t *object = regular ? json_loadfd(file, 0, NULL) : NULL;
  if (file >= 0) {
    close(file);
  }
  if (!json_is_object(object)) {
    json_decref(object);
    object = NULL;
  }
  return object;
}

/* `sh -c 'exec LAUNCHER "$@" TAIL' sh ARGV...`, fresh memory; the strings of argv are borrowed. */
static char **shell_words(const struct qualification *it, const char *tail, char *const *argv) {
  size_t count = 0;
  while (argv[count] != NULL) {
    count++;
  }
  char **words = calloc(count + 5, sizeof *words);
  if (words == NULL) {
    say("out of memory");
    exit(STATUS_UNKNOWN);
  }
  words[0] = "/bin/sh", words[1] = "-c", words[3] = "sh";
  words[2] = text_format("exec %s \"$@\" %s", it->launcher, tail);
  memcpy(words + 4, argv, count * sizeof *words);
  return words;
}

static void words_free(char **words) {
  free(words[2]);
  free(words);
}

int qualify_launch(const struct qualification *it, const char *tail, char *const *argv) {
  struct metric nothing = {0};
  char **words = shell_words(it, tail, argv);
  int status = run_measured(words, STDERR_FILENO, &nothing);
  words_free(words);
  return status;
}

static int parse_minutes(struct qualification *it, const char *text) {
  char *end;
  it->minutes = strtod(text, &end);
  return end != text && *end == '\0' && it->minutes > 0 && it->minutes <= 100000
             ? -1
             : usage_error("--minutes is a number above 0, not '%s'", text);
}

/* Applies one option; returns -1 to go on, else the exit status. */
static int apply(struct wishes *wishes, int option, char **argv) {
  struct qualification *it = wishes->it;
  switch (option) {
  case 'o': it->out = optarg; return -1;
  case OPTION_LAUNCHER: it->launcher = optarg; return -1;
  case OPTION_MINUTES: return parse_minutes(it, optarg);
  case OPTION_STRESS: it->stress = optarg; return -1;
  case 'p': it->pool = optarg; return -1;
  case 'm': wishes->comparison->pattern = optarg; return -1;
  case OPTION_LOWER: wishes->comparison->lower_is_better = true; return -1;
  case 'n': return comparison_parse_pairs(wishes->comparison, optarg);
  case OPTION_B: it->measure = optarg; return -1;
  case OPTION_LOOK: wishes->look = optarg; return -1;
  case OPTION_ROOT: wishes->root = optarg; return -1;
  case 'h': fputs(help, stdout); return STATUS_OK;
  default: return option_error(option, argv);
  }
}

static int check_wishes(struct wishes *wishes, int argc, char **argv) {
  struct qualification *it = wishes->it;
  char *why = NULL;
  it->command = optind < argc ? argv + optind : NULL;
  if (wishes->look != NULL) {
    return it->out == NULL && it->command == NULL ? -1 : usage_error("--look goes with --pool and --root alone");
  }
  if (it->out == NULL || wishes->root[0] != '\0') {
    return usage_error(it->out ? "--root goes with --look" : "no folder given for the evidence: -o FOLDER");
  }
  if ((it->command != NULL) != (wishes->comparison->pattern != NULL)) {
    return usage_error("a command and a --metric belong together");
  }
  if (it->command != NULL && !metric_compile(&wishes->comparison->expression, wishes->comparison->pattern, &why)) {
    int status = usage_error("--metric '%s': %s", wishes->comparison->pattern, why);
    free(why);
    return status;
  }
  return comparison_check_environment();
}

static int parse(struct wishes *wishes, int argc, char **argv) {
  int option, status = -1;
  while (status < 0 && (option = getopt_long(argc, argv, "+:o:p:m:n:h", long_options, NULL)) != -1) {
    status = apply(wishes, option, argv);
  }
  return status >= 0 ? status : check_wishes(wishes, argc, argv);
}

/* The folder, what lies in it, and who we are. False: said. */
static bool prepare(struct qualification *it) {
  struct tm day;
  time_t now = time(NULL);
  strftime(it->started, sizeof it->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &day));
  it->self = realpath("/proc/self/exe", NULL);
  it->folder = it->self ? folder_named(it->out) : NULL;
  if (it->folder == NULL) {
    return false;
  }
  char *hosts = qualify_path(it, "hosts"), *journals = qualify_path(it, "journals");
  bool done = mkdir(hosts, 0777) == 0 && mkdir(journals, 0777) == 0;
  if (!done) {
    say("%s: cannot be made: %s", it->folder, strerror(errno));
  }
  free(journals);
  free(hosts);
  return done && (it->pool == NULL || launch_set("WINORD_POOL", it->pool));
}

static void look(struct qualification *it) {
  char *where = text_format("--look=%s", it->folder), *pool = text_format("--pool=%s", it->pool ? it->pool : "");
  char *const argv[] = {it->self, "qualify", where, it->pool ? pool : NULL, NULL};
  int status = qualify_launch(it, "", argv);
  if (status != 0) {
    qualify_found(it, FOUND_LACKS, "looking at the hosts ended with status %d", status);
  }
  qualify_take_hosts(it);
  free(pool);
  free(where);
}

/* The paired comparison, from a prepared one to its result. */
static void compare(struct qualification *it, struct comparison *comparison) {
  comparison_measure(comparison);
  it->bandwidth = comparison_object(comparison);
  it->bandwidth_text = comparison_verdict(comparison);
  if (comparison_finding(comparison) != FINDING_BETTER) {
    qualify_found(it, FOUND_LACKS, "bandwidth: no gain shown: %s", it->bandwidth_text);
  }
}

static void measure(struct qualification *it, struct comparison *comparison) {
  char *own = qualify_path(it, "relaxed.conf"), *folder = qualify_path(it, "bandwidth"), *shim = shim_find(false);
  bool ready = it->measure != NULL || qualify_write_rule(it, "relaxed.conf", "relaxed");
  comparison->command = shell_words(it, "", it->command);
  comparison->folder_asked = folder;
  comparison->sides[0].policy = "strict";
  comparison->sides[1].policy = it->measure ? it->measure : own;
  comparison->json = true; /* the command's output goes to standard error */
  if (ready && shim != NULL && comparison_prepare(comparison)) {
    if (launch_preload(shim)) {
      compare(it, comparison);
    }
    comparison_remove(comparison);
  }
  if (it->bandwidth == NULL) {
    qualify_found(it, FOUND_LACKS, "bandwidth: it was not measured");
  }
  words_free(comparison->command);
  free(shim);
  free(folder);
  free(own);
}

/* The steps; the evidence so far is on disk after each. */
static bool steps(struct qualification *it, struct comparison *comparison) {
  look(it);
  bool written = qualify_write_evidence(it, false);
  bool going = written && !run_interrupted() && json_array_size(it->findings[FOUND_REFUTES]) == 0;
  if (it->command == NULL) {
    qualify_found(it, FOUND_UNSEEN, "bandwidth: no command and --metric were given");
  } else if (going) {
    measure(it, comparison);
    written = qualify_write_evidence(it, false);
  }
  if (going && written && !run_interrupted()) {
    qualify_hunt(it);
  }
  qualify_found(it, FOUND_UNSEEN,
                "hosts that the launcher did not reach, and firmware, kernels and loads of other days");
  if (run_interrupted()) {
    qualify_found(it, FOUND_LACKS, "ended by signal %d", run_interrupted());
  }
  return written;
}

/* The rule, the evidence and the summary. */
static int conclude(struct qualification *it) {
  static const struct {
    const char *verdict;
    int status;
  } statuses[] = {{"relaxed", STATUS_OK}, {"strict", STATUS_FAILED}, {"unknown", STATUS_UNKNOWN}};
  const char *rule = it->rehearsal ? "rehearsal.conf" : "rule.conf";
  bool relaxed = strcmp(qualify_outcome(it), "relaxed") == 0;
  if (!qualify_write_rule(it, rule, relaxed ? "relaxed" : "strict")) {
    qualify_found(it, FOUND_LACKS, "no rule could be written");
  }
  bool written = qualify_write_evidence(it, true);
  if (!written && relaxed) {
    qualify_found(it, FOUND_LACKS, "the evidence could not be written");
    qualify_write_rule(it, rule, "strict");
  }
  qualify_print(it);
  for (size_t i = 0; written && run_interrupted() == 0 && i < sizeof statuses / sizeof statuses[0]; i++) {
    if (strcmp(qualify_verdict(it), statuses[i].verdict) == 0) {
      return statuses[i].status;
    }
  }
  return run_interrupted() ? 128 + run_interrupted() : STATUS_UNKNOWN;
}

static void release(struct qualification *it) {
  for (int kind = 0; kind < FINDING_KINDS; kind++) {
    json_decref(it->findings[kind]);
  }
  json_decref(it->hosts);
  json_decref(it->bandwidth);
  json_decref(it->hunt);
  free(it->bandwidth_text);
  free(it->hunt_text);
  free(it->folder);
  free(it->self);
}

int command_qualify(int argc, char **argv) {
  static struct comparison comparison = {.pairs = ESTIMATE_PAIRS};
  struct qualification it = {.minutes = 10, .launcher = "", .stress = "--backend gin", .hosts = json_array()};
  struct wishes wishes = {.it = &it, .comparison = &comparison, .root = ""};
  for (int kind = 0; kind < FINDING_KINDS; kind++) {
    it.findings[kind] = json_array();
  }
  int status = parse(&wishes, argc, argv);
  if (status < 0 && wishes.look != NULL) {
    status = qualify_look(wishes.look, it.pool, wishes.root);
  } else if (status < 0) {
    run_catch_signals();
    status = prepare(&it) && steps(&it, &comparison) ? conclude(&it) : STATUS_UNKNOWN;
  }
  if (it.command != NULL && status != STATUS_USAGE) {
    regfree(&comparison.expression);
  }
  release(&it);
  return status;
}
