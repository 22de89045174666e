/*
 * winord check: everything wrong with policy files, and what a fleet would get from one.
 */
#include "check_hosts.h"
#include "command.h"
#include "policy/policy.h"
#include "report.h"

#include <getopt.h>
#include <stdio.h>

static const char help[] =
    "usage: winord check CONF...\n"
    "       winord check --hosts=FILE [--json] CONF\n"
    "\n"
    "Shows every error and every doubt of the policy files on stderr, and one line for each file on stdout.\n"
    "\n"
    "      --hosts=FILE   show what each host of the list would get; lines of NAMES [KEY=VALUE]..., names as Slurm\n"
    "                     writes them (h200-[01-04,7]), keys pool, pci-atomic-mode, hypervisor, gpu, nic-type, path;\n"
    "                     # begins a comment; - is standard input\n"
    "      --json         that as one JSON object\n"
    "  -h, --help         show this\n"
    "\n"
    "Exit status: 0 no error (there may be warnings), 1 errors, 2 usage.\n";

struct options {
  const char *hosts;
  bool json;
};

static bool check_file(const char *path, const struct options *options) {
  struct policy *policy = policy_read(path);
  if (policy == NULL) {
    say("%s: out of memory", path);
    return false;
  }
  policy_find_unreachable(policy, true);
  policy_find_doubts(policy, today_utc());
  report_problems(policy);
  char summary[128];
  if (!options->json) {
    print_plain(stdout, "%s: %s\n", path, policy_summary(policy, summary, sizeof summary));
    fflush(stdout);
  }
  bool good = policy->error_count == 0;
  if (good && options->hosts != NULL) {
    good = check_hosts(policy, options->hosts, options->json) == STATUS_OK;
  }
  policy_free(policy);
  return good;
}

enum { OPTION_HOSTS = 256, OPTION_JSON };

static int parse(struct options *options, int argc, char **argv) {
  static const struct option long_options[] = {{"hosts", required_argument, NULL, OPTION_HOSTS},
                                               {"json", no_argument, NULL, OPTION_JSON},
                                               {"help", no_argument, NULL, 'h'},
                                               {NULL, 0, NULL, 0}};
  int option;
  while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
    switch (option) {
    case OPTION_HOSTS: options->hosts = optarg; break;
    case OPTION_JSON: options->json = true; break;
    case 'h': fputs(help, stdout); return STATUS_OK;
    default: return option_error(option, argv);
    }
  }
  if (optind == argc) {
    return usage_error("no policy file given");
  }
  if (options->json && options->hosts == NULL) {
    return usage_error("--json needs --hosts");
  }
  return options->hosts == NULL || optind + 1 == argc ? -1 : usage_error("--hosts takes one policy file");
}

int command_check(int argc, char **argv) {
  struct options options = {0};
  int status = parse(&options, argc, argv);
  if (status >= 0) {
    return status;
  }
  bool good = true;
  for (int i = optind; i < argc; i++) {
    good = check_file(argv[i], &options) && good;
  }
  return good ? STATUS_OK : STATUS_FAILED;
}
