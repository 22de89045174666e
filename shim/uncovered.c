#include "uncovered.h"

#include <stdatomic.h>

#include "comms.h"
#include "copies.h"
#include "dlsym.h"
#include "process.h"
#include "records.h"
#include "wrap.h"

enum { REMEMBERED = 16 };

static _Atomic(const void *) reported[REMEMBERED], reached[REMEMBERED];

static bool remembers(_Atomic(const void *) *list, const void *identity) {
  for (int i = 0; i < REMEMBERED; i++)
    if (atomic_load(&list[i]) == identity)
      return true;
  return false;
}

/* False when it was there already, or nothing more fits. */
static bool remember(_Atomic(const void *) *list, const void *identity) {
  for (int i = 0; i < REMEMBERED; i++) {
    const void *seen = NULL;
    if (atomic_compare_exchange_strong(&list[i], &seen, identity))
      return true;
    if (seen == identity)
      return false;
  }
  return false;
}

void uncovered_not(const void *identity) {
  if (identity)
    (void)remember(reached, identity);
}

static void report(const struct object *copy, const char *why, const char *by) {
  if (!remember(reported, copy->dynamic))
    return;
  struct process *process = process_enter();
  if (!process->disabled)
    record_uncovered(process, copy, why, by && !*by ? process->exe : by);
}

/* The objects that can pass us, found within the dynamic linker's lock, where nothing may be written. */
struct passing {
  struct object copies[THUNKS];
  size_t count;
  struct object by[THUNKS]; /* by[i]: an object whose calls are bound into copies[i] */
  bool at_end;
  struct object dlsym_by; /* at the end: one whose dlsym is not ours */
};

static bool passes(const struct object *object, const struct object *copy, enum nccl_function function) {
  const void *real = object_symbol(copy, nccl_name(function));
  return real && object->dynamic != copy->dynamic && object_bound_to(object, nccl_name(function), real);
}

static bool refers(const struct object *object, enum nccl_function function) {
  return object_binding(object, nccl_name(function));
}

static bool look_at(const struct object *object, void *user) {
  struct passing *passing = user;
  const bool registers = refers(object, WINDOW_REGISTER);
  const bool ends = auditing && (refers(object, COMM_DESTROY) || refers(object, COMM_ABORT));
  for (size_t i = 0; (registers || ends) && i < passing->count; i++) {
    const struct object *copy = &passing->copies[i];
    if (registers && passes(object, copy, WINDOW_REGISTER))
      passing->by[i] = *object;
    if (ends && (passes(object, copy, COMM_DESTROY) || passes(object, copy, COMM_ABORT)))
      comms_end_unseen();
  }
  const bool asks = passing->at_end && winord_dlsym && object->name[0] && !object_symbol(object, "dlsym");
  if (asks && object_binding(object, "dlsym") == (void *)dl_functions()->sym)
    passing->dlsym_by = *object;
  return false;
}

/* Within the first object's visit, so that no copy is unloaded between the two: the linker's lock is recursive. */
static bool look_at_all(const struct object *first, void *user) {
  struct passing *passing = user;
  (void)first;
  passing->count = copies_loaded(passing->copies, THUNKS);
  if (passing->count)
    objects_any_within(look_at, passing);
  return true;
}

static void scan_namespace(bool at_end) {
  struct passing passing = {.at_end = at_end};
  if (!dl_functions())
    return;
  objects_any(look_at_all, &passing);
  for (size_t i = 0; i < passing.count; i++) {
    if (passing.by[i].dynamic)
      report(&passing.copies[i], "bound_past_us", passing.by[i].name);
    else if (at_end && passing.dlsym_by.dynamic && !remembers(reached, passing.copies[i].dynamic))
      report(&passing.copies[i], "dlsym_past_us", passing.dlsym_by.name);
  }
}

static void scan_other_namespaces(void) {
  if (auditing)
    return;
  for (const struct r_debug *space = next_namespace(NULL); space; space = next_namespace(space))
    for (const struct link_map *map = space->r_map; map; map = map->l_next) {
      const struct object object = object_of_map(map);
      if (object_symbol(&object, pnccl_names[WINDOW_REGISTER]))
        report(&object, "namespace", NULL);
    }
}

static bool may_hold_copy(const struct object *object, void *user) {
  (void)user;
  return object_symbol(object, pnccl_names[WINDOW_REGISTER]) || (object->name[0] == '\0' && has_namespaces(object));
}

bool uncovered_possible(void) { return objects_any(may_hold_copy, NULL); }

void uncovered_thunks(void) {
  const struct object left_over = thunk_overflow();
  if (left_over.dynamic)
    report(&left_over, "thunks", NULL);
}

void uncovered_scan(bool at_end) {
  scan_namespace(at_end);
  scan_other_namespaces();
  uncovered_thunks();
}
