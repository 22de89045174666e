/*
 * `include =`: the main file is read to its end first, then the files it includes, in the order of the `include` lines and
 * within one pattern by name; their pools and rules come behind the main file's in that order.
 */
#include "policy/glob.h"
#include "policy/reader.h"
#include "policy/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_TEXT_MAX = 4096 };

/* What one pattern found. */
struct found {
  char **paths;
  size_t count;
};

static void take(struct reader *reader, const struct include *include, const char *path) {
  const char *trouble = reader_take_file(reader, path);
  if (trouble)
    policy_problem(reader->policy, reader->policy->files[0], include->line, false, "include: %s: %s", path, trouble);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void add(struct reader *reader, struct found *found, const char *folder, const char *name) {
  size_t above = strlen(folder);
  char *path = arena_alloc(reader->arena, above + strlen(name) + 1);
  char **room = array_room(reader->arena, found->paths, found->count, sizeof *room);
  if (room)
    found->paths = room;
  if (!path || !room)
    return;
  copy_text(path, folder, above);
  copy_text(path + above, name, strlen(name));
  room[found->count++] = path;
}

static void unreadable(struct reader *reader, const struct include *include, const char *folder) {
  policy_problem(reader->policy, reader->policy->files[0], include->line, false, "include: %s: folder cannot be read",
                 folder);
}

/* folder is "" or ends in a slash. A folder that is not there holds nothing; one that cannot be read is reported. */
static void list(struct reader *reader, const struct include *include, const char *folder, const char *pattern,
                 struct found *found) {
  DIR *directory = opendir(*folder ? folder : ".");
  if (!directory && errno != ENOENT && errno != ENOTDIR)
    unreadable(reader, include, folder);
  if (!directory)
    return;
  errno = 0;
  for (const struct dirent *entry; (entry = readdir(directory)); errno = 0)
    if ((entry->d_name[0] != '.' || *pattern == '.') && glob_match(pattern, entry->d_name))
      add(reader, found, folder, entry->d_name);
  if (errno)
    unreadable(reader, include, folder);
  closedir(directory);
}

static void take_pattern(struct reader *reader, const struct include *include, const char *folder,
                         const char *pattern) {
  struct found found = {0};
  list(reader, include, folder, pattern, &found);
  if (!found.count)
    policy_problem(reader->policy, reader->policy->files[0], include->line, true, "include: nothing matches %s%s",
                   folder, pattern);
  else
    qsort(found.paths, found.count, sizeof *found.paths, by_name);
  for (size_t i = 0; i < found.count && !reader->arena->failed; i++)
    take(reader, include, found.paths[i]);
  free(found.paths);
}

static void include_read(struct reader *reader, const struct include *include) {
  const char *main_file = reader->policy->files[0], *slash = strrchr(main_file, '/');
  int above = *include->path != '/' && slash ? (int)(slash - main_file) + 1 : 0;
  char folder[PATH_TEXT_MAX];
  if (snprintf(folder, sizeof folder, "%.*s%s", above, main_file, include->path) >= PATH_TEXT_MAX) {
    policy_problem(reader->policy, main_file, include->line, false, "include: the path is too long");
    return;
  }
  const char *last = strrchr(include->path, '/');
  last = last ? last + 1 : include->path;
  char *cut = folder + strlen(folder) - strlen(last);
  if (!glob_is_pattern(last) && !glob_is_pattern(include->path)) {
    take(reader, include, folder);
    return;
  }
  *cut = '\0';
  if (!glob_is_closed(include->path) || glob_is_pattern(folder + above))
    policy_problem(reader->policy, main_file, include->line, false,
                   "include: %s: a pattern may stand in the last part of the path only, with '[' closed",
                   include->path);
  else
    take_pattern(reader, include, folder, last);
}

void includes_read(struct reader *reader) {
  reader->included = true;
  for (size_t i = 0; i < reader->include_count && !reader->arena->failed; i++)
    include_read(reader, &reader->includes[i]);
}
