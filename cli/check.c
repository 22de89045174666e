/*
 * winord check: everything wrong with policy files.
 */
#include "command.h"
#include "policy/policy.h"
#include "report.h"

#include <getopt.h>
#include <stdio.h>

static const char help[] =
    "usage: winord check CONF...\n"
    "\n"
    "Shows every error and every doubt of the policy files on stderr, and one line for each file on stdout.\n"
    "\n"
    "  -h, --help   show this\n"
    "\n"
    "Exit status: 0 no error (there may be warnings), 1 errors, 2 usage.\n";

static bool check_file(const char *path) {
  struct policy *policy = policy_read(path);
  if (policy == NULL) {
    say("%s: out of memory", path);
    return false;
  }
  policy_find_unreachable(policy, true);
  policy_find_doubts(policy, today_utc());
  report_problems(policy);
  char summary[128];
  printf("%s: %s\n", path, policy_summary(policy, summary, sizeof summary));
  fflush(stdout);
  bool good = policy->error_count == 0;
  policy_free(policy);
  return good;
}

int command_check(int argc, char **argv) {
  static const struct option long_options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  int option = getopt_long(argc, argv, ":h", long_options, NULL);
  if (option == 'h') {
    fputs(help, stdout);
    return STATUS_OK;
  }
  if (option != -1) {
    return option_error(option, argv);
  }
  if (optind == argc) {
    return usage_error("no policy file given");
  }
  bool good = true;
  for (int i = optind; i < argc; i++) {
    good = check_file(argv[i]) && good;
  }
  return good ? STATUS_OK : STATUS_FAILED;
}
