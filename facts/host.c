#include "host.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char contradiction[] = "contradiction: ";

static const char *const nic_names[NIC_FACTS] = {
    [NIC_DEVICE] = "device",
    [NIC_DRIVER] = "driver",
    [NIC_TYPE] = "nic-type",
    [NIC_GUID] = "node-guid",
    [NIC_FIRMWARE] = "firmware",
    [NIC_FUNCTION] = "function",
    [NIC_BOND] = "bond",
    [NIC_MODE_DEFAULT] = "pci-atomic-mode-default",
    [NIC_MODE_CURRENT] = "pci-atomic-mode-current",
    [NIC_MODE_NEXT] = "pci-atomic-mode-next",
    [NIC_WR_DEFAULT] = "pci-wr-ordering-default",
    [NIC_WR_CURRENT] = "pci-wr-ordering-current",
    [NIC_WR_NEXT] = "pci-wr-ordering-next",
    [NIC_ATOMIC_CAP] = "atomic-cap",
    [NIC_PCI_ATOMICS] = "pci-atomic-caps",
    [NIC_DEVX] = "devx",
    [NIC_REQUESTER] = "atomic-requester",
    [NIC_RELAXED] = "relaxed-ordering",
    [NIC_DATA_DIRECT] = "data-direct",
    [NIC_COMPLETER] = "atomic-completer",
    [NIC_VIA] = "via",
};

static const char *const host_names[HOST_FACTS] = {
    [HOST_NAME] = "hostname", [HOST_BOOT_ID] = "boot-id", [HOST_HYPERVISOR] = "hypervisor",
    [HOST_KERNEL] = "kernel", [HOST_CPU] = "cpu",         [HOST_IOMMU] = "iommu",
    [HOST_ACS] = "acs",
};

const char *nic_fact_name(enum nic_fact fact) { return nic_names[fact]; }

const char *host_fact_name(enum host_fact fact) { return host_names[fact]; }

struct host_facts *host_facts_new(void) {
  return calloc(1, sizeof(struct host_facts));
}

static void free_fact(struct fact *fact) {
  free(fact->value);
  free(fact->reason);
  free(fact->source);
}

void host_facts_free(struct host_facts *host) {
  if (!host) {
    return;
  }
  for (size_t i = 0; i < host->nic_count; i++) {
    for (size_t j = 0; j < NIC_FACTS; j++) {
      free_fact(&host->nics[i].facts[j]);
    }
    free(host->nics[i].address);
    free(host->nics[i].alarm);
  }
  for (size_t i = 0; i < host->path_count; i++) {
    struct gpu_path *path = &host->paths[i];
    free(path->gpu);
    free(path->nic);
    free(path->path);
    free(path->source);
  }
  for (size_t j = 0; j < HOST_FACTS; j++) {
    free_fact(&host->facts[j]);
  }
  free(host->nics);
  free(host->paths);
  free(host);
}

/* Hexadecimal digits, up to most, and the character behind them; NULL: not so. */
static const char *field(const char *text, int most, char behind, unsigned long *value) {
  int digits = 0;
  *value = 0;
  for (; digits < most && isxdigit((unsigned char)*text); digits++, text++) {
    *value = *value << 4 | (unsigned long)(*text <= '9' ? *text - '0' : (*text | 0x20) - 'a' + 10);
  }
  return digits > 0 && *text == behind ? text + (behind != '\0') : NULL;
}

/* domain, bus, device and function as one number; false: no PCI address. */
static bool pci_number(const char *text, unsigned long *number) {
  unsigned long domain, bus, device, function;
  const char *colon = strchr(text, ':');
  const char *rest = text;
  domain = 0;
  if (colon && strchr(colon + 1, ':')) {
    rest = field(text, 8, ':', &domain);
  }
  rest = rest ? field(rest, 2, ':', &bus) : NULL;
  rest = rest ? field(rest, 2, '.', &device) : NULL;
  rest = rest ? field(rest, 1, '\0', &function) : NULL;
  if (!rest) {
    return false;
  }
  *number = domain << 16 | bus << 8 | device << 3 | function;
  return device < 32 && function < 8;
}

bool same_address(const char *a, const char *b) {
  unsigned long number, other;
  return strcmp(a, b) == 0 || (pci_number(a, &number) && pci_number(b, &other) && number == other);
}

struct nic_facts *host_nic(struct host_facts *host, const char *address) {
  for (size_t i = 0; i < host->nic_count; i++) {
    if (same_address(host->nics[i].address, address)) {
      return &host->nics[i];
    }
  }
  struct nic_facts *nics = realloc(host->nics, (host->nic_count + 1) * sizeof *nics);
  if (!nics) {
    return NULL;
  }
  host->nics = nics;
  struct nic_facts *nic = &nics[host->nic_count];
  memset(nic, 0, sizeof *nic);
  nic->address = strdup(address);
  if (!nic->address) {
    return NULL;
  }
  host->nic_count++;
  return nic;
}

bool host_path(struct host_facts *host, const char *gpu, const char *nic, const char *path, const char *source) {
  struct gpu_path *paths = realloc(host->paths, (host->path_count + 1) * sizeof *paths);
  if (!paths) {
    return false;
  }
  host->paths = paths;
  struct gpu_path *added = &paths[host->path_count++];
  *added = (struct gpu_path){strdup(gpu), strdup(nic), strdup(path), strdup(source)};
  return added->gpu && added->nic && added->path && added->source;
}

static bool replace(char **text, const char *by) {
  char *copy = strdup(by);
  if (!copy) {
    return false;
  }
  free(*text);
  *text = copy;
  return true;
}

bool fact_contradicts(const struct fact *fact) {
  return !fact->value && fact->reason && strncmp(fact->reason, contradiction, sizeof contradiction - 1) == 0;
}

static bool contradict(struct fact *fact, const char *value, const char *source) {
  static const char format[] = "%s%s (%s) and %s (%s)";
  int size = snprintf(NULL, 0, format, contradiction, fact->value, fact->source, value, source) + 1;
  char *reason = malloc((size_t)size);
  if (!reason) {
    return false;
  }
  snprintf(reason, (size_t)size, format, contradiction, fact->value, fact->source, value, source);
  free(fact->reason);
  free(fact->value);
  fact->reason = reason;
  fact->value = NULL;
  return true;
}

bool fact_is(struct fact *fact, const char *value, const char *source) {
  if (fact_contradicts(fact)) {
    return true;
  }
  if (fact->value) {
    return strcmp(fact->value, value) == 0 || contradict(fact, value, source);
  }
  free(fact->reason);
  fact->reason = NULL;
  return replace(&fact->source, source) && replace(&fact->value, value);
}

bool fact_unknown(struct fact *fact, const char *reason, const char *source) {
  if (fact->value || fact->reason) {
    return true;
  }
  return replace(&fact->source, source) && replace(&fact->reason, reason);
}
