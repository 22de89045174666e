#include "shim.h"
#include "command.h"
#include "policy/lines.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *own_folder(void) {
  char path[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  if (size <= 0) {
    say("cannot read /proc/self/exe: %s", strerror(errno));
    return NULL;
  }
  path[size] = '\0';
  *strrchr(path, '/') = '\0';
  return text_copy(path);
}

static char *library_find(const char *name) {
  char *folder = own_folder();
  if (folder == NULL) {
    return NULL;
  }
  char *beside = text_format("%s/%s", folder, name), *near = text_format("%s/../lib/%s", folder, name);
  char *found = access(beside, R_OK) == 0 ? realpath(beside, NULL) : realpath(near, NULL);
  if (found == NULL) {
    say("%s is neither in %s nor in %s/../lib", name, folder, folder);
  }
  free(near);
  free(beside);
  free(folder);
  return found;
}

char *shim_find(bool no_dlsym) { return library_find(no_dlsym ? SHIM_NODLSYM_NAME : SHIM_NAME); }

char *audit_find(void) { return library_find(SHIM_AUDIT_NAME); }

char *observer_find(void) { return library_find(OBSERVER_NAME); }

static bool holdable(const char *path) { return path != NULL && path[0] == '/' && strpbrk(path, " :") == NULL; }

/* The first folder of these that LD_PRELOAD can hold. */
static const char *base_folder(void) {
  const char *candidates[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
  size_t i = 0;
  while (!holdable(candidates[i]) || access(candidates[i], W_OK | X_OK) != 0) {
    if (++i == sizeof candidates / sizeof candidates[0]) {
      return "/tmp";
    }
  }
  return candidates[i];
}

/* Makes the folder, or makes sure that it is one, ours, and closed to everybody else. */
static bool private_folder(const char *path) {
  struct stat facts;
  if (mkdir(path, 0700) != 0 && errno != EEXIST) {
    say("cannot make the folder %s: %s", path, strerror(errno));
    return false;
  }
  if (lstat(path, &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & 077) != 0) {
    say("%s is not a private folder of this user's; the shim's path holds a space or a colon, which LD_PRELOAD cannot, and a"
        " link to it there would not be safe",
        path);
    return false;
  }
  return true;
}

static bool links_to(const char *link, const char *target) {
  char seen[PATH_MAX];
  ssize_t size = readlink(link, seen, sizeof seen);
  return size == (ssize_t)strlen(target) && memcmp(seen, target, (size_t)size) == 0;
}

/* Makes the link, replacing in one step what may be there. */
static bool make_link(const char *link, const char *target) {
  if (links_to(link, target)) {
    return true;
  }
  char *fresh = text_format("%s.%ld", link, (long)getpid());
  unlink(fresh);
  bool made = symlink(target, fresh) == 0 && rename(fresh, link) == 0;
  if (!made) {
    say("cannot make the link %s: %s", link, strerror(errno));
    unlink(fresh);
  }
  free(fresh);
  return made;
}

char *shim_preloadable(const char *path) {
  if (holdable(path)) {
    return text_copy(path);
  }
  unsigned long long hash = fnv1a(FNV_START, path, strlen(path));
  char *user = text_format("%s/winord-%ld", base_folder(), (long)geteuid());
  char *folder = text_format("%s/%016llx", user, hash);
  char *link = text_format("%s/%s", folder, base_name(path));
  if (!private_folder(user) || !private_folder(folder) || !make_link(link, path)) {
    free(link);
    link = NULL;
  }
  free(folder);
  free(user);
  return link;
}

bool is_shim(const char *path) {
  const char *name = base_name(path);
  return strcmp(name, SHIM_NAME) == 0 || strcmp(name, SHIM_NODLSYM_NAME) == 0 || is_audit(path);
}

bool is_audit(const char *path) { return strcmp(base_name(path), SHIM_AUDIT_NAME) == 0; }

static bool is_sanitizer(const char *path) {
  static const char *const names[] = {"libasan.so", "libtsan.so", "libhwasan.so", "libclang_rt."};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strncmp(base_name(path), names[i], strlen(names[i])) == 0) {
      return true;
    }
  }
  return false;
}

static void append(char **list, const char *entry) {
  char *longer = text_format("%s%s%s", *list, **list ? ":" : "", entry);
  free(*list);
  *list = longer;
}

char *preload_with(const char *preload, const char *shim) {
  char *entries = text_copy(preload ? preload : ""), *rest = NULL, *list = text_copy("");
  for (char *entry = strtok_r(entries, " :", &rest); entry != NULL; entry = strtok_r(NULL, " :", &rest)) {
    if (is_shim(entry)) {
      continue;
    }
    if (shim != NULL && !is_sanitizer(entry)) {
      append(&list, shim);
      shim = NULL;
    }
    append(&list, entry);
  }
  if (shim != NULL) {
    append(&list, shim);
  }
  free(entries);
  return list;
}
