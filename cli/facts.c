/*
 * winord facts: what this host is, and how that is known.
 */
#include "facts.h"
#include "collect/collect.h"
#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: winord facts [OPTION]...\n"
    "\n"
    "Finds out what decides about ordering on this host: each RDMA device's PCI_ATOMIC_MODE now and after the next\n"
    "reset, its firmware, verbs' capabilities, the hypervisor, the paths between GPUs and NICs. Prints the facts\n"
    "file; what is not known is a comment in it, with the reason. Root sees more than others.\n"
    "\n"
    "      --write[=FILE]  write the facts file (/run/winord/facts.ini), whole or not at all, instead of printing it\n"
    "      --json          print everything as JSON, with sources and reasons\n"
    "      --root=DIR      a recorded host: read /sys and /proc below DIR, tools' outputs in DIR/outputs\n"
    "      --from=FILE     read saved outputs of tools, what a user pastes into a ticket; - is standard input\n"
    "  -h, --help          show this\n"
    "\n"
    "Exit status: 0 done (much may be unknown), 1 not written or not readable, 2 usage.\n";

enum { OPTION_JSON = 256, OPTION_WRITE, OPTION_ROOT, OPTION_FROM };

static const struct option long_options[] = {
    {"json", no_argument, NULL, OPTION_JSON},
    {"write", optional_argument, NULL, OPTION_WRITE},
    {"root", required_argument, NULL, OPTION_ROOT},
    {"from", required_argument, NULL, OPTION_FROM},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct wishes {
  bool json, write;
  const char *file; /* NULL: the usual one */
  const char *root, *from;
};

/* -1, or the exit status. */
static int check_wishes(const struct wishes *wishes, int argc, char **argv) {
  if (optind < argc) {
    return usage_error("superfluous argument '%s'; a file stands behind --write= or --from=", argv[optind]);
  }
  if (wishes->from != NULL && (wishes->write || wishes->root[0] != '\0')) {
    return usage_error("--from goes with --json alone");
  }
  if (wishes->file != NULL && wishes->file[0] == '\0') {
    return usage_error("--write= needs a file's name");
  }
  return wishes->write && wishes->file == NULL && wishes->root[0] != '\0'
             ? usage_error("a recorded host's facts are not this host's: give --write=FILE")
             : -1;
}

static int read_options(struct wishes *wishes, int argc, char **argv) {
  int option;
  while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
    if (option == 'h') {
      fputs(help, stdout);
      return STATUS_OK;
    } else if (option == OPTION_JSON) {
      wishes->json = true;
    } else if (option == OPTION_WRITE) {
      wishes->write = true;
      wishes->file = optarg;
    } else if (option == OPTION_ROOT && optarg != NULL) {
      wishes->root = optarg;
    } else if (option == OPTION_FROM) {
      wishes->from = optarg;
    } else {
      return option_error(option, argv);
    }
  }
  return check_wishes(wishes, argc, argv);
}

static int write_file(const struct collection *all, const char *path) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  if (file == NULL) {
    say("out of memory");
    return STATUS_FAILED;
  }
  facts_write(all, file);
  bool good = fclose(file) == 0;
  if (!good || facts_replace(path, text, size) != 0) {
    const char *why = !path && errno == EPERM ? "others can write in /run/winord" : strerror(errno);
    say("%s: cannot be written: %s", path ? path : "/run/winord/facts.ini", why);
    good = false;
  }
  free(text);
  return good ? STATUS_OK : STATUS_FAILED;
}

static int print(const struct collection *all, const struct wishes *wishes) {
  if (wishes->json && !facts_json(all, stdout)) {
    say("the JSON cannot be printed");
    return STATUS_FAILED;
  }
  if (!wishes->json && !wishes->write) {
    facts_write(all, stdout);
  }
  return STATUS_OK;
}

int command_facts(int argc, char **argv) {
  struct wishes wishes = {.root = ""};
  int status = read_options(&wishes, argc, argv);
  if (status >= 0) {
    return status;
  }
  if (wishes.from != NULL) {
    return facts_from_command(wishes.from, wishes.json);
  }
  struct collection *all = collect(wishes.root);
  if (all == NULL) {
    say("out of memory");
    return STATUS_FAILED;
  }
  facts_complain(all, say);
  status = wishes.write ? write_file(all, wishes.file) : STATUS_OK;
  if (status == STATUS_OK) {
    status = print(all, &wishes);
  }
  collection_free(all);
  return status;
}
