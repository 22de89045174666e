/* Between the assembly stub (x86_64/dlsym.S, aarch64/dlsym.S) and the hook. */
#ifndef WINORD_DLSYM_H
#define WINORD_DLSYM_H

/* Returned in two registers: where to jump, or NULL: return the answer. */
struct route {
  void *jump, *answer;
};

struct route dlsym_route(void *handle, const char *name, const void *caller);

/* Which of the functions we wrap has this name; NCCL_FUNCTIONS: none. Calls nothing. */
int our_function(const char *name);

/* The hook itself; NULL in the library built without it. */
extern void *winord_dlsym(void *handle, const char *name) __attribute__((weak, visibility("hidden")));

#endif
