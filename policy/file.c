#include "policy/file.h"

#include "policy/lines.h"
#include "policy/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEAST_ROOM = 4096, INTERRUPTED_MAX = 1000, PATH_TEXT_MAX = 4096 };

static const char *error_text(int error) {
  static const struct {
    int error;
    char text[24];
  } texts[] = {
      {ENOENT, "no such file"},           {ENOTDIR, "no such file"},
      {EACCES, "permission denied"},      {EPERM, "permission denied"},
      {EISDIR, "is a directory"},         {ENXIO, "is no regular file"},
      {ELOOP, "too many symbolic links"}, {ENAMETOOLONG, "the name is too long"},
      {EMFILE, "too many open files"},    {ENFILE, "too many open files"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].error == error)
      return texts[i].text;
  return "read error";
}

/* fstat(2) without libc's fstat: that symbol is new in glibc 2.33. */
static int file_status(int fd, struct stat *status) { return (int)syscall(SYS_fstat, fd, status); }

static const char *kind_trouble(mode_t mode) {
  if (S_ISREG(mode))
    return NULL;
  if (S_ISDIR(mode))
    return "is a directory";
  return S_ISFIFO(mode) ? "is a FIFO" : "is no regular file";
}

/* One byte more than the limit is asked for: that is how a file that grew is noticed. */
static const char *read_all(int fd, size_t limit, size_t room, char **text, size_t *size) {
  char *bytes = malloc(room + 1);
  size_t used = 0;
  unsigned interrupted = 0;
  while (bytes) {
    ssize_t got = syscall(SYS_read, fd, bytes + used, room - used);
    if (got < 0 && errno == EINTR && ++interrupted < INTERRUPTED_MAX)
      continue;
    const char *trouble = got < 0 ? error_text(errno) : (used += (size_t)got) > limit ? "is too large" : NULL;
    if (trouble || got == 0) {
      bytes[used] = '\0';
      *text = trouble ? NULL : bytes;
      *size = used;
      if (trouble)
        free(bytes);
      return trouble;
    }
    if (used < room)
      continue;
    room = room > limit / 2 ? limit + 1 : room * 2;
    char *larger = realloc(bytes, room + 1);
    if (!larger)
      free(bytes);
    bytes = larger;
  }
  return "out of memory";
}

bool file_is_own(uid_t owner) { return owner == 0 || owner == geteuid(); }

bool file_folder_is_open(const char *path) {
  const char *slash = strrchr(path, '/');
  const size_t length = slash && slash != path ? (size_t)(slash - path) : 1;
  char folder[PATH_TEXT_MAX];
  struct stat status;
  if (length >= sizeof folder)
    return true;
  copy_text(folder, slash ? path : ".", length);
  return syscall(SYS_newfstatat, AT_FDCWD, folder, &status, 0) != 0 || status.st_mode & S_IWOTH;
}

static enum writers writers_of(const char *path, const struct stat *status) {
  if (status->st_mode & S_IWOTH || (!file_is_own(status->st_uid) && file_folder_is_open(path)))
    return WRITERS_ALL;
  return status->st_uid == 0 && !(status->st_mode & S_IWGRP) ? WRITERS_ROOT : WRITERS_SOME;
}

const char *file_read(const char *path, size_t limit, char **text, size_t *size, enum writers *writers) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    return error_text(errno);
  struct stat status;
  const char *trouble = file_status(fd, &status) != 0 ? error_text(errno) : kind_trouble(status.st_mode);
  if (!trouble && status.st_size > 0 && (size_t)status.st_size > limit)
    trouble = "is too large";
  if (!trouble) {
    /* Files of /proc and /sys say size 0 or a whole page, so the size is a hint only. */
    size_t room = (size_t)status.st_size + 1;
    trouble = read_all(fd, limit, room < LEAST_ROOM ? LEAST_ROOM : room, text, size);
  }
  *writers = trouble ? WRITERS_ALL : writers_of(path, &status);
  syscall(SYS_close, fd);
  return trouble;
}

const char *file_slurp(const char *path, size_t limit, char **text, size_t *size) {
  enum writers writers;
  return file_read(path, limit, text, size, &writers);
}
