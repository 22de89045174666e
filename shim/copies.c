#include "copies.h"

#include <stdatomic.h>

#include "comms.h"

/* A copy whose functions were handed out by dlsym. Fields are written with equal values by whoever gets there. */
struct slot {
  _Atomic(const ElfW(Dyn) *) dynamic;
  _Atomic ElfW(Addr) base;
  _Atomic(const char *) name;
  _Atomic(void *) real[NCCL_FUNCTIONS];
};

static struct slot slots[THUNKS];
static struct slot overflow;
atomic_bool wrapper_given;

enum { REFERRERS = 16 };

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
  objects_any_within(collect_definer, &c);
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

int thunk_in(const struct object *object, enum nccl_function function, void *real) {
  if (!object_symbol(object, pnccl_names[function]))
    return NOT_A_THUNK;
  for (int i = 0; i < THUNKS; i++) {
    const ElfW(Dyn) *seen = NULL;
    if (!atomic_compare_exchange_strong(&slots[i].dynamic, &seen, object->dynamic) && seen != object->dynamic)
      continue;
    fill(&slots[i], object);
    atomic_store(&slots[i].real[function], real);
    return i;
  }
  fill(&overflow, object);
  atomic_store(&overflow.dynamic, object->dynamic);
  return NOT_A_THUNK;
}

int thunk_for(enum nccl_function function, void *real) {
  struct object object;
  return object_at(real, &object) ? thunk_in(&object, function, real) : NOT_A_THUNK;
}

struct object thunk_overflow(void) {
  return slot_object(&overflow);
}

static bool has_identity(const struct object *object, void *user) {
  struct object *wanted = user;
  if (object->dynamic != wanted->dynamic)
    return false;
  *wanted = *object;
  return true;
}

/* The copy this communicator belongs to, when it is still loaded and has the function. */
static bool at_home(enum nccl_function function, const void *home, struct target *target) {
  struct object copy = {.dynamic = home};
  if (!home || !objects_any(has_identity, &copy) || !object_symbol(&copy, nccl_name(function)))
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

struct referrers {
  const char *name;
  struct object found[REFERRERS];
  size_t count;
};

static bool collect_referrer(const struct object *object, void *user) {
  struct referrers *r = user;
  if (object->dynamic != _DYNAMIC && object->name[0] && object_binding(object, r->name))
    r->found[r->count++] = *object;
  return r->count == REFERRERS;
}

/* What all objects that call this function by name see in their own dependencies; NULL: nothing, or not the same. */
static void *referred_function(const struct dl *dl, enum nccl_function function) {
  struct referrers r = {.name = nccl_name(function)};
  void *answer = NULL;
  if (objects_any(collect_referrer, &r))
    return NULL;
  for (size_t i = 0; i < r.count; i++) {
    void *found = in_callers_scope(dl, r.found[i].dynamic, function);
    if (found && answer && found != answer)
      return NULL;
    answer = found ? found : answer;
  }
  return answer;
}

/*
 * The object at the return address did not call us by name if it has no reference to that name: somebody who has one jumped
 * here in place of a call. Where a look-up gave our address away, references tell nothing.
 */
static void *linked_function(const struct dl *dl, enum nccl_function function, const void *caller) {
  struct object self;
  void *real = after_us(dl, nccl_name(function));
  if (real)
    return real;
  const bool by_name = object_at(caller, &self) && object_binding(&self, nccl_name(function));
  return by_name || atomic_load(&wrapper_given) ? in_callers_scope(dl, caller, function)
                                                : referred_function(dl, function);
}

/*
 * Where the linker leads comes first for the calls that make a communicator known, and where that is another interposer, which
 * knows what it does.
 */
static bool linker_decides(enum nccl_function function, void *real) {
  struct object object;
  if (!real)
    return false;
  return function == WINDOW_REGISTER || function == DEVCOMM_CREATE ||
         (object_at(real, &object) && !object_symbol(&object, pnccl_names[function]));
}

static bool collect_other(const struct object *object, void *user) {
  return object->dynamic != _DYNAMIC && collect_definer(object, user);
}

/* A copy of NCCL that is the only object besides us to define ncclX: no look-up can lead elsewhere, so none is made. */
static bool sole_definer(enum nccl_function function, struct target *target) {
  struct collect c = {.pname = nccl_name(function), .found = &target->copy, .max = 1};
  objects_any(collect_other, &c);
  if (c.count != 1 || !object_symbol(&target->copy, pnccl_names[function])) {
    target->copy = (struct object){0};
    return false;
  }
  target->function = object_symbol(&target->copy, nccl_name(function));
  return true;
}

static struct target resolve_linked(enum nccl_function function, const void *caller, const void *home) {
  struct target target = {.route = "plt"};
  struct object only;
  if (sole_definer(function, &target))
    return target;
  const struct dl *dl = dl_functions();
  void *real = dl ? linked_function(dl, function, caller) : NULL;
  if (!linker_decides(function, real) && at_home(function, home, &target))
    return target;
  target.function = real;
  if (real) {
    target.copy = copy_behind(dl, function, real);
  } else if (only_copy(function, &only)) {
    target.function = object_symbol(&only, nccl_name(function));
    target.copy = only;
  }
  return target;
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

static void *number_function(const struct target *target, const char *pname) {
  struct object taker;
  if (!object_at(target->function, &taker) || taker.dynamic == target->copy.dynamic)
    return copy_symbol(&target->copy, pname);
  const struct dl *dl = dl_functions();
  return dl ? after_us(dl, pname + 1) : NULL;
}

int comm_number(const struct target *target, const char *pname, void *comm) {
  comm_number_function *get = comm ? (comm_number_function *)number_function(target, pname) : NULL;
  int number = -1;
  return get && get(comm, &number) == NCCL_SUCCESS ? number : -1;
}

static struct target resolve_anew(enum nccl_function function, int thunk, const void *caller, const void *home) {
  struct target target = {.route = auditing ? "audit" : "dlsym"};
  if (thunk == NOT_A_THUNK) {
    target = resolve_linked(function, caller, home);
  } else {
    target.function = atomic_load(&slots[thunk].real[function]);
    target.copy = slot_object(&slots[thunk]);
  }
  target.version = copy_version(&target.copy);
  (void)object_at(caller, &target.from);
  return target;
}

struct question {
  enum nccl_function function;
  int thunk;
  const void *caller, *home;
  struct generation generation;
};

static bool same_question(const struct question *a, const struct question *b) {
  return a->function == b->function && a->thunk == b->thunk && a->caller == b->caller && a->home == b->home &&
         a->generation.loaded == b->generation.loaded && a->generation.unloaded == b->generation.unloaded;
}

struct target resolve(enum nccl_function function, int thunk, const void *caller, const void *home) {
  enum { KEPT = 64 };
  static process_lock lock;
  static struct {
    struct question question;
    struct target answer;
  } kept[KEPT];
  const struct question question = {function, thunk, caller, home, objects_generation()};
  const unsigned at = ((unsigned)((uintptr_t)caller >> 2) + (unsigned)function * 7 + (unsigned)(thunk + 1) * 11) % KEPT;
  if (!process_lock_take(&lock))
    return resolve_anew(function, thunk, caller, home);
  const bool known = same_question(&kept[at].question, &question);
  struct target target = kept[at].answer;
  process_lock_release(&lock);
  if (known && target.function)
    return target;
  target = resolve_anew(function, thunk, caller, home);
  if (!process_lock_take(&lock))
    return target;
  kept[at].question = question;
  kept[at].answer = target;
  process_lock_release(&lock);
  return target;
}
