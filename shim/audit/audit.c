/*
 * The other way in, libwinord-audit.so: an rtld-audit(7) library. The dynamic linker asks it what a name is to be bound
 * to, in every namespace and scope, at a call by name as at a look-up by dlsym, and says which object's the name is.
 */
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/audit/program.h"
#include "shim/copies.h"
#include "shim/dlsym.h"
#include "shim/wrap.h"

/* LAV_CURRENT of glibc 2.35, the first that asks about names bound when an object is loaded, and leaves the PLT fast. */
enum { GLIBC_2_35 = 2 };

#define EXPORTED __attribute__((visibility("default")))
EXPORTED unsigned la_version(unsigned version);
EXPORTED unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
EXPORTED uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags,
                                const char *name);

static bool preloaded; /* the shim is: it decides */

static void say(const char *line) { (void)syscall(SYS_write, STDERR_FILENO, line, strlen(line)); }

/* Our libc's malloc, at its first use, asks for random bytes: there a thread could be cancelled, with a lock of ours. */
static void wake_malloc(void) {
  void *volatile first = malloc(1);
  free(first);
}

unsigned la_version(unsigned version) {
  auditing = version >= GLIBC_2_35;
  if (!auditing)
    say("winord: libwinord-audit.so needs glibc 2.35 or later: no call will be seen\n");
  else
    wake_malloc();
  return auditing ? GLIBC_2_35 : 0;
}

static bool is_preload(const struct object *object) {
  const char *soname = object_soname(object);
  return soname && (same_text(soname, "libwinord.so") || same_text(soname, "libwinord-nodlsym.so"));
}

static void step_back(void) {
  static atomic_bool said;
  if (!atomic_exchange(&said, true))
    say("winord: libwinord.so is preloaded as well: libwinord-audit.so leaves the calls to it\n");
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
  const struct object object = object_of_map(map);
  if (space == LM_ID_BASE)
    program_opens(map);
  *cookie = (uintptr_t)map;
  preloaded = preloaded || is_preload(&object);
  if (!object_symbol(&object, pnccl_names[WINDOW_REGISTER]))
    return LA_FLG_BINDFROM;
  if (preloaded)
    step_back();
  return LA_FLG_BINDFROM | LA_FLG_BINDTO;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags,
                       const char *name) {
  const int function = our_function(name);
  const struct object definer = object_of_map((const struct link_map *)*to);
  (void)index, (void)from, (void)flags;
  if (function == NCCL_FUNCTIONS || preloaded)
    return symbol->st_value;
  const int thunk = thunk_in(&definer, function, (void *)symbol->st_value);
  return thunk == NOT_A_THUNK ? symbol->st_value : (uintptr_t)wrapper(function, thunk);
}
