#define _GNU_SOURCE
#include "object.h"
#include "command.h"
#include "elf.h"
#include "program.h"
#include "values.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REGISTER, PRIVATE_REGISTER, GET_VERSION, DLOPEN, DLSYM, NAMES };
static const char *const names[NAMES] = {"ncclCommWindowRegister", "pncclCommWindowRegister", "ncclGetVersion",
                                         "dlopen", "dlsym"};

/* In the child: 0 where the file cannot be loaded, 1 where it tells no version, else the version. */
static int load_and_ask(const char *path) {
  void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  int version = 0;
  if (handle == NULL) {
    return 0;
  }
  int (*get_version)(int *) = (int (*)(int *))dlsym(handle, names[GET_VERSION]);
  return get_version != NULL && get_version(&version) == 0 && version > 1 ? version : 1;
}

/* load_and_ask in a child that can neither write anywhere, nor hang, nor leave a core. */
static int ask_in_child(const char *path) {
  int ends[2], answer = 0;
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return 0;
  }
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit none = {0, 0};
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &none);
    alarm(20);
    answer = load_and_ask(path);
    _exit(write(ends[1], &answer, sizeof answer) != sizeof answer);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &answer, sizeof answer) != sizeof answer) {
    answer = 0;
  }
  close(ends[0]);
  if (child > 0) {
    waitpid(child, NULL, 0);
  }
  return answer;
}

bool object_loads(const char *path) { return ask_in_child(path) != 0; }

/* "NCCL version 2.30.7+cuda12.9" in read-only data: the first that goes on with a number. */
static bool find_version(const struct elf *elf, char *version, size_t size) {
  static const char before[] = "NCCL version ";
  size_t rest, used = 0;
  const char *at = elf_find_text(elf, before, NULL, &rest);
  while (at != NULL && (rest <= sizeof before || !isdigit((unsigned char)at[sizeof before - 1]))) {
    at = elf_find_text(elf, before, at + 1, &rest);
  }
  if (at == NULL) {
    return false;
  }
  at += sizeof before - 1;
  rest -= sizeof before - 1;
  while (used + 1 < size && used < rest && (isdigit((unsigned char)at[used]) || at[used] == '.')) {
    version[used] = at[used];
    used++;
  }
  version[used] = '\0';
  return true;
}

static void look_at_symbols(struct object *object, const struct elf *elf) {
  struct elf_symbol symbols[NAMES];
  uint64_t flags = 0, unused;
  for (int i = 0; i < NAMES; i++) {
    symbols[i] = (struct elf_symbol){.name = names[i]};
  }
  elf_dynamic_symbols(elf, symbols, NAMES);
  elf_dynamic(elf, DT_FLAGS, 0, &flags);
  bool symbolic = (flags & DF_SYMBOLIC) || elf_dynamic(elf, DT_SYMBOLIC, 0, &unused);
  object->copy = symbols[PRIVATE_REGISTER].defined;
  object->old_copy = !object->copy && symbols[GET_VERSION].defined;
  object->calls = symbols[REGISTER].imported;
  object->bound_inside = object->copy && (symbolic || symbols[REGISTER].fixed);
  object->loads = symbols[DLOPEN].imported && symbols[DLSYM].imported;
}

/* NCCL built in and hidden shows in .symtab, or only by the text of its version. */
static void guess_hidden(struct object *object, const struct elf *elf) {
  struct elf_symbol symbol = {.name = names[REGISTER]};
  elf_static_symbols(elf, &symbol, 1);
  bool text = find_version(elf, object->version, sizeof object->version);
  object->hidden = symbol.defined || text;
  object->version_source = text ? "from a text in the file" : NULL;
}

static void find_copy_version(struct object *object, const struct elf *elf, bool ask) {
  int version = ask && program_trusted(object->path) ? ask_in_child(object->path) : 0;
  if (version > 1) {
    char *text = version_text(version);
    snprintf(object->version, sizeof object->version, "%s", text);
    object->version_source = "by its ncclGetVersion";
    free(text);
  } else if (find_version(elf, object->version, sizeof object->version)) {
    object->version_source = "from a text in the file";
  }
}

void object_look(struct object *object, const char *path, bool ask) {
  struct elf elf;
  memset(object, 0, sizeof *object);
  object->path = text_copy(path);
  object->trouble = elf_open(&elf, path);
  if (object->trouble != NULL) {
    return;
  }
  if (elf.readable) {
    look_at_symbols(object, &elf);
    if (object->copy || object->old_copy) {
      find_copy_version(object, &elf, ask && elf_interpreter(&elf) == NULL);
    } else {
      guess_hidden(object, &elf);
    }
  }
  elf_close(&elf);
}

struct object *objects_add(struct objects *objects, const char *path, bool ask) {
  struct object *longer = realloc(objects->items, (objects->count + 1) * sizeof *longer);
  if (longer == NULL) {
    say("out of memory");
    exit(STATUS_FAILED);
  }
  objects->items = longer;
  object_look(&longer[objects->count], path, ask);
  return &longer[objects->count++];
}

void objects_free(struct objects *objects) {
  for (size_t i = 0; i < objects->count; i++) {
    free(objects->items[i].path);
  }
  free(objects->items);
  *objects = (struct objects){0};
}

static void print_copy(const struct object *object, const char *kind, const char *more) {
  print_plain(stdout, "%-9s %s: NCCL %s", kind, object->path,
              object->version[0] ? object->version : "of unknown version");
  if (object->version_source != NULL) {
    print_plain(stdout, " (%s)", object->version_source);
  }
  print_plain(stdout, "%s\n", more);
}

bool object_print(const struct object *object) {
  if (object->copy) {
    print_copy(object, "copy", "");
  } else if (object->old_copy) {
    print_copy(object, "copy", ", which has no window registration");
  }
  if (object->bound_inside) {
    print_plain(stdout, "uncovered %s: calls inside it are bound to itself (symbolic), past the shim\n", object->path);
  }
  if (object->hidden) {
    print_copy(object, "guess", " built in and not exported: calls inside it pass the shim by");
  }
  if (object->calls) {
    print_plain(stdout,
                "calls     %s: ncclCommWindowRegister at link time, bound to the first object that has it: the shim\n",
                object->path);
  }
  return !object->bound_inside && !object->hidden;
}
