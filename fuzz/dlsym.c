/*
 * The dlsym hook: first byte the kind of handle, then the name. The real stub and filter, between a program and a next dlsym that
 * are this file's. For every name but NCCL's five (by strcmp), and for RTLD_NEXT, the next dlsym gets the very arguments, and
 * the stub is gone from the stack.
 */
#include "shim/dlsym.h"
#include "fuzz/fuzz.h"
#include "shim/copies.h"
#include "shim/wrap.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The stub under another name: this program's own dlsym stays libc's. */
void *stub_dlsym(void *handle, const char *name);

static struct {
  void *handle;
  const char *name;
  const void *caller;
  size_t calls;
} next;
static char next_answer, linker_answer, exported[NCCL_FUNCTIONS], thunks[NCCL_FUNCTIONS];
static bool linker_finds;
static int given_thunk;
static size_t linker_calls;

atomic_bool wrapper_given;

static void *fake_next(void *handle, const char *name) {
  next.handle = handle;
  next.name = name;
  next.caller = __builtin_return_address(0);
  next.calls++;
  return &next_answer;
}

void *next_dlsym(void) { return (void *)fake_next; }

void *ask_linker(void *(*dlsym)(void *handle, const char *name), void *handle, const char *name) {
  (void)dlsym, (void)name;
  linker_calls++;
  errno = ENOENT;
  if (handle == RTLD_DEFAULT) {
    for (int f = 0; f < NCCL_FUNCTIONS; f++) {
      if (strcmp(name, nccl_name(f)) == 0) {
        return &exported[f];
      }
    }
  }
  return linker_finds ? &linker_answer : NULL;
}

static char *no_error(void) { return NULL; }

const struct dl *dl_functions(void) {
  static const struct dl dl = {.error = no_error};
  return &dl;
}

void *after_us(const struct dl *dl, const char *name) {
  (void)dl, (void)name;
  return linker_finds ? &linker_answer : NULL;
}

void *in_callers_scope(const struct dl *dl, const void *caller, enum nccl_function function) {
  (void)dl, (void)caller, (void)function;
  return NULL;
}

int thunk_for(enum nccl_function function, void *real) {
  (void)function, (void)real;
  return given_thunk;
}

void *wrapper(enum nccl_function function, int thunk) {
  return thunk == NOT_A_THUNK ? &exported[function] : &thunks[function];
}

static int nccl_function_of(const char *name) {
  static const char *const ours[] = {"ncclCommWindowRegister", "ncclCommWindowDeregister", "ncclDevCommCreate",
                                     "ncclCommDestroy", "ncclCommAbort"};
  for (int f = 0; f < NCCL_FUNCTIONS; f++) {
    if (strcmp(name, ours[f]) == 0) {
      return f;
    }
  }
  return NCCL_FUNCTIONS;
}

static void *expected(void *handle, int function) {
  if (!linker_finds) {
    return NULL;
  }
  if (handle == RTLD_DEFAULT) {
    return &exported[function];
  }
  return given_thunk == NOT_A_THUNK ? (void *)&linker_answer : (void *)&thunks[function];
}

/* Where a call through this function returns to, told by the next dlsym itself. */
__attribute__((noinline)) static const void *caller_through(void *(*function)(void *, const char *), void *handle,
                                                            const char *name, void **answer) {
  *answer = function(handle, name);
  return next.caller;
}

static void check_passed(void *handle, const char *name) {
  void *answer;
  const void *direct = caller_through(fake_next, handle, name, &answer);
  memset(&next, 0, sizeof next);
  errno = EBADF;
  const void *through = caller_through(stub_dlsym, handle, name, &answer);
  check(next.calls == 1 && next.handle == handle && next.name == name, "the next dlsym gets the same arguments");
  check(through == direct, "the next dlsym sees the program as its caller");
  check(answer == &next_answer, "the program gets its answer");
  check(linker_calls == 0 && errno == EBADF, "nothing else is asked");
}

static void check_ours(void *handle, const char *name, int function) {
  errno = EBADF;
  memset(&next, 0, sizeof next);
  void *answer = stub_dlsym(handle, name);
  check(next.calls == 0 && linker_calls > 0, "the library looks itself");
  check(answer == expected(handle, function), "wrapper, thunk or nothing, as the look-up says");
  check(errno == EBADF, "errno is kept");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char handle_target;
  void *const handles[] = {RTLD_DEFAULT, RTLD_NEXT, &handle_target};
  if (size == 0) {
    return 0;
  }
  void *handle = handles[data[0] % 3];
  linker_finds = data[0] & 8;
  given_thunk = data[0] & 16 ? NOT_A_THUNK : 0;
  linker_calls = 0;
  char *name = text_of(data + 1, size - 1);
  int function = nccl_function_of(name);
  if (function == NCCL_FUNCTIONS || handle == RTLD_NEXT) {
    check_passed(handle, name);
  } else {
    check_ours(handle, name, function);
  }
  free(name);
  return 0;
}
