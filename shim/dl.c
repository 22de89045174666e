#include "dl.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "linker.h"

const char pnccl_names[NCCL_FUNCTIONS][NCCL_NAME_SIZE] = {
    [WINDOW_REGISTER] = "pncclCommWindowRegister",
    [WINDOW_DEREGISTER] = "pncclCommWindowDeregister",
    [DEVCOMM_CREATE] = "pncclDevCommCreate",
    [COMM_DESTROY] = "pncclCommDestroy",
    [COMM_ABORT] = "pncclCommAbort",
};

static bool is_linker(const struct object *object) {
  const char *soname = object_soname(object);
  return soname && (same_text(soname, "libc.so.6") || same_text(soname, "libdl.so.2"));
}

/* Every object in the search order, first without the linker's lock; a program without DT_DEBUG has only the way with it. */
static bool any_in_order(bool (*visit)(const struct object *object, void *user), void *user) {
  const struct link_map *map = link_maps();
  if (!map)
    return objects_any(visit, user);
  for (; map; map = map->l_next) {
    const struct object object = object_of_map(map);
    if (visit(&object, user))
      return true;
  }
  return false;
}

static bool take_dl(const struct object *object, void *user) {
  struct dl *dl = user;
  if (!is_linker(object))
    return false;
  dl->sym = object_symbol(object, "dlsym");
  dl->open = object_symbol(object, "dlopen");
  dl->close = object_symbol(object, "dlclose");
  dl->error = object_symbol(object, "dlerror");
  return dl->sym && dl->open && dl->close && dl->error;
}

const struct dl *dl_functions(void) {
  static struct dl found;
  static atomic_bool ready;
  struct dl dl;
  if (atomic_load_explicit(&ready, memory_order_acquire))
    return &found;
  if (!any_in_order(take_dl, &dl))
    return NULL;
  found = dl; /* every thread writes the same */
  atomic_store_explicit(&ready, true, memory_order_release);
  return &found;
}

static _Atomic(void *) next_found;

struct after_us {
  bool past_us;
  void *found;
};

static bool take_next_dlsym(const struct object *object, void *user) {
  struct after_us *after = user;
  if (after->past_us)
    after->found = object_symbol(object, "dlsym");
  after->past_us |= object->dynamic == _DYNAMIC;
  return after->found;
}

__attribute__((noinline, cold)) static void *find_next_dlsym(void) {
  struct after_us after = {0};
  (void)any_in_order(take_next_dlsym, &after);
  atomic_store_explicit(&next_found, after.found, memory_order_relaxed);
  return after.found;
}

void *next_dlsym(void) {
  void *found = atomic_load_explicit(&next_found, memory_order_relaxed);
  return found ? found : find_next_dlsym();
}

/* Asked from here, since RTLD_NEXT and RTLD_DEFAULT look at the return address; leaving the linker keeps it no tail call. */
void *ask_linker(void *(*dlsym)(void *handle, const char *name), void *handle, const char *name) {
  linker_enter();
  void *found = dlsym(handle, name);
  linker_leave();
  return found;
}

void *after_us(const struct dl *dl, const char *name) { return ask_linker(dl->sym, RTLD_NEXT, name); }

static void *in_scope_of(const struct dl *dl, const char *path, const char *name) {
  linker_enter();
  void *handle = dl->open(path, RTLD_LAZY | RTLD_NOLOAD);
  void *found = handle ? dl->sym(handle, name) : NULL;
  if (handle)
    dl->close(handle);
  linker_leave();
  return found;
}

void *in_callers_scope(const struct dl *dl, const void *caller, enum nccl_function function) {
  struct object self, owner;
  if (!object_at(caller, &self) || self.name[0] == '\0')
    return NULL; /* the program's own scope is the global one */
  void *found = in_scope_of(dl, self.name, nccl_name(function));
  if (!found || !object_at(found, &owner) || owner.dynamic == _DYNAMIC)
    return NULL;
  if (owner.dynamic == self.dynamic && !object_symbol(&self, pnccl_names[function]))
    return NULL;
  return found;
}
