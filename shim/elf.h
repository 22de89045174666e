/*
 * Reading the loaded objects: what the dynamic linker mapped, and what each object's own symbol table defines. Nothing here
 * calls dlsym or dlopen, so it works before and without libdl. Source of the layouts: System V ABI, and <link.h>.
 */
#ifndef WINORD_ELF_H
#define WINORD_ELF_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Set once by the audit library, before the program runs: the objects visited are those of every namespace, and thunks
 * stand for names that the dynamic linker has bound, in whichever way.
 */
extern bool auditing;

/* One loaded object. Valid while it stays loaded. dynamic is never NULL in a filled one and serves as its identity. */
struct object {
  ElfW(Addr) base;
  const ElfW(Dyn) *dynamic;
  const char *name; /* as the dynamic linker knows it; "" for the program itself */
};

/* The object holding this address, by its load segments. Takes the dynamic linker's lock. */
bool object_at(const void *address, struct object *found);

/* Calls visit for each object of this namespace until it returns true; tells whether it did. Same lock: visit only looks. */
bool objects_any(bool (*visit)(const struct object *object, void *user), void *user);

/* The same from within a visit: nothing is unloaded between the two, since the lock is recursive. */
bool objects_any_within(bool (*visit)(const struct object *object, void *user), void *user);

/* Counts of objects loaded and unloaded so far: while both stay, everything known of the loaded objects holds. */
struct generation {
  unsigned long long loaded, unloaded;
};
struct generation objects_generation(void);

/* The function an object itself defines under this name (the default version), or NULL. */
void *object_symbol(const struct object *object, const char *name);

/*
 * Where the object's reference to an undefined function was bound to: the value of its first PLT or GOT slot for that name.
 * NULL: it has no such reference. An address within the object itself: not bound yet.
 */
void *object_binding(const struct object *object, const char *name);

/* Whether any of its references to the function was bound to this address. */
bool object_bound_to(const struct object *object, const char *name, const void *address);

/* DT_SONAME, or NULL. */
const char *object_soname(const struct object *object);

/*
 * The dynamic linker's list of link maps, by the debugger interface: no call, no lock. Objects present at start-up come
 * first and stay. NULL when the program has no DT_DEBUG. Source: <link.h>, struct r_debug.
 */
const struct link_map *link_maps(void);

/* Lists of further namespaces (dlmopen), glibc 2.35 and later: pass NULL first, then the last answer; NULL ends. */
const struct r_debug *next_namespace(const struct r_debug *last);

/* Whether there are any, told from the program's own object. */
bool has_namespaces(const struct object *program);

struct object object_of_map(const struct link_map *map);

/* Byte-wise, for code that must not call a function that a sanitizer or another tool may have replaced. */
bool same_text(const char *a, const char *b);

#endif
