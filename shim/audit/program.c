#include "shim/audit/program.h"

#include <ctype.h>
#include <stdlib.h>

#include "shim/elf.h"

/* The program itself, the first object of its namespace, and its libc. Both stay to the end. */
static const struct link_map *program;
static struct object libc;

void program_opens(const struct link_map *map) {
  const struct object object = object_of_map(map);
  const char *soname = object_soname(&object);
  if (!map->l_prev)
    program = map;
  if (soname && same_text(soname, "libc.so.6"))
    libc = object;
}

static void *program_function(const char *name) { return libc.dynamic ? object_symbol(&libc, name) : NULL; }

char *secure_getenv(const char *name) {
  char *(*theirs)(const char *) = (char *(*)(const char *))program_function("secure_getenv");
  return theirs ? theirs(name) : NULL;
}

typedef int register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object);
register_atfork __register_atfork;

int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object) {
  register_atfork *theirs = (register_atfork *)program_function("__register_atfork");
  return theirs ? theirs(prepare, parent, child, object) : -1;
}

/* For inih, which asks for white space alone. libc's own table is missing in threads that another libc began (2.36). */
const unsigned short **__ctype_b_loc(void) {
  static const unsigned short table[384] = {
      [128 + '\t'] = _ISspace, [128 + '\n'] = _ISspace, [128 + '\v'] = _ISspace,
      [128 + '\f'] = _ISspace, [128 + '\r'] = _ISspace, [128 + ' '] = _ISspace,
  };
  static const unsigned short *middle = table + 128;
  return &middle;
}

/* glibc's struct dl_find_object, whose declaration is new in 2.35. */
struct place {
  unsigned long long flags;
  void *start, *end;
  struct link_map *map;
  void *unwind;
  unsigned long long reserved[7];
};

typedef int phdr_callback(struct dl_phdr_info *info, size_t size, void *data);

struct visit {
  phdr_callback *callback;
  void *data;
  int answer;
};

/* As one segment, from the first to the last; none while the object is still being loaded. */
static int show(const struct link_map *map, struct dl_phdr_info info, const struct visit *visit) {
  int (*find)(void *, struct place *) = (int (*)(void *, struct place *))program_function("_dl_find_object");
  struct place place;
  ElfW(Phdr) headers[] = {{.p_type = PT_DYNAMIC, .p_vaddr = (ElfW(Addr))map->l_ld - map->l_addr}, {.p_type = PT_LOAD}};
  info.dlpi_addr = map->l_addr;
  info.dlpi_name = map->l_name;
  info.dlpi_phdr = headers;
  info.dlpi_phnum = 1;
  if (find && find(map->l_ld, &place) == 0) {
    headers[1].p_vaddr = (ElfW(Addr))place.start - map->l_addr;
    headers[1].p_memsz = (size_t)((char *)place.end - (char *)place.start);
    info.dlpi_phnum = 2;
  }
  return visit->callback(&info, sizeof info, visit->data);
}

static void show_list(const struct link_map *map, struct dl_phdr_info counts, struct visit *visit) {
  for (; map && !visit->answer; map = map->l_next)
    visit->answer = show(map, counts, visit);
}

/* libc gives us the first object of our own namespace, the counts of all, and the lock under which lists change. */
static int show_all(struct dl_phdr_info *first, size_t size, void *data) {
  (void)size;
  show_list(program, *first, data);
  for (const struct r_debug *space = next_namespace(NULL); space; space = next_namespace(space))
    show_list(space->r_map, *first, data);
  return 1;
}

int dl_iterate_phdr(phdr_callback *callback, void *data) {
  int (*theirs)(phdr_callback *, void *) = (int (*)(phdr_callback *, void *))program_function("dl_iterate_phdr");
  struct visit visit = {.callback = callback, .data = data};
  if (theirs)
    (void)theirs(show_all, &visit);
  return visit.answer;
}
