/* A file replaced whole or not at all. */
#include "collect/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char usual_folder[] = "/run/winord", usual_name[] = "facts.ini";
enum { TRIES = 16, NAME_SIZE = 288 };

/* A folder that is there already; -1 with EPERM: others can put their own files into it. */
static int open_own(const char *path) {
  struct stat status;
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return -1;
  if (fstat(folder, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)))
    return folder;
  close(folder);
  errno = EPERM;
  return -1;
}

/* The usual folder is made where it is missing, and never a link: who may write it decides what every job believes. */
static int open_usual(void) {
  if (mkdir(usual_folder, 0755) == 0) {
    int folder = open(usual_folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
      fchmod(folder, 0755); /* whatever the umask */
    return folder;
  }
  return errno == EEXIST ? open_own(usual_folder) : -1;
}

/* The folder of a path, open, and the name in it. */
static int open_folder(const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  if (!**name) {
    errno = EISDIR;
    return -1;
  }
  char *folder = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
  int opened = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(folder);
  return opened;
}

/* A new file beside the wanted one; its name is free and nobody's link. */
static int open_beside(int folder, const char *name, char beside[NAME_SIZE]) {
  for (int i = 0; i < TRIES; i++) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (snprintf(beside, NAME_SIZE, ".%s.%ld.%lx", name, (long)getpid(), (unsigned long)now.tv_nsec) >= NAME_SIZE) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int file = openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

static bool write_all(int file, const char *text, size_t size) {
  while (size) {
    ssize_t done = write(file, text, size);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    text += done;
    size -= (size_t)done;
  }
  return true;
}

static int replace_in(int folder, const char *name, const char *text, size_t size) {
  char beside[NAME_SIZE];
  int file = open_beside(folder, name, beside);
  if (file < 0)
    return -1;
  bool good = write_all(file, text, size) && fchmod(file, 0644) == 0 && fsync(file) == 0;
  good = close(file) == 0 && good && renameat(folder, beside, folder, name) == 0;
  if (!good) {
    int error = errno;
    unlinkat(folder, beside, 0);
    errno = error;
    return -1;
  }
  return fsync(folder) == 0 || errno == EINVAL ? 0 : -1; /* some file systems synchronise no folders */
}

int facts_replace(const char *path, const char *text, size_t size) {
  const char *name = usual_name;
  int folder = path ? open_folder(path, &name) : open_usual();
  if (folder < 0)
    return -1;
  int status = replace_in(folder, name, text, size);
  int error = errno;
  close(folder);
  errno = error;
  return status;
}
