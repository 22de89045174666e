#include "copies.h"

#include <stdatomic.h>

/* A copy whose functions were handed out by dlsym. Fields are written with equal values by whoever gets there. */
struct slot {
  _Atomic(const ElfW(Dyn) *) dynamic;
  _Atomic ElfW(Addr) base;
  _Atomic(const char *) name;
  _Atomic(void *) real[NCCL_FUNCTIONS];
};

static struct slot slots[THUNKS];
static struct slot overflow;

struct collect {
  const char *pname;
  struct object *found;
  size_t count, max;
};

static bool collect_definer(const struct object *object, void *user) {
  struct collect *c = user;
  if (object_symbol(object, c->pname)) {
    if (c->count < c->max)
      c->found[c->count] = *object;
    c->count++;
  }
  return false;
}

size_t copies_loaded(struct object *found, size_t max) {
  struct collect c = {.pname = pnccl_names[WINDOW_REGISTER], .found = found, .max = max};
  objects_any(collect_definer, &c);
  return c.count < max ? c.count : max;
}

bool only_copy(enum nccl_function function, struct object *found) {
  struct collect c = {.pname = pnccl_names[function], .found = found, .max = 1};
  objects_any(collect_definer, &c);
  return c.count == 1;
}

static void fill(struct slot *slot, const struct object *object) {
  atomic_store(&slot->base, object->base);
  atomic_store(&slot->name, object->name);
}

static struct object slot_object(struct slot *slot) {
  return (struct object){
      .base = atomic_load(&slot->base), .dynamic = atomic_load(&slot->dynamic), .name = atomic_load(&slot->name)};
}

int thunk_for(enum nccl_function function, void *real) {
  struct object object;
  if (!object_at(real, &object) || !object_symbol(&object, pnccl_names[function]))
    return NOT_A_THUNK;
  for (int i = 0; i < THUNKS; i++) {
    const ElfW(Dyn) *seen = NULL;
    if (!atomic_compare_exchange_strong(&slots[i].dynamic, &seen, object.dynamic) && seen != object.dynamic)
      continue;
    fill(&slots[i], &object);
    atomic_store(&slots[i].real[function], real);
    return i;
  }
  fill(&overflow, &object);
  atomic_store(&overflow.dynamic, object.dynamic);
  return NOT_A_THUNK;
}

struct object thunk_overflow(void) { return slot_object(&overflow); }

static bool has_identity(const struct object *object, void *user) {
  struct object *wanted = user;
  if (object->dynamic != wanted->dynamic)
    return false;
  *wanted = *object;
  return true;
}

/* A communicator stays with its copy, unless the next in the chain is another interposer, which knows what it does. */
static bool go_home(enum nccl_function function, const void *home, const struct object *next, struct target *target) {
  struct object copy = {.dynamic = home};
  if (!home || next->dynamic == home || !object_symbol(next, pnccl_names[function]))
    return false;
  if (!objects_any(has_identity, &copy) || !object_symbol(&copy, nccl_name(function)))
    return false;
  target->function = object_symbol(&copy, nccl_name(function));
  target->copy = copy;
  return true;
}

/* The copy behind a function: the object that holds it, else (another interposer holds it) the one it must be calling. */
static struct object copy_behind(const struct dl *dl, enum nccl_function function, void *real) {
  struct object object = {0};
  const char *pname = pnccl_names[function];
  if (object_at(real, &object) && object_symbol(&object, pname))
    return object;
  void *next = after_us(dl, pname);
  if (next && object_at(next, &object))
    return object;
  return only_copy(function, &object) ? object : (struct object){0};
}

static void *linked_function(const struct dl *dl, enum nccl_function function, const void *caller) {
  void *real = after_us(dl, nccl_name(function));
  if (!real)
    real = in_callers_scope(dl, caller, function);
  return real;
}

static struct target resolve_linked(enum nccl_function function, const void *caller, const void *home) {
  struct target target = {.route = "plt"};
  struct object next = {0}, only;
  const struct dl *dl = dl_functions();
  target.function = dl ? linked_function(dl, function, caller) : NULL;
  if (target.function && object_at(target.function, &next) && go_home(function, home, &next, &target))
    return target;
  if (target.function) {
    target.copy = copy_behind(dl, function, target.function);
  } else if (only_copy(function, &only)) {
    target.function = object_symbol(&only, nccl_name(function));
    target.copy = only;
  }
  return target;
}

struct target resolve(enum nccl_function function, int thunk, const void *caller, const void *home) {
  if (thunk == NOT_A_THUNK)
    return resolve_linked(function, caller, home);
  struct slot *slot = &slots[thunk];
  return (struct target){
      .function = atomic_load(&slot->real[function]), .copy = slot_object(slot), .route = "dlsym"};
}

/* NCCL's own name first: the other may be interposed within the copy. */
static void *copy_symbol(const struct object *copy, const char *pname) {
  void *found = copy->dynamic ? object_symbol(copy, pname) : NULL;
  return found || !copy->dynamic ? found : object_symbol(copy, pname + 1);
}

int copy_version(const struct object *copy) {
  version_function *get = (version_function *)copy_symbol(copy, "pncclGetVersion");
  int version = 0;
  return get && get(&version) == NCCL_SUCCESS ? version : 0;
}

int copy_comm_number(const struct object *copy, const char *name, void *comm) {
  comm_number_function *get = (comm_number_function *)copy_symbol(copy, name);
  int number = -1;
  return comm && get && get(comm, &number) == NCCL_SUCCESS ? number : -1;
}
