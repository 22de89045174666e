/*
 * winord: the command. Each command is a function in a file of its own name.
 */
#include "command.h"

#include <stdio.h>
#include <string.h>

struct command {
  const char *name;
  int (*function)(int argc, char **argv);
  const char *help;
};

static const struct command commands[] = {
    {"run", command_run, "run a program with the shim preloaded"},
    {"check", command_check, "show everything wrong with policy files"},
    {"ab", command_ab, "run a program under two policies in turn, and compare a number it prints"},
    {"qualify", command_qualify, "find out whether a pool should be relaxed, and leave evidence and a rule"},
    {"explain", command_explain, "show what a policy decides for one registration, and why"},
    {"env", command_env, "print shell lines that set winord's environment"},
    {"facts", command_facts, "find out what this host is, and write it down with where each value came from"},
    {"doctor", command_doctor, "show which copies of NCCL a program reaches, and whether the shim sees them"},
    {"report", command_report, "show what the journals of jobs say, host by host"},
    {"tag", command_tag, "print the word that keeps results of relaxed windows apart"},
};
static const size_t command_count = sizeof commands / sizeof commands[0];

static int help(void) {
  puts("usage: winord COMMAND [OPTION]...\n"
       "       winord --version\n"
       "\n"
       "Decides, per host, whether NCCL windows are registered with strict or default PCIe ordering.\n");
  for (size_t i = 0; i < command_count; i++) {
    printf("  %-8s  %s\n", commands[i].name, commands[i].help);
  }
  puts("\n'winord COMMAND --help' shows a command's options; the manual is winord(1).");
  return STATUS_OK;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    return usage_error("no command given");
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("winord " WINORD_VERSION);
    return STATUS_OK;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    return help();
  }
  for (size_t i = 0; i < command_count; i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      say_as(commands[i].name);
      return commands[i].function(argc - 1, argv + 1);
    }
  }
  return usage_error("unknown command '%s'", argv[1]);
}

int main(int argc, char **argv) {
  int status = dispatch(argc, argv);
  if ((fflush(stdout) != 0 || ferror(stdout)) && status == STATUS_OK) {
    say("cannot write the output");
    status = STATUS_FAILED;
  }
  return status;
}
