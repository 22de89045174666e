#define _GNU_SOURCE
#include "cli/command.h"
#include "report/read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH = 32 };

struct paths {
  struct sums *sums;
  struct table seen; /* regular files, by device and inode */
  bool good;
};

struct file {
  uint64_t key[2];
  bool read;
};

static void failed(struct paths *paths, const char *name, const char *why) {
  read_failed(paths->sums, name, why);
  paths->good = false;
}

static bool is_first_time(struct paths *paths, const struct stat *facts) {
  const uint64_t key[2] = {facts->st_dev, facts->st_ino};
  struct file *file = table_entry(&paths->seen, key);
  const bool first = !file->read;
  file->read = true;
  return first;
}

static void read_file(struct paths *paths, const char *name, const struct stat *facts, bool found) {
  if (S_ISREG(facts->st_mode) && !is_first_time(paths, facts)) {
    paths->sums->same_files++;
    return;
  }
  int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) {
    failed(paths, name, strerror(errno));
  } else if (!read_descriptor(paths->sums, descriptor, name, found)) {
    paths->good = false;
  }
}

static void read_folder(struct paths *paths, const char *name, int depth);

/* Links to files are followed; links to folders are not, and what is neither is left out. */
static void read_found(struct paths *paths, const char *name, int depth) {
  struct stat facts;
  if (lstat(name, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    read_folder(paths, name, depth + 1);
  } else if (stat(name, &facts) == 0 && S_ISREG(facts.st_mode)) {
    read_file(paths, name, &facts, true);
  }
}

static int is_entry(const struct dirent *entry) {
  return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void read_folder(struct paths *paths, const char *name, int depth) {
  struct dirent **entries;
  int count = depth < DEPTH ? scandir(name, &entries, is_entry, versionsort) : -1;
  if (count < 0) {
    failed(paths, name, depth < DEPTH ? strerror(errno) : "too many folders in one another");
    return;
  }
  for (int i = 0; i < count; i++) {
    char *path = text_format("%s%s%s", name, name[strlen(name) - 1] == '/' ? "" : "/", entries[i]->d_name);
    read_found(paths, path, depth);
    free(path);
    free(entries[i]);
  }
  free(entries);
}

static void read_path(struct paths *paths, const char *name) {
  struct stat facts;
  if (stat(name, &facts) != 0) {
    failed(paths, name, strerror(errno));
  } else if (S_ISDIR(facts.st_mode)) {
    read_folder(paths, name, 0);
  } else {
    read_file(paths, name, &facts, false);
  }
}

static void read_pattern(struct paths *paths, const char *pattern) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0) {
    failed(paths, pattern, "no such file");
    return;
  }
  for (size_t i = 0; i < found.gl_pathc; i++) {
    read_path(paths, found.gl_pathv[i]);
  }
  globfree(&found);
}

static void read_name(struct paths *paths, const char *name) {
  struct stat facts;
  if (strcmp(name, "-") == 0) {
    paths->good = read_descriptor(paths->sums, dup(STDIN_FILENO), "standard input", false) && paths->good;
  } else if (*name != '\0' && strpbrk(name, "*?[") != NULL && lstat(name, &facts) != 0) {
    read_pattern(paths, name);
  } else {
    read_path(paths, name);
  }
}

bool read_journals(struct sums *sums, char *const *names, int count) {
  struct paths paths = {
      .sums = sums, .seen = {.key_size = 2 * sizeof(uint64_t), .entry_size = sizeof(struct file)}, .good = true};
  for (int i = 0; i < count; i++) {
    read_name(&paths, names[i]);
  }
  table_free(&paths.seen);
  return paths.good;
}
