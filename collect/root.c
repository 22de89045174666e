/* Files below the root. */
#define _GNU_SOURCE
#include "collect/collect.h"

#include "policy/lines.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_LIMIT = 1 << 20, LINK_MAX_LENGTH = 4096 };

/* Fresh memory, or NULL. */
static char *rooted(const struct collection *all, const char *format, va_list arguments) {
  char *path = NULL, *whole = NULL;
  if (vasprintf(&path, format, arguments) < 0)
    return NULL;
  if (asprintf(&whole, "%s/%s", all->root, path) < 0)
    whole = NULL;
  free(path);
  return whole;
}

char *root_text(const struct collection *all, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *path = rooted(all, format, arguments), *text = NULL;
  va_end(arguments);
  size_t size = 0;
  if (path && file_slurp(path, TEXT_LIMIT, &text, &size))
    text = NULL;
  free(path);
  while (text && size && isspace((unsigned char)text[size - 1]))
    text[--size] = '\0';
  return text;
}

char *root_link(const struct collection *all, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *path = rooted(all, format, arguments), target[LINK_MAX_LENGTH];
  va_end(arguments);
  ssize_t length = path ? readlink(path, target, sizeof target - 1) : -1;
  free(path);
  if (length <= 0)
    return NULL;
  target[length] = '\0';
  const char *slash = strrchr(target, '/');
  return strdup(slash ? slash + 1 : target);
}

char *root_real(const struct collection *all, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *path = rooted(all, format, arguments);
  va_end(arguments);
  char *real = path ? realpath(path, NULL) : NULL;
  free(path);
  return real;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

char **root_entries(const struct collection *all, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *path = rooted(all, format, arguments);
  va_end(arguments);
  struct dirent **found = NULL;
  int count = path ? scandir(path, &found, is_visible, versionsort) : -1;
  free(path);
  char **names = count >= 0 ? calloc((size_t)count + 1, sizeof *names) : NULL;
  for (int i = 0, used = 0; i < count; i++) {
    if (names && (names[used] = strdup(found[i]->d_name)))
      used++;
    free(found[i]);
  }
  free(found);
  return names;
}

void entries_free(char **entries) {
  for (size_t i = 0; entries && entries[i]; i++)
    free(entries[i]);
  free(entries);
}

size_t root_config(const struct collection *all, const char *device, unsigned char config[CONFIG_MAX]) {
  char *path = NULL;
  if (asprintf(&path, "%s/sys/bus/pci/devices/%s/config", all->root, device) < 0)
    return 0;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  free(path);
  size_t used = 0;
  for (ssize_t got = 1; file >= 0 && got > 0 && used<CONFIG_MAX; used += got> 0 ? (size_t)got : 0)
    got = read(file, config + used, CONFIG_MAX - used);
  if (file >= 0)
    close(file);
  memset(config + used, 0, CONFIG_MAX - used);
  return used;
}
