/* The facts file. What is not known stands in it as a comment. */
#include "collect/collect.h"

#include <string.h>

enum { KEY_MAX = 40, VALUE_MAX = 100, NOTE_MAX = 140 }; /* with the rest of the line, below the 199 that are read */

/*
 * Text of others, as a value or comment may hold it: printable, no comment inside, cut. Valid until the next call but
 * three.
 */
static const char *clean(const char *text, size_t most) {
  static char texts[4][NOTE_MAX + 1];
  static unsigned turn;
  char *copy = texts[turn++ % 4];
  size_t length = 0;
  for (; *text && length < most; text++)
    if (*text < ' ' || *text > '~' || *text == ';')
      copy[length++] = '?';
    else
      copy[length++] = *text;
  copy[length] = '\0';
  return copy;
}

/* What the only alarm means. */
static const char alarm_text[] = "every registration is relaxed, strict has no effect";

static bool is_mode(const char *value) { return value[0] >= '0' && value[0] <= '4' && !value[1]; }

/* A mode without a number is no value that a reader of modes would take. */
static bool is_readable(const char *key, const char *value) {
  return *value && (strncmp(key, "pci-atomic-mode", 15) != 0 || is_mode(value));
}

static void write_fact(FILE *file, const char *key, const struct fact *fact) {
  if (fact->value && is_readable(key, fact->value))
    fprintf(file, "%s = %s ; %s\n", key, clean(fact->value, VALUE_MAX), clean(fact->source, KEY_MAX));
  else if (fact->value)
    fprintf(file, "; %s: %s (%s)\n", key, clean(fact->value, VALUE_MAX), clean(fact->source, KEY_MAX));
  else if (fact->reason)
    fprintf(file, "; %s: unknown: %s\n", key, clean(fact->reason, NOTE_MAX));
}

static void write_host(const struct collection *all, FILE *file) {
  fputs("[facts]\nversion = 1\n", file);
  for (int i = 0; i < HOST_FACTS; i++)
    write_fact(file, host_fact_name((enum host_fact)i), &all->host->facts[i]);
  write_fact(file, "gpu", &all->models);
  write_fact(file, "path", &all->path);
}

const char *wr_ordering(const struct nic_facts *nic) {
  const char *values[] = {nic->facts[NIC_WR_CURRENT].value, nic->facts[NIC_WR_NEXT].value};
  bool per_mkey = true;
  for (int i = 0; i < 2; i++) {
    if (values[i] && strcmp(values[i], "force_relax") == 0)
      return values[i];
    per_mkey = per_mkey && values[i] && strcmp(values[i], "per_mkey") == 0;
  }
  return per_mkey ? values[0] : NULL;
}

static void write_nic(const struct nic_facts *nic, FILE *file) {
  const struct fact *current = &nic->facts[NIC_MODE_CURRENT], *next = &nic->facts[NIC_MODE_NEXT];
  const char *source = current->value ? current->source : next->value ? next->source : NULL;
  fprintf(file, "\n[nic %s]\n", clean(nic->address, KEY_MAX));
  for (int i = 0; i < NIC_FACTS; i++)
    write_fact(file, nic_fact_name((enum nic_fact)i), &nic->facts[i]);
  if (source)
    fprintf(file, "pci-atomic-source = %s\n", clean(source, KEY_MAX));
  if (wr_ordering(nic))
    fprintf(file, "pci-wr-ordering = %s\n", wr_ordering(nic));
  if (shows_pci_atomics(nic))
    fputs("pci-atomics = yes ; verbs\n", file);
  if (nic->alarm)
    fprintf(file, "; alarm: %s: %s\n", clean(nic->alarm, KEY_MAX), alarm_text);
}

static void write_gpu(const struct collection *all, const struct gpu_facts *gpu, FILE *file) {
  fprintf(file, "\n[gpu %s]\n", clean(gpu->address, KEY_MAX));
  write_fact(file, "model", &gpu->model);
  for (size_t i = 0; i < all->host->path_count; i++) {
    const struct gpu_path *path = &all->host->paths[i];
    if (strcmp(path->gpu, gpu->address) == 0)
      fprintf(file, "path-to = %s %s ; %s\n", path->nic, path->path, path->source);
  }
}

void facts_write(const struct collection *all, FILE *file) {
  write_host(all, file);
  if (all->host->nic_count == 0)
    fputs("\n; no RDMA device in /sys/class/infiniband\n", file);
  for (size_t i = 0; i < all->host->nic_count; i++)
    write_nic(&all->host->nics[i], file);
  for (size_t i = 0; i < all->gpu_count; i++)
    write_gpu(all, &all->gpus[i], file);
}

void facts_complain(const struct collection *all, void (*say)(const char *format, ...)) {
  for (int i = 0; i < HOST_FACTS; i++)
    if (fact_contradicts(&all->host->facts[i]))
      say("%s: %s", host_fact_name((enum host_fact)i), all->host->facts[i].reason);
  for (size_t i = 0; i < all->host->nic_count; i++) {
    const struct nic_facts *nic = &all->host->nics[i];
    for (int j = 0; j < NIC_FACTS; j++)
      if (fact_contradicts(&nic->facts[j]))
        say("%s: %s: %s", nic->address, nic_fact_name((enum nic_fact)j), nic->facts[j].reason);
    if (nic->alarm)
      say("%s: alarm: %s: %s", nic->address, nic->alarm, alarm_text);
  }
}
