#include "wrap.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "comms.h"
#include "copies.h"
#include "effect.h"
#include "records.h"
#include "uncovered.h"

static int64_t clock_ns(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* A call on its way through us. */
struct passage {
  struct process *process;
  struct call call;
  int saved_errno; /* the program's, then NCCL's */
  int64_t began;
};

/* The audit library, which an address in data passes by, looks again when objects have come or gone. */
static bool objects_changed(void) {
  static _Atomic unsigned long long seen;
  const struct generation now = objects_generation();
  return atomic_exchange(&seen, now.loaded + now.unloaded) != now.loaded + now.unloaded;
}

static void scan_once(void) {
  static _Atomic pid_t scanned;
  const pid_t self = process_id();
  if (atomic_exchange(&scanned, self) != self || (auditing && objects_changed()))
    uncovered_scan(false);
  else
    uncovered_thunks();
}

static const char *path_of(const struct object *object, const struct process *process) {
  if (!object->dynamic)
    return NULL;
  return object->name[0] ? object->name : process->exe;
}

static struct passage enter(enum nccl_function function, int thunk, const void *caller, void *comm) {
  struct passage p = {.saved_errno = errno};
  p.process = process_enter();
  p.call.target = resolve(function, thunk, caller, comm_known(comm).home);
  if (p.process->disabled)
    return p;
  uncovered_not(p.call.target.copy.dynamic);
  scan_once();
  p.call.caller = path_of(&p.call.target.from, p.process);
  p.call.comm = comm_known(comm);
  p.call.result = NCCL_SYSTEM_ERROR;
  return p;
}

static void before_nccl(struct passage *p) {
  p->began = clock_ns();
  errno = p->saved_errno;
}

static void after_nccl(struct passage *p, int result) {
  p->saved_errno = errno;
  p->call.elapsed_ns = clock_ns() - p->began;
  p->call.result = result;
}

static int leave(const struct passage *p) {
  errno = p->saved_errno;
  return p->call.result;
}

static bool accepted(int result) { return result == NCCL_SUCCESS || result == NCCL_IN_PROGRESS; }

/*
 * Only a communicator that NCCL has just accepted is entered, and asked about: the address may be anything, and a refusal would
 * overwrite NCCL's last error.
 */
static void learn_comm(struct call *call, void *comm) {
  call->comm = accepted(call->result) ? comm_seen(comm, call->target.copy.dynamic) : comm_known(comm);
  if (call->result != NCCL_SUCCESS || call->comm.rank >= 0 || !comm)
    return;
  call->comm.rank = comm_number(&call->target, "pncclCommUserRank", comm);
  call->comm.ranks = comm_number(&call->target, "pncclCommCount", comm);
  call->comm.device = comm_number(&call->target, "pncclCommCuDevice", comm);
  comm_saw_numbers(comm, call->comm.rank, call->comm.ranks, call->comm.device);
}

static int register_via(int thunk, const void *caller, void *comm, void *buffer, size_t size, void **window,
                        int flags) {
  struct passage p = enter(WINDOW_REGISTER, thunk, caller, comm);
  register_function *real = (register_function *)p.call.target.function;
  if (p.process->disabled) {
    errno = p.saved_errno;
    return real ? real(comm, buffer, size, window, flags) : NCCL_SYSTEM_ERROR;
  }
  const struct request request = {.flags = flags,
                                  .size = size,
                                  .nccl = p.call.target.version,
                                  .gin_connection = p.call.comm.gin_connection,
                                  .caller = p.call.caller,
                                  .overlaps_strict = p.process->asserts && strict_overlaps(buffer, size)};
  const struct host host = process_host();
  const struct decision decision = decide(&request, &host, p.process->policy, p.process->strict_on_error);
  const int given = p.process->dry_run || !real ? flags : decision.flags;
  struct observed_call observed = effect_call_begin(p.process);
  before_nccl(&p);
  after_nccl(&p, real ? real(comm, buffer, size, window, given) : NCCL_SYSTEM_ERROR);
  if (real)
    learn_comm(&p.call, comm);
  effect_call_end(&observed);
  p.call.window_null = p.call.result == NCCL_SUCCESS && (!window || !*window);
  const void *handle = window && p.call.result == NCCL_SUCCESS ? *window : NULL;
  const bool registered = real && accepted(p.call.result);
  if (registered && given & WIN_STRICT_ORDERING)
    strict_add(comm, handle, buffer, size);
  struct effect effect = {0};
  if (registered)
    effect = effect_of_call(&observed, p.process, p.call.target.version, buffer, size);
  const uint64_t record = record_register(p.process, &p.call, &request, &decision, given, &effect);
  if (registered)
    effect_follow(&observed, comm, &p.call, handle, buffer, size, record, &effect);
  return leave(&p);
}

static int deregister_via(int thunk, const void *caller, void *comm, void *window) {
  struct passage p = enter(WINDOW_DEREGISTER, thunk, caller, comm);
  deregister_function *real = (deregister_function *)p.call.target.function;
  if (p.process->disabled) {
    errno = p.saved_errno;
    return real ? real(comm, window) : NCCL_SUCCESS;
  }
  const struct target *target = &p.call.target;
  const bool internal = target->from.dynamic && target->from.dynamic == target->copy.dynamic;
  struct strict_range range = strict_take(comm, window); /* first: NCCL may give the handle out again at once */
  if (!internal)
    effect_leave_window(p.process, comm, window);
  before_nccl(&p);
  after_nccl(&p, real ? real(comm, window) : NCCL_SUCCESS);
  if (!accepted(p.call.result))
    strict_put(&range);
  record_deregister(p.process, &p.call, internal);
  return leave(&p);
}

static const struct devcomm_requirements *readable(const struct devcomm_requirements *requirements) {
  const size_t needed = offsetof(struct devcomm_requirements, gin_connection_type) + sizeof(int);
  const bool known = requirements && requirements->magic == (unsigned)DEVCOMM_MAGIC && requirements->size >= needed &&
                     requirements->version >= DEVCOMM_VERSION_MIN;
  return known ? requirements : NULL;
}

static enum gin_connection connection_of(const struct devcomm_requirements *requirements) {
  if (!requirements || requirements->gin_connection_type < 0 || requirements->gin_connection_type > GIN_UNKNOWN)
    return GIN_UNKNOWN;
  return requirements->gin_force_enable ? GIN_FULL : (enum gin_connection)requirements->gin_connection_type;
}

static int devcomm_via(int thunk, const void *caller, void *comm, const void *requirements, void *devcomm) {
  struct passage p = enter(DEVCOMM_CREATE, thunk, caller, comm);
  devcomm_function *real = (devcomm_function *)p.call.target.function;
  if (p.process->disabled) {
    errno = p.saved_errno;
    return real ? real(comm, requirements, devcomm) : NCCL_SYSTEM_ERROR;
  }
  const struct devcomm_requirements *read = real ? readable(requirements) : NULL;
  const enum gin_connection connection = connection_of(read);
  struct observed_call observed = effect_call_begin(p.process);
  before_nccl(&p);
  after_nccl(&p, real ? real(comm, requirements, devcomm) : NCCL_SYSTEM_ERROR);
  if (real) {
    learn_comm(&p.call, comm);
    if (accepted(p.call.result))
      comm_saw_connection(comm, connection);
    p.call.comm.gin_connection = comm_known(comm).gin_connection;
  } else {
    notice_no_nccl(p.process, DEVCOMM_CREATE);
  }
  effect_call_end(&observed);
  record_devcomm(p.process, &p.call, read);
  effect_review(p.process);
  return leave(&p);
}

/* Only forgets: before NCCL frees the communicator, since its address may come back at once. */
static int end_via(enum nccl_function function, int thunk, const void *caller, void *comm) {
  const int saved_errno = errno;
  (void)process_id_read();
  const struct target target = resolve(function, thunk, caller, comm_known(comm).home);
  comm_function *real = (comm_function *)target.function;
  struct process *process = real ? process_entered() : process_enter();
  const bool active = process && !process->disabled;
  if (active)
    effect_leave_comm(process, comm);
  comm_forget(comm);
  if (active && !real)
    notice_no_nccl(process, function);
  errno = saved_errno;
  return real ? real(comm) : NCCL_SYSTEM_ERROR;
}

/* The wrappers of one thunk number. A table cannot make functions, so this is a macro. */
#define WRAPPERS(n, thunk)                                                                                             \
  static int register_##n(void *comm, void *buffer, size_t size, void **window, int flags) {                           \
    return register_via(thunk, __builtin_return_address(0), comm, buffer, size, window, flags);                        \
  }                                                                                                                    \
  static int deregister_##n(void *comm, void *window) {                                                                \
    return deregister_via(thunk, __builtin_return_address(0), comm, window);                                           \
  }                                                                                                                    \
  static int devcomm_##n(void *comm, const void *requirements, void *devcomm) {                                        \
    return devcomm_via(thunk, __builtin_return_address(0), comm, requirements, devcomm);                               \
  }                                                                                                                    \
  static int destroy_##n(void *comm) { return end_via(COMM_DESTROY, thunk, __builtin_return_address(0), comm); }       \
  static int abort_##n(void *comm) { return end_via(COMM_ABORT, thunk, __builtin_return_address(0), comm); }

WRAPPERS(0, 0)
WRAPPERS(1, 1)
WRAPPERS(2, 2)
WRAPPERS(3, 3)
WRAPPERS(4, 4)
WRAPPERS(5, 5)
WRAPPERS(6, 6)
WRAPPERS(7, 7)
WRAPPERS(linked, NOT_A_THUNK)

#define ROW(n)                                                                                                         \
  { register_##n, deregister_##n, devcomm_##n, destroy_##n, abort_##n }

void *wrapper(enum nccl_function function, int thunk) {
  static const struct {
    register_function *window_register;
    deregister_function *window_deregister;
    devcomm_function *devcomm_create;
    comm_function *comm_destroy, *comm_abort;
  } rows[THUNKS + 1] = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7), ROW(linked)}, *row;
  row = &rows[thunk == NOT_A_THUNK ? THUNKS : thunk];
  switch (function) {
  case WINDOW_REGISTER: return (void *)row->window_register;
  case WINDOW_DEREGISTER: return (void *)row->window_deregister;
  case DEVCOMM_CREATE: return (void *)row->devcomm_create;
  case COMM_DESTROY: return (void *)row->comm_destroy;
  default: return (void *)row->comm_abort;
  }
}

/* Aliases, so that the table above holds our own functions whoever else exports these names. */
#define EXPORTED(function) __attribute__((alias(#function), visibility("default")))
int ncclCommWindowRegister(void *, void *, size_t, void **, int) EXPORTED(register_linked);
int ncclCommWindowDeregister(void *, void *) EXPORTED(deregister_linked);
int ncclDevCommCreate(void *, const void *, void *) EXPORTED(devcomm_linked);
int ncclCommDestroy(void *) EXPORTED(destroy_linked);
int ncclCommAbort(void *) EXPORTED(abort_linked);

/* At the end of the process: what passed us, and the sums. Calls that still come are recorded as before. */
static void finish_used(bool scan) {
  const int saved_errno = errno;
  (void)process_id_read();
  if (scan)
    uncovered_scan(true);
  struct process *process = process_entered();
  if (process && !process->disabled) {
    effect_review(process);
    record_exit(process);
  }
  errno = saved_errno;
}

/* A program without NCCL gets here too: each libc function it makes us look up costs more than all else. */
__attribute__((destructor)) static void finish(void) {
  const bool scan = (process_variable("WINORD_CONF") || process_variable("WINORD_LOG")) && uncovered_possible();
  if (scan || process_entered())
    finish_used(scan);
}
