/*
 * winord run: the command with the shim preloaded.
 */
#include "child.h"
#include "command.h"
#include "expect.h"
#include "launch.h"
#include "program.h"
#include "shim.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: winord run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
    "\n"
    "Runs COMMAND with winord's shim preloaded; its exit status is kept.\n"
    "\n"
    "  -c, --conf=FILE     policy file (WINORD_CONF)\n"
    "  -p, --pool=NAME     this job's pool (WINORD_POOL)\n"
    "  -o, --log=FILE      journal (WINORD_LOG): %h host, %p process, %q{VAR}, %%; or the word stderr\n"
    "  -n, --dry-run       decide and record, change nothing\n"
    "      --no-dlsym      use the shim that does not hook dlsym\n"
    "      --audit         use the audit library in place of the preload (glibc 2.35 and later): sees calls in\n"
    "                      every namespace, and past RTLD_DEEPBIND\n"
    "      --observe       have NCCL (2.30.3 and later) open libwinord-verbs.so, and journal how each window's\n"
    "                      memory was registered (NCCL_IBVERBS_LIB)\n"
    "      --expect=WHAT   wait, and fail with status 70 unless the journal shows a registration that was\n"
    "                      relaxed, strict, or any; also when a copy of NCCL was out of the shim's reach\n"
    "  -h, --help          show this\n"
    "\n"
    "Exit status: the command's; 2 usage, 69 no shim or nothing to observe with, 70 not as expected,\n"
    "126 not executable, 127 not found.\n";

struct options {
  const char *conf, *pool, *log;
  bool dry_run, no_dlsym, audit, observe;
  enum expect expect;
};

enum { OPTION_NO_DLSYM = 256, OPTION_AUDIT, OPTION_OBSERVE, OPTION_EXPECT };

static const struct option long_options[] = {
    {"conf", required_argument, NULL, 'c'},
    {"pool", required_argument, NULL, 'p'},
    {"log", required_argument, NULL, 'o'},
    {"dry-run", no_argument, NULL, 'n'},
    {"no-dlsym", no_argument, NULL, OPTION_NO_DLSYM},
    {"audit", no_argument, NULL, OPTION_AUDIT},
    {"observe", no_argument, NULL, OPTION_OBSERVE},
    {"expect", required_argument, NULL, OPTION_EXPECT},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Applies one option; returns -1 to go on, else the exit status. */
static int apply(struct options *options, int option, char **argv) {
  switch (option) {
  case 'c': options->conf = optarg; return -1;
  case 'p': options->pool = optarg; return -1;
  case 'o': options->log = optarg; return -1;
  case 'n': options->dry_run = true; return -1;
  case OPTION_NO_DLSYM: options->no_dlsym = true; return -1;
  case OPTION_AUDIT: options->audit = true; return -1;
  case OPTION_OBSERVE: options->observe = true; return -1;
  case OPTION_EXPECT:
    return expect_parse(optarg, &options->expect) ? -1
                                                  : usage_error("--expect is relaxed, strict or any, not '%s'", optarg);
  case 'h': fputs(help, stdout); return STATUS_OK;
  default: return option_error(option, argv);
  }
}

static int parse(struct options *options, int argc, char **argv) {
  int option, status = -1;
  while (status < 0 && (option = getopt_long(argc, argv, "+:c:p:o:nh", long_options, NULL)) != -1) {
    status = apply(options, option, argv);
  }
  if (status >= 0) {
    return status;
  }
  if (optind == argc) {
    return usage_error("no command given");
  }
  if (options->audit && options->no_dlsym) {
    return usage_error("--audit hooks nothing: --no-dlsym means nothing with it");
  }
  if (options->log == NULL && (options->expect != EXPECT_NOTHING || options->observe)) {
    options->log = getenv("WINORD_LOG"); /* the journal that the run will have */
  }
  if (options->log != NULL && options->log[0] == '\0') {
    options->log = NULL;
  }
  if (options->observe && options->log == NULL) {
    return usage_error("--observe writes to the journal, and there is none: give -o FILE");
  }
  if (options->expect != EXPECT_NOTHING && options->log != NULL && strcmp(options->log, "stderr") == 0) {
    return usage_error("--expect reads the journal back, which it cannot from stderr");
  }
  return -1;
}

/* WINORD_LOG as every process will understand it, wherever it runs. Fresh memory; NULL: no working directory, said. */
static char *absolute_log(const char *log) {
  if (log[0] == '/' || strcmp(log, "stderr") == 0) {
    return text_copy(log);
  }
  char *folder = absolute_path("");
  if (folder == NULL) {
    say("there is no working directory for the journal %s", log);
    return NULL;
  }
  char *literal = launch_log_literal(folder), *pattern = text_format("%s%s", literal, log);
  free(literal);
  free(folder);
  return pattern;
}

/* Has NCCL open the observing library. False: said. */
static bool set_observer(void) {
  const char *before = getenv("NCCL_IBVERBS_LIB");
  char *observer = observer_find();
  bool done = observer != NULL;
  if (done && before != NULL && before[0] != '\0' && strcmp(before, observer) != 0) {
    say("--observe needs NCCL_IBVERBS_LIB, which is set already: %s", before);
    done = false;
  }
  done = done && launch_set("NCCL_IBVERBS_LIB", observer);
  free(observer);
  return done;
}

/* The environment of the run. log and run are absolute and fresh; false: said. */
static bool set_environment(const struct options *options, const char *log, const char *run) {
  char *conf = options->conf ? absolute_path(options->conf) : NULL;
  bool done = (options->conf == NULL || launch_set("WINORD_CONF", conf)) &&
              (log == NULL || launch_set("WINORD_LOG", log)) &&
              (options->pool == NULL || launch_set("WINORD_POOL", options->pool)) &&
              (!options->dry_run || launch_set("WINORD_DRY_RUN", "1")) && launch_set("WINORD_RUN", run);
  if (done && conf != NULL) {
    launch_warn_of_policy(conf);
  }
  free(conf);
  return done;
}

/* A private journal for --expect without -o. Fresh memory; the folder around it is removed by remove_journal. */
static char *private_journal(void) {
  char *folder = launch_private_folder("run"), *journal = folder ? text_format("%s/journal.jsonl", folder) : NULL;
  free(folder);
  return journal;
}

static void remove_journal(char *journal) {
  unlink(journal);
  *strrchr(journal, '/') = '\0';
  rmdir(journal);
}

/* Runs the command to its end and holds the journal against what was expected. */
static int run_and_check(const struct options *options, const char *log, const char *run, char **command) {
  int status = command_wait(command);
  if (status == 0) {
    return expect_check(options->expect, log, run);
  }
  say("the command failed with status %d; --expect was not looked at", status);
  return status;
}

/* With the journal settled: sets the environment and runs. */
static int run_journalled(const struct options *options, const char *shim, const char *log, char **command) {
  char *run = launch_run_id();
  int status = STATUS_FAILED;
  if (set_environment(options, log, run)) {
    bool loads = options->audit ? launch_audit(shim) : launch_preload(shim);
    status = loads && (!options->observe || set_observer()) ? STATUS_OK : STATUS_UNAVAILABLE;
  }
  if (status == STATUS_OK) {
    status = options->expect != EXPECT_NOTHING ? run_and_check(options, log, run, command) : command_exec(command);
  }
  free(run);
  return status;
}

static int run_with(const struct options *options, const char *shim, char **command) {
  bool own_log = options->expect != EXPECT_NOTHING && options->log == NULL, logs = own_log || options->log != NULL;
  char *log = !logs ? NULL : own_log ? private_journal() : absolute_log(options->log);
  if (logs && log == NULL) {
    return STATUS_FAILED;
  }
  int status = run_journalled(options, shim, log, command);
  if (own_log) {
    remove_journal(log);
  }
  free(log);
  return status;
}

int command_run(int argc, char **argv) {
  struct options options = {0};
  int status = parse(&options, argc, argv);
  if (status >= 0) {
    return status;
  }
  char *shim = options.audit ? audit_find() : shim_find(options.no_dlsym);
  if (shim == NULL) {
    return STATUS_UNAVAILABLE;
  }
  char *program = program_find(argv[optind], &status);
  if (program != NULL) {
    launch_warn_of_program(program, shim);
    const char *disable = getenv("WINORD_DISABLE");
    if (disable != NULL && *disable != '\0' && strcmp(disable, "0") != 0) {
      say("warning: WINORD_DISABLE=%s is set: the shim will do nothing", disable);
    }
    status = run_with(&options, shim, argv + optind);
  }
  free(program);
  free(shim);
  return status;
}
