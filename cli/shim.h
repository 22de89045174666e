/*
 * Where the shim is, and LD_PRELOAD with it.
 */
#ifndef WINORD_SHIM_H
#define WINORD_SHIM_H

#include <stdbool.h>

#define SHIM_NAME "libwinord.so"
#define SHIM_NODLSYM_NAME "libwinord-nodlsym.so"
#define SHIM_AUDIT_NAME "libwinord-audit.so"
#define OBSERVER_NAME "libwinord-verbs.so"

/*
 * The shim's absolute path, beside this program (build folder) or in ../lib (installed). Fresh memory; NULL: not there, said.
 *   no_dlsym   the build without the dlsym hook
 */
char *shim_find(bool no_dlsym);

/* The same for the audit library. */
char *audit_find(void);

/* The same for the library that NCCL opens in place of libibverbs.so.1. */
char *observer_find(void);

/*
 * A path of the shim that LD_PRELOAD can hold, which neither a space nor a colon can be part of: the path itself, else a
 * symbolic link to it in a private folder, always the same one for a shim, so that later processes find it too. Fresh memory;
 * NULL: no such folder could be had, said.
 */
char *shim_preloadable(const char *path);

/*
 * LD_PRELOAD's value without any shim of ours and, where shim is not NULL, with this one: first, but for a sanitizer's run-time
 * library, which insists on being first itself. Entries are separated by spaces or colons. Fresh memory; "" for no entry.
 */
char *preload_with(const char *preload, const char *shim);

/* Whether the file name is the shim's, of whichever build; and whether it is the audit library's. */
bool is_shim(const char *path);
bool is_audit(const char *path);

#endif
