/*
 * winord ab: one command under two policies, in turn, and how much the second is worth.
 */
#include "ab.h"
#include "ab_run.h"
#include "command.h"
#include "launch.h"
#include "local.h"
#include "program.h"
#include "shim.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: winord ab [OPTION]... --metric=REGEX [--] COMMAND [ARGUMENT]...\n"
    "\n"
    "Runs COMMAND in turn under policy A and policy B, the first pair to warm up, and tells how much better B is: the\n"
    "median of the paired ratios, with an interval. Refuses where the journals show that both registered alike.\n"
    "\n"
    "  -n, --pairs=COUNT      pairs of runs that count, 1 to 1000 (5); fewer than 5 give no verdict\n"
    "  -m, --metric=REGEX     POSIX extended regular expression; its first group is the number, of the last match in\n"
    "                         the command's output and errors\n"
    "      --lower-is-better  the metric is a time, not a rate\n"
    "      --a=POLICY         a policy file, or none (as the program asks), strict or relaxed (none)\n"
    "      --b=POLICY         likewise (WINORD_CONF, else /etc/winord.conf)\n"
    "  -o, --log=FOLDER       keep the journals in this new or empty folder; for several hosts, a shared one\n"
    "      --json             print one JSON object; the command's output goes to standard error\n"
    "  -h, --help             show this\n"
    "\n"
    "Exit status: 0 compared, 1 no verdict (runs failed, both registered alike, too few pairs), 2 usage, 69 no shim,\n"
    "126 not executable, 127 not found, 128+N ended by signal N after printing what was measured.\n";

enum { OPTION_LOWER = 256, OPTION_A, OPTION_B, OPTION_JSON };

static const struct option long_options[] = {
    {"pairs", required_argument, NULL, 'n'},
    {"metric", required_argument, NULL, 'm'},
    {"lower-is-better", no_argument, NULL, OPTION_LOWER},
    {"a", required_argument, NULL, OPTION_A},
    {"b", required_argument, NULL, OPTION_B},
    {"log", required_argument, NULL, 'o'},
    {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

const char *side_name(int side) { return side == 0 ? "A" : "B"; }

int comparison_parse_pairs(struct comparison *comparison, const char *text) {
  char *end;
  long count = strtol(text, &end, 10);
  if (end == text || *end != '\0' || count < 1 || count > ESTIMATE_PAIRS_MAX) {
    return usage_error("-n is a number of pairs from 1 to %d, not '%s'", ESTIMATE_PAIRS_MAX, text);
  }
  comparison->pairs = (size_t)count;
  return -1;
}

/* Applies one option; returns -1 to go on, else the exit status. */
static int apply(struct comparison *comparison, int option, char **argv) {
  switch (option) {
  case 'n': return comparison_parse_pairs(comparison, optarg);
  case 'm': comparison->pattern = optarg; return -1;
  case OPTION_LOWER: comparison->lower_is_better = true; return -1;
  case OPTION_A: comparison->sides[0].policy = optarg; return -1;
  case OPTION_B: comparison->sides[1].policy = optarg; return -1;
  case 'o': comparison->folder_asked = optarg; return -1;
  case OPTION_JSON: comparison->json = true; return -1;
  case 'h': fputs(help, stdout); return STATUS_OK;
  default: return option_error(option, argv);
  }
}

int comparison_check_environment(void) {
  static const char *const names[] = {"WINORD_DISABLE", "WINORD_DRY_RUN"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *value = getenv(names[i]);
    if (value != NULL && *value != '\0' && strcmp(value, "0") != 0) {
      return usage_error("%s=%s is set: no policy would change anything", names[i], value);
    }
  }
  return -1;
}

static int check_options(struct comparison *comparison, int argc, char **argv) {
  char *why = NULL;
  if (optind == argc) {
    return usage_error("no command given");
  }
  if (comparison->pattern == NULL) {
    return usage_error("no --metric given: which number of the output counts?");
  }
  if (comparison->sides[1].policy == NULL) {
    comparison->sides[1].policy = local_policy_path();
  }
  if (comparison->sides[1].policy == NULL) {
    return usage_error("no --b given, and neither WINORD_CONF nor /etc/winord.conf");
  }
  if (!metric_compile(&comparison->expression, comparison->pattern, &why)) {
    int status = usage_error("--metric '%s': %s", comparison->pattern, why);
    free(why);
    return status;
  }
  comparison->command = argv + optind;
  return comparison_check_environment();
}

static int parse(struct comparison *comparison, int argc, char **argv) {
  int option, status = -1;
  comparison->pairs = ESTIMATE_PAIRS;
  comparison->sides[0].policy = "none";
  while (status < 0 && (option = getopt_long(argc, argv, "+:n:m:o:h", long_options, NULL)) != -1) {
    status = apply(comparison, option, argv);
  }
  return status >= 0 ? status : check_options(comparison, argc, argv);
}

static int compare(struct comparison *comparison, const char *shim) {
  if (!launch_preload(shim)) {
    return STATUS_UNAVAILABLE;
  }
  if (comparison->pairs < ESTIMATE_PAIRS) {
    say("warning: fewer than %d pairs give no verdict", ESTIMATE_PAIRS);
  }
  run_catch_signals();
  comparison_measure(comparison);
  if (comparison->json) {
    comparison_json(comparison);
  } else {
    comparison_text(comparison);
  }
  if (comparison->signal != 0) {
    return 128 + comparison->signal;
  }
  return comparison->measured >= ESTIMATE_PAIRS ? STATUS_OK : STATUS_FAILED;
}

static int find_and_compare(struct comparison *comparison) {
  int status = STATUS_FAILED;
  char *shim = shim_find(false), *program = shim ? program_find(comparison->command[0], &status) : NULL;
  if (shim == NULL) {
    status = STATUS_UNAVAILABLE;
  } else if (program != NULL && comparison_prepare(comparison)) {
    launch_warn_of_program(program, shim);
    status = compare(comparison, shim);
    comparison_remove(comparison);
  } else if (program != NULL) {
    status = STATUS_FAILED;
  }
  free(program);
  free(shim);
  return status;
}

int command_ab(int argc, char **argv) {
  static struct comparison comparison;
  int status = parse(&comparison, argc, argv);
  if (status < 0) {
    status = find_and_compare(&comparison);
  }
  if (comparison.command != NULL) {
    regfree(&comparison.expression);
  }
  return status;
}
