/*
 * winord env: shell lines that set winord's environment. Whatever happens, the first lines clear what an earlier call left.
 */
#include "command.h"
#include "policy/policy.h"
#include "report.h"
#include "shim.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: eval \"$(winord env [OPTION]... CONF)\"\n"
    "\n"
    "Prints lines for a POSIX shell that clear winord's environment and, where a rule of the pool (or the default)\n"
    "does anything, set it.\n"
    "\n"
    "  -p, --pool=NAME   the pool (WINORD_POOL); without, every rule counts and each host finds its own pool\n"
    "      --preload     set LD_PRELOAD too; without, only earlier entries of winord are taken out of it\n"
    "  -h, --help        show this\n"
    "\n"
    "Exit status: 0 done, 1 the policy has errors or there is no shim, 2 usage; the clearing lines are printed in any case.\n";

struct options {
  const char *pool;
  bool preload;
};

enum { OPTION_PRELOAD = 256 };

static void print_export(const char *name, const char *value) {
  printf("export %s='", name);
  for (; *value != '\0'; value++) {
    if (*value == '\'') {
      fputs("'\\''", stdout);
    } else {
      putchar(*value);
    }
  }
  puts("'");
}

static void print_clearing(void) {
  puts("unset WINORD_CONF WINORD_POOL");
  const char *preload = getenv("LD_PRELOAD");
  char *kept = preload_with(preload, NULL);
  char *all = preload ? text_copy(preload) : text_copy(""), *rest = NULL;
  bool ours = false;
  for (char *entry = strtok_r(all, " :", &rest); entry != NULL; entry = strtok_r(NULL, " :", &rest)) {
    ours = ours || is_shim(entry);
  }
  if (ours && kept[0] != '\0') {
    print_export("LD_PRELOAD", kept);
  } else if (ours) {
    puts("unset LD_PRELOAD");
  }
  free(all);
  free(kept);
}

static int read_options(struct options *options, int argc, char **argv) {
  static const struct option long_options[] = {
      {"pool", required_argument, NULL, 'p'},
      {"preload", no_argument, NULL, OPTION_PRELOAD},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  int option;
  while ((option = getopt_long(argc, argv, ":p:h", long_options, NULL)) != -1) {
    if (option == 'p') {
      options->pool = optarg;
    } else if (option == OPTION_PRELOAD) {
      options->preload = true;
    } else if (option == 'h') {
      fputs(help, stdout);
      return STATUS_OK;
    } else {
      print_clearing();
      return option_error(option, argv);
    }
  }
  if (optind + 1 == argc) {
    return -1;
  }
  print_clearing();
  return usage_error(optind == argc ? "no policy file given" : "more than one policy file given");
}

/* Whether a registration in this pool (NULL: in any) can be decided otherwise than as asked. */
static bool does_anything(const struct policy *policy, const char *pool) {
  for (size_t i = 0; i < policy->rule_count; i++) {
    const struct rule *rule = &policy->rules[i];
    if (rule->ordering != ORDERING_KEEP && (pool == NULL || globs_match(&rule->pool, pool))) {
      return true;
    }
  }
  return policy->fallback != ORDERING_KEEP;
}

/* LD_PRELOAD's new value, fresh; NULL: no shim, said. */
static char *new_preload(void) {
  char *shim = shim_find(false), *link = shim ? shim_preloadable(shim) : NULL;
  char *preload = link ? preload_with(getenv("LD_PRELOAD"), link) : NULL;
  free(link);
  free(shim);
  return preload;
}

static int print_settings(const struct options *options, const char *path) {
  char *conf = absolute_path(path), *preload = options->preload ? new_preload() : NULL;
  int status = STATUS_FAILED;
  if (conf == NULL) {
    say("%s: there is no working directory", path);
  } else if (!options->preload || preload != NULL) {
    print_export("WINORD_CONF", conf);
    if (options->pool != NULL) {
      print_export("WINORD_POOL", options->pool);
    }
    if (preload != NULL) {
      print_export("LD_PRELOAD", preload);
    }
    status = STATUS_OK;
  }
  free(preload);
  free(conf);
  return status;
}

int command_env(int argc, char **argv) {
  struct options options = {0};
  int status = read_options(&options, argc, argv);
  if (status >= 0) {
    return status;
  }
  print_clearing();
  struct policy *policy = policy_read(argv[optind]);
  if (policy == NULL) {
    say("out of memory");
    return STATUS_FAILED;
  }
  report_problems(policy);
  if (policy->error_count > 0) {
    status = STATUS_FAILED;
  } else if (does_anything(policy, options.pool)) {
    status = print_settings(&options, argv[optind]);
  } else {
    say(options.pool ? "%s: nothing is decided for pool %s: nothing set" : "%s: nothing is decided: nothing set",
        argv[optind], options.pool);
    status = STATUS_OK;
  }
  policy_free(policy);
  return status;
}
