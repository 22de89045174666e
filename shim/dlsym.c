/*
 * The dlsym hook behind the assembly stub. For every name but ours, and for RTLD_NEXT, the answer is "go to the next dlsym";
 * that path reads two words and the name and calls nothing of libc.
 */
#include "dlsym.h"

#include <dlfcn.h>
#include <errno.h>

#include "copies.h"
#include "wrap.h"

typedef void *dlsym_function(void *handle, const char *name);

int our_function(const char *name) {
  for (int f = 0; f < NCCL_FUNCTIONS; f++)
    if (same_text(name, nccl_name(f)))
      return f;
  return NCCL_FUNCTIONS;
}

/* What there would be without us decides whether there is something to wrap. */
static void *global_wrapper(void *handle, enum nccl_function function, const void *caller) {
  const struct dl *dl = dl_functions();
  if (!dl)
    return NULL;
  void *real = after_us(dl, nccl_name(function));
  if (!real && handle == RTLD_DEFAULT)
    real = in_callers_scope(dl, caller, function);
  if (!real)
    (void)after_us(dl, nccl_name(function)); /* for dlerror */
  else
    (void)dl->error();
  if (!real)
    return NULL;
  atomic_store(&wrapper_given, true);
  return wrapper(function, NOT_A_THUNK);
}

static void *look_up(dlsym_function *next, void *handle, enum nccl_function function, const void *caller) {
  void *answer = ask_linker(next, handle, nccl_name(function));
  if (answer == wrapper(function, NOT_A_THUNK))
    return global_wrapper(handle, function, caller);
  if (!answer)
    return NULL;
  const int thunk = thunk_for(function, answer);
  return thunk == NOT_A_THUNK ? answer : wrapper(function, thunk);
}

/* Apart, so that the way of every other name saves no registers. */
__attribute__((noinline)) static struct route route_of_nc(void *handle, const char *name, const void *caller) {
  dlsym_function *next = (dlsym_function *)next_dlsym();
  const int function = our_function(name);
  if (!next || function == NCCL_FUNCTIONS)
    return (struct route){.jump = (void *)next};
  const int saved = errno;
  void *answer = look_up(next, handle, function, caller);
  errno = saved;
  return (struct route){.answer = answer};
}

struct route dlsym_route(void *handle, const char *name, const void *caller) {
  if (handle != RTLD_NEXT && name && name[0] == 'n' && name[1] == 'c')
    return route_of_nc(handle, name, caller);
  return (struct route){.jump = next_dlsym()};
}
