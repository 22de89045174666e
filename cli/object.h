/*
 * What an ELF object has to do with NCCL, from its file.
 */
#ifndef WINORD_OBJECT_H
#define WINORD_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct object {
  char *path;
  const char *trouble; /* why it could not be read, static; NULL: it was */
  bool copy; /* exports pncclCommWindowRegister: a copy of NCCL that has windows */
  bool old_copy; /* exports ncclGetVersion, but no window functions: NCCL before 2.27 */
  bool calls; /* imports ncclCommWindowRegister: a link-time call */
  bool bound_inside; /* a copy whose own calls bind to itself (DF_SYMBOLIC, or protected): they pass the shim by */
  bool loads; /* imports dlopen and dlsym: may find NCCL at run time */
  bool hidden; /* a guess: NCCL built in and not exported */
  char version[24]; /* "2.30.7"; "": not known */
  const char *version_source; /* static words; NULL: no version */
};

/*
 * Looks at the file.
 *   path   kept as a copy
 *   ask    run its ncclGetVersion in a child where it is a copy (only for files that root or this user owns)
 */
void object_look(struct object *object, const char *path, bool ask);

/* A growing list of objects. */
struct objects {
  struct object *items;
  size_t count;
};

/* Looks at the file and appends it. Returns it; valid until the next call. */
struct object *objects_add(struct objects *objects, const char *path, bool ask);
void objects_free(struct objects *objects);

/* One line on stdout for each thing the object has to do with NCCL. Returns false where calls inside pass the shim by. */
bool object_print(const struct object *object);

/* Whether the dynamic loader loads the file into a fresh process (tried in a child). */
bool object_loads(const char *path);

#endif
