#include "closure.h"
#include "command.h"
#include "diagnosis.h"
#include "elf.h"
#include "object.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the objects of a program amount to. */
struct findings {
  size_t copies, calls, loads;
  bool covered;
};

static void collect(struct objects *objects, const char *path) {
  struct closure closure;
  objects_add(objects, path, true);
  closure_find(&closure, path);
  for (size_t i = 0; i < closure.count; i++) {
    objects_add(objects, closure.paths[i], true);
  }
  if (!closure.listed && closure.missing_count > 0) {
    puts("closure   the loader could not list the program's libraries; it needs these, which were not looked at:");
  }
  for (size_t i = 0; i < closure.missing_count; i++) {
    print_plain(stdout, "%s %s\n", closure.listed ? "missing  " : "needed   ", closure.missing[i]);
  }
  closure_free(&closure);
}

static struct findings print_objects(const struct objects *objects) {
  struct findings findings = {.covered = true};
  for (size_t i = 0; i < objects->count; i++) {
    const struct object *object = &objects->items[i];
    findings.covered = object_print(object) && findings.covered;
    findings.copies += object->copy;
    findings.calls += object->calls;
    findings.loads += object->loads && !object->copy && !object->old_copy;
  }
  return findings;
}

static int verdict(const char *path, const char *obstacle, const struct findings *findings) {
  if (obstacle != NULL) {
    print_plain(stdout, "verdict   not seen: %s %s, so nothing can be preloaded\n", path, obstacle);
    return STATUS_FAILED;
  }
  if (!findings->covered) {
    puts("verdict   not all seen: see the lines marked uncovered and guess");
    return STATUS_FAILED;
  }
  if (findings->calls > 0) {
    puts("verdict   seen: by the link-time calls, and by dlsym");
    return STATUS_OK;
  }
  if (findings->copies > 0) {
    puts("verdict   seen: nothing calls at link time; look-ups by dlsym are hooked");
    return STATUS_OK;
  }
  if (findings->loads > 0) {
    puts("verdict   seen, if it loads NCCL at run time (it can: dlopen and dlsym): look-ups by dlsym are hooked");
    return STATUS_OK;
  }
  puts("verdict   nothing to see: no NCCL, and nothing that could load it");
  return STATUS_FAILED;
}

static const char *bits(const struct elf *elf) { return elf->class == ELFCLASS64 ? "64-bit" : "32-bit"; }

/* The file itself, and the scripts and `env` before it. */
static int diagnose_file(const char *path) {
  struct elf elf;
  const char *trouble = elf_open(&elf, path);
  if (trouble != NULL) {
    say("%s: %s", path, trouble);
    return STATUS_FAILED;
  }
  print_plain(stdout, "program   %s: %s, ", path, bits(&elf));
  print_plain(stdout, elf_interpreter(&elf) ? "loader %s\n" : "no loader\n", elf_interpreter(&elf));
  elf_close(&elf);
  struct objects objects = {0};
  const char *obstacle = program_obstacle(path, NULL);
  print_plain(stdout, "preload   %s%s\n", obstacle ? "not possible: it " : "possible", obstacle ? obstacle : "");
  if (program_wants_asan_first(path)) {
    puts(
        "asan      gcc's AddressSanitizer: needs ASAN_OPTIONS=verify_asan_link_order=0, or libasan.so preloaded first");
  }
  collect(&objects, path);
  struct findings findings = print_objects(&objects);
  int status = verdict(path, obstacle, &findings);
  objects_free(&objects);
  return status;
}

int diagnose_program(const char *path) {
  char *found = NULL;
  int status = STATUS_FAILED;
  if (access(path, R_OK) != 0 && strchr(path, '/') == NULL) {
    found = program_find(path, &status);
    if (found == NULL) {
      return STATUS_FAILED;
    }
  }
  char *program = program_behind(found ? found : path);
  if (strcmp(program, found ? found : path) != 0) {
    print_plain(stdout, "script    %s: run by %s\n", found ? found : path, program);
  }
  status = diagnose_file(program);
  free(program);
  free(found);
  return status;
}
