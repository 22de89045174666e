/*
 * winord doctor: what the shim would see of a program, a process, or on this host.
 */
#include "command.h"
#include "diagnosis.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: winord doctor [BINARY | --pid N]\n"
    "\n"
    "Shows which copies of NCCL a program or a running process reaches, their versions, how its calls are bound, and\n"
    "whether the shim sees them; without an argument, what holds on this host. It runs the program's loader and a\n"
    "copy's ncclGetVersion, but only of files that root or this user owns.\n"
    "\n"
    "      --pid=N   look at a running process\n"
    "  -h, --help    show this\n"
    "\n"
    "Exit status: 0 seen, 1 not seen or not all of it, 2 usage.\n";

static int parse_process(const char *text, pid_t *process) {
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (errno != 0 || *end != '\0' || end == text || number <= 0 || number > INT_MAX) {
    return usage_error("'%s' is not a process id", text);
  }
  *process = (pid_t)number;
  return -1;
}

static int read_options(int argc, char **argv, pid_t *process) {
  enum { OPTION_PID = 256 };
  static const struct option long_options[] = {
      {"pid", required_argument, NULL, OPTION_PID},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  int option, status = -1;
  while (status < 0 && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
    if (option == 'h') {
      fputs(help, stdout);
      return STATUS_OK;
    }
    status = option == OPTION_PID ? parse_process(optarg, process) : option_error(option, argv);
  }
  if (status < 0 && argc - optind > (*process == 0)) {
    return usage_error("one program, or one process, or nothing");
  }
  return status;
}

int command_doctor(int argc, char **argv) {
  pid_t process = 0;
  int status = read_options(argc, argv, &process);
  if (status >= 0) {
    return status;
  }
  if (process != 0) {
    return diagnose_process(process);
  }
  return optind < argc ? diagnose_program(argv[optind]) : diagnose_host();
}
