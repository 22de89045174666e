#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void broken(const char *rule) {
  fprintf(stderr, "broken: %s\n", rule);
  abort();
}

char *text_of(const void *data, size_t size) {
  char *text = malloc(size + 1);
  check(text != NULL, "there is memory");
  if (size > 0) {
    memcpy(text, data, size);
  }
  text[size] = '\0';
  return text;
}

char *cut_line(char *text) {
  char *end = text + strcspn(text, "\n");
  if (*end == '\0') {
    return end;
  }
  *end = '\0';
  return end + 1;
}

static char folder[64];

static void make_folder(void) {
  const char *above = getenv("TMPDIR");
  int length = snprintf(folder, sizeof folder, "%s/winord-fuzz-XXXXXX", above != NULL ? above : "/tmp");
  check(length < (int)sizeof folder && mkdtemp(folder) != NULL, "a folder can be made");
}

const char *folder_path(char path[static 128], const char *name) {
  if (folder[0] == '\0') {
    make_folder();
  }
  snprintf(path, 128, "%s/%s", folder, name);
  return path;
}

static void make_folders_above(char *path) {
  for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
    *slash = '\0';
    mkdir(path, 0755);
  }
}

void folder_write(const char *name, const void *bytes, size_t size) {
  char path[128];
  folder_path(path, name);
  if (bytes == NULL) {
    unlink(path);
    return;
  }
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) {
    make_folders_above(path);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }
  check(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0, "a file can be written");
}
