/* What the kernel tells of the host: names, this boot, processor. */
#define _GNU_SOURCE
#include "collect/collect.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  enum host_fact fact;
  const char *path;
} files[] = {
    {HOST_NAME, "proc/sys/kernel/hostname"},
    {HOST_BOOT_ID, "proc/sys/kernel/random/boot_id"},
    {HOST_KERNEL, "proc/sys/kernel/osrelease"},
};

static void take_file(struct collection *all, struct fact *fact, const char *path) {
  char *text = root_text(all, "%s", path), source[64];
  snprintf(source, sizeof source, "/%s", path);
  if (text && *text)
    know(all, fact, text, source);
  else
    doubt(all, fact, "cannot be read", source);
  free(text);
}

/* The first "key : value" of /proc/cpuinfo, fresh memory; NULL: there is none. */
static char *cpu_value(const char *text, const char *key) {
  size_t length = strlen(key);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, length) != 0)
      continue;
    const char *colon = line + length + strspn(line + length, " \t");
    if (*colon != ':')
      continue;
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    return strndup(value, strcspn(value, "\n"));
  }
  return NULL;
}

/* x86 and arm64 name vendor, family and model differently. */
static const char *const cpu_keys[][3] = {
    {"vendor_id", "cpu family", "model"},
    {"CPU implementer", "CPU architecture", "CPU part"},
};

static void take_cpu(struct collection *all, const char *text) {
  struct fact *fact = &all->host->facts[HOST_CPU];
  for (size_t i = 0; i < sizeof cpu_keys / sizeof *cpu_keys; i++) {
    char *parts[3], *whole = NULL;
    for (int j = 0; j < 3; j++)
      parts[j] = cpu_value(text, cpu_keys[i][j]);
    bool good = parts[0] && parts[1] && parts[2] &&
                asprintf(&whole, "%s family %s model %s", parts[0], parts[1], parts[2]) >= 0;
    if (good)
      know(all, fact, whole, "/proc/cpuinfo");
    free(good ? whole : NULL);
    for (int j = 0; j < 3; j++)
      free(parts[j]);
  }
  doubt(all, fact, "not in /proc/cpuinfo", "/proc/cpuinfo");
}

void collect_kernel(struct collection *all) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    take_file(all, &all->host->facts[files[i].fact], files[i].path);
  char *text = root_text(all, "proc/cpuinfo");
  take_cpu(all, text ? text : "");
  free(text);
}
