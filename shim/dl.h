/* The dynamic linker's own functions, found at first use: the library itself imports none of them. */
#ifndef WINORD_DL_H
#define WINORD_DL_H

#include "elf.h"
#include "nccl.h"

struct dl {
  void *(*sym)(void *handle, const char *name);
  void *(*open)(const char *path, int mode);
  int (*close)(void *handle);
  char *(*error)(void);
};

/* libc's (or libdl's) own functions, whoever else hooks them; NULL in a process that has none of them. */
const struct dl *dl_functions(void);

/* The dlsym that stands after ours in the search order: another tool's, or libc's. NULL: none. */
void *next_dlsym(void);

/* Calls this dlsym, as a look-up of ours: what "the caller" means for RTLD_NEXT and RTLD_DEFAULT is this library. */
void *ask_linker(void *(*dlsym)(void *handle, const char *name), void *handle, const char *name);

/* What the global scope holds under this name after us, or NULL. */
void *after_us(const struct dl *dl, const char *name);

/*
 * What the object that holds the address `caller` sees under this name in its own dependencies (how a library loaded with
 * RTLD_LOCAL sees NCCL), or NULL. Another interposer does not see itself.
 */
void *in_callers_scope(const struct dl *dl, const void *caller, enum nccl_function function);

#endif
