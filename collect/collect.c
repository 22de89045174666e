#define _GNU_SOURCE
#include "collect/collect.h"

#include <stdlib.h>
#include <string.h>

static void (*const sources[])(struct collection *all) = {
    collect_kernel, collect_nics,     collect_bonds, collect_gpus,  collect_virt,
    collect_pci,    collect_firmware, collect_verbs, collect_paths,
};

struct collection *collect(const char *root) {
  struct collection *all = calloc(1, sizeof *all);
  if (!all)
    return NULL;
  all->root = root;
  all->host = host_facts_new();
  all->failed = !all->host;
  for (size_t i = 0; !all->failed && i < sizeof sources / sizeof *sources; i++)
    sources[i](all);
  if (!all->failed)
    return all;
  collection_free(all);
  return NULL;
}

static void fact_free(struct fact *fact) {
  free(fact->value);
  free(fact->reason);
  free(fact->source);
}

void collection_free(struct collection *all) {
  for (size_t i = 0; i < all->gpu_count; i++) {
    free(all->gpus[i].address);
    fact_free(&all->gpus[i].model);
  }
  free(all->gpus);
  fact_free(&all->models);
  fact_free(&all->path);
  host_facts_free(all->host);
  free(all);
}

void know(struct collection *all, struct fact *fact, const char *value, const char *source) {
  all->failed |= !fact_is(fact, value, source);
}

void doubt(struct collection *all, struct fact *fact, const char *reason, const char *source) {
  all->failed |= !fact_unknown(fact, reason, source);
}

static bool in_list(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at++)
    if ((at == list || at[-1] == ' ') && (at[length] == ',' || !at[length]))
      return true;
  return false;
}

char *list_add(char *list, const char *word) {
  char *longer = NULL;
  if (list && in_list(list, word))
    return list;
  if (asprintf(&longer, "%s%s%s", list ? list : "", list ? ", " : "", word) < 0)
    longer = NULL;
  free(list);
  return longer;
}

static bool all_hex(const char *text, size_t length) { return strspn(text, "0123456789abcdefABCDEF") >= length; }

bool is_full_address(const char *text) {
  size_t domain = strcspn(text, ":");
  const char *rest = text + domain;
  return domain >= 4 && domain <= 8 && all_hex(text, domain) && strlen(rest) == 8 && all_hex(rest + 1, 2) &&
         rest[3] == ':' && all_hex(rest + 4, 2) && rest[6] == '.' && all_hex(rest + 7, 1);
}

bool is_mlx5(const struct nic_facts *nic) {
  const char *driver = nic->facts[NIC_DRIVER].value;
  return driver && strcmp(driver, "mlx5_core") == 0;
}
