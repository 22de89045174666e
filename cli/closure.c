#include "closure.h"
#include "child.h"
#include "command.h"
#include "elf.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

static void add(char ***list, size_t *count, const char *text) {
  char **longer = realloc(*list, (*count + 1) * sizeof *longer);
  if (longer == NULL) {
    say("out of memory");
    exit(STATUS_FAILED);
  }
  longer[(*count)++] = text_copy(text);
  *list = longer;
}

/* "NAME => PATH (0x...)", "NAME => not found", "PATH (0x...)"; the vDSO, which has no path, is left out. */
static void add_line(struct closure *closure, char *line) {
  line += strspn(line, " \t");
  char *arrow = strstr(line, " => "), *path = arrow ? arrow + 4 : line, *address = NULL;
  for (char *next = path; (next = strstr(next, " (0x")) != NULL; next++) {
    address = next;
  }
  if (address != NULL) {
    *address = '\0';
    if (path[0] == '/') {
      add(&closure->paths, &closure->count, path);
    }
  } else if (arrow != NULL && strcmp(path, "not found") == 0) {
    *arrow = '\0';
    add(&closure->missing, &closure->missing_count, line);
  }
}

static char *own_loader(void) {
  struct elf own;
  char *loader = NULL;
  if (elf_open(&own, "/proc/self/exe") == NULL) {
    loader = elf_interpreter(&own) ? text_copy(elf_interpreter(&own)) : NULL;
    elf_close(&own);
  }
  return loader;
}

/* The loader to ask. Fresh memory; NULL: none. */
static char *loader_of(const struct elf *elf) {
  const char *interpreter = elf_interpreter(elf);
  if (interpreter != NULL && interpreter[0] == '/' && program_trusted(interpreter)) {
    return text_copy(interpreter);
  }
  return own_loader();
}

static bool list(struct closure *closure, char *const *argv) {
  char *output = NULL, *rest = NULL;
  bool listed = command_output(argv, 10, &output) == 0;
  for (char *line = listed ? strtok_r(output, "\n", &rest) : NULL; line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    add_line(closure, line);
  }
  free(output);
  return listed;
}

/* With a library missing, `--list` fails. Then glibc's loader (another might run the program) is asked as ldd does. */
static bool ask(struct closure *closure, char *loader, const char *path) {
  char *absolute = absolute_path(path);
  char *list_all[] = {loader, "--list", absolute, NULL};
  char *trace[] = {"/usr/bin/env", "LD_TRACE_LOADED_OBJECTS=1", loader, absolute, NULL};
  bool glibc = strncmp(base_name(loader), "ld-linux", 8) == 0;
  bool listed = absolute != NULL && (list(closure, list_all) || (glibc && list(closure, trace)));
  free(absolute);
  return listed;
}

void closure_find(struct closure *closure, const char *path) {
  struct elf elf;
  *closure = (struct closure){0};
  if (elf_open(&elf, path) != NULL) {
    return;
  }
  char *loader = elf_needed(&elf, 0) ? loader_of(&elf) : NULL;
  closure->listed = loader != NULL && ask(closure, loader, path);
  const char *name;
  for (size_t i = 0; !closure->listed && (name = elf_needed(&elf, i)) != NULL; i++) {
    add(&closure->missing, &closure->missing_count, name);
  }
  free(loader);
  elf_close(&elf);
}

static void free_list(char **list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(list[i]);
  }
  free(list);
}

void closure_free(struct closure *closure) {
  free_list(closure->paths, closure->count);
  free_list(closure->missing, closure->missing_count);
}
