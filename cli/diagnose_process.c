#include "command.h"
#include "diagnosis.h"
#include "object.h"
#include "shim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* A file mapped into the process. */
struct mapping {
  char *path; /* as the process names it */
  unsigned long inode;
  char device[16];
  size_t beginnings; /* mappings of its first page: more than one where it was loaded more than once */
};

struct mappings {
  struct mapping *items;
  size_t count;
};

static struct mapping *mapping_of(struct mappings *mappings, const struct mapping *wanted) {
  for (size_t i = 0; i < mappings->count; i++) {
    struct mapping *item = &mappings->items[i];
    if (item->inode == wanted->inode && strcmp(item->device, wanted->device) == 0) {
      return item;
    }
  }
  struct mapping *longer = realloc(mappings->items, (mappings->count + 1) * sizeof *longer);
  if (longer == NULL) {
    say("out of memory");
    exit(STATUS_FAILED);
  }
  mappings->items = longer;
  longer[mappings->count] = *wanted;
  longer[mappings->count].path = text_copy(wanted->path);
  return &longer[mappings->count++];
}

/* One line of /proc/N/maps: "BEGIN-END PERMISSIONS OFFSET DEVICE INODE   PATH". */
static void add_line(struct mappings *mappings, char *line) {
  struct mapping seen = {0};
  unsigned long offset;
  int path = 0;
  line[strcspn(line, "\n")] = '\0';
  if (sscanf(line, "%*x-%*x %*4s %lx %15s %lu %n", &offset, seen.device, &seen.inode, &path) == 3 && path > 0 &&
      line[path] == '/') {
    seen.path = line + path;
    struct mapping *mapping = mapping_of(mappings, &seen);
    mapping->beginnings += offset == 0;
  }
}

static bool read_mappings(struct mappings *mappings, pid_t process) {
  char *name = text_format("/proc/%ld/maps", (long)process), *line = NULL;
  FILE *file = fopen(name, "re");
  size_t room = 0;
  bool any = false;
  while (file != NULL && getline(&line, &room, file) > 0) {
    add_line(mappings, line);
    any = true;
  }
  if (file == NULL) {
    say("%s: %s", name, strerror(errno));
  } else {
    fclose(file);
    if (!any) {
      say("%s: empty: a kernel thread, or a process that has ended", name);
    }
  }
  free(line);
  free(name);
  return any;
}

static void free_mappings(struct mappings *mappings) {
  for (size_t i = 0; i < mappings->count; i++) {
    free(mappings->items[i].path);
  }
  free(mappings->items);
}

/* What decides of the shim, as the process was started with. */
static void print_environment(pid_t process) {
  char *name = text_format("/proc/%ld/environ", (long)process), *entry = NULL;
  FILE *file = fopen(name, "re");
  size_t room = 0;
  if (file == NULL) {
    print_plain(stdout, "environ   cannot be read: %s\n", strerror(errno));
  }
  while (file != NULL && getdelim(&entry, &room, '\0', file) > 0) {
    if (strncmp(entry, "LD_PRELOAD=", 11) == 0 || strncmp(entry, "LD_AUDIT=", 9) == 0 ||
        strncmp(entry, "WINORD_", 7) == 0) {
      print_plain(stdout, "environ   %s\n", entry);
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  free(entry);
  free(name);
}

/* What the mapped files amount to. */
struct findings {
  const char *shim, *audit;
  size_t copies;
  bool covered;
};

static void look_for_shims(struct findings *findings, const struct mappings *mappings) {
  for (size_t i = 0; i < mappings->count; i++) {
    const char *path = mappings->items[i].path;
    if (is_shim(path)) {
      *(is_audit(path) ? &findings->audit : &findings->shim) = path;
    }
  }
}

/* The audit library leaves everything to a shim that is preloaded as well. */
static bool audited(const struct findings *findings) { return findings->audit != NULL && findings->shim == NULL; }

static void look_at(struct findings *findings, const struct mapping *mapping, pid_t process) {
  if (is_shim(mapping->path)) {
    return;
  }
  char *path = text_format("/proc/%ld/root%s", (long)process, mapping->path); /* its own mount namespace */
  struct object object;
  object_look(&object, path, false);
  if (object.copy || object.old_copy || object.hidden) {
    free(object.path);
    object.path = text_copy(mapping->path);
    findings->covered = object_print(&object) && findings->covered;
    findings->copies += object.copy;
  }
  if (object.copy && mapping->beginnings > 1 && !audited(findings)) {
    print_plain(stdout, "uncovered %s: mapped %zu times, as by dlmopen: calls to the others pass the shim by\n",
                mapping->path, mapping->beginnings);
    findings->covered = false;
  }
  free(object.path);
  free(path);
}

static int verdict(const struct findings *findings) {
  if (findings->shim == NULL && findings->audit == NULL) {
    puts("verdict   not seen: the shim is not loaded in this process");
    return STATUS_FAILED;
  }
  if (!findings->covered) {
    puts("verdict   not all seen: see the lines marked uncovered and guess");
    return STATUS_FAILED;
  }
  if (findings->copies == 0) {
    puts("verdict   nothing to see: no copy of NCCL with window registration is loaded (yet)");
    return STATUS_FAILED;
  }
  print_plain(stdout, "verdict   seen; %s cannot be told from here: the journal tells (uncovered)\n",
              audited(findings) ? "a call by an address in data" : "a copy loaded with RTLD_DEEPBIND");
  return STATUS_OK;
}

int diagnose_process(pid_t process) {
  struct mappings mappings = {0};
  struct findings findings = {.covered = true};
  if (!read_mappings(&mappings, process)) {
    return STATUS_FAILED;
  }
  char link[64], program[4096];
  snprintf(link, sizeof link, "/proc/%ld/exe", (long)process);
  ssize_t size = readlink(link, program, sizeof program - 1);
  program[size > 0 ? size : 0] = '\0';
  print_plain(stdout, "process   %ld: %s\n", (long)process, program);
  print_environment(process);
  look_for_shims(&findings, &mappings);
  for (size_t i = 0; i < mappings.count; i++) {
    look_at(&findings, &mappings.items[i], process);
  }
  print_plain(stdout, "shim      %s\n", findings.shim ? findings.shim : findings.audit ? findings.audit : "not loaded");
  if (findings.shim != NULL && findings.audit != NULL) {
    print_plain(stdout, "          %s is loaded as well, and leaves the calls to it\n", findings.audit);
  }
  int status = verdict(&findings);
  free_mappings(&mappings);
  return status;
}
