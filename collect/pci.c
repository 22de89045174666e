/* PCI configuration space, as sysfs shows it: an ordinary user reads its first 64 bytes only. */
#include "collect/collect.h"

#include <stdlib.h>
#include <string.h>

enum {
  HEADER_SIZE = 64, /* what everybody may read */
  BASIC_SIZE = 256,
  STATUS = 0x06,
  STATUS_CAPABILITIES = 0x10,
  CAPABILITIES = 0x34,
  CAPABILITY_EXPRESS = 0x10,
  DEVICE_CONTROL = 0x08, /* offsets within the PCI Express capability */
  DEVICE_CAPABILITIES_2 = 0x24,
  DEVICE_CONTROL_2 = 0x28,
  RELAXED_ORDERING = 1 << 4,
  REQUESTER_ENABLE = 1 << 6,
  EXTENDED_ACS = 0x000d,
  ACS_CONTROL = 0x06,
  ACS_REDIRECTS = 1 << 2 | 1 << 3 | 1 << 5, /* request redirect, completion redirect, egress control */
  STEPS_MAX = 960 /* more than there is room for: a list that runs in a circle ends */
};

static unsigned word_at(const unsigned char *config, size_t offset) {
  return config[offset] | (unsigned)config[offset + 1] << 8;
}

static unsigned long double_at(const unsigned char *config, size_t offset) {
  return word_at(config, offset) | (unsigned long)word_at(config, offset + 2) << 16;
}

/* Offset of a capability, or 0. */
static size_t capability(const unsigned char *config, unsigned wanted) {
  size_t at = word_at(config, STATUS) & STATUS_CAPABILITIES ? config[CAPABILITIES] & 0xfcU : 0;
  for (int steps = 0; at >= HEADER_SIZE && steps < STEPS_MAX; steps++) {
    if (config[at] == wanted)
      return at;
    at = config[at + 1] & 0xfcU;
  }
  return 0;
}

static size_t extended_capability(const unsigned char *config, size_t size, unsigned wanted) {
  size_t at = size > BASIC_SIZE ? BASIC_SIZE : 0;
  for (int steps = 0; at >= BASIC_SIZE && at + 8 <= size && steps < STEPS_MAX; steps++) {
    unsigned long header = double_at(config, at);
    if ((header & 0xffff) == wanted)
      return at;
    at = header >> 20 & 0xffc;
  }
  return 0;
}

static const char *on_off(bool on) { return on ? "on" : "off"; }

/* Why the configuration space cannot tell, or NULL: express is where its PCI Express capability stands. */
static const char *no_express(const struct nic_facts *nic, const unsigned char *config, size_t size, size_t *express) {
  const char *function = nic->facts[NIC_FUNCTION].value;
  if (!size)
    return "the configuration space cannot be read";
  if (size <= HEADER_SIZE)
    return "no permission: 64 bytes of the configuration space";
  if (function && strcmp(function, "vf") == 0)
    return "virtual function: reads as 0";
  *express = capability(config, CAPABILITY_EXPRESS);
  return *express && *express + DEVICE_CONTROL_2 + 2 <= BASIC_SIZE ? NULL : "no PCI Express capability";
}

static void take_controls(struct collection *all, struct nic_facts *nic) {
  static const char source[] = "PCI configuration space";
  unsigned char config[CONFIG_MAX];
  size_t size = root_config(all, nic->address, config), at = 0;
  struct fact *requester = &nic->facts[NIC_REQUESTER], *relaxed = &nic->facts[NIC_RELAXED];
  const char *why = no_express(nic, config, size, &at);
  if (why) {
    doubt(all, requester, why, source);
    doubt(all, relaxed, why, source);
    return;
  }
  know(all, relaxed, on_off(word_at(config, at + DEVICE_CONTROL) & RELAXED_ORDERING), source);
  know(all, requester, on_off(word_at(config, at + DEVICE_CONTROL_2) & REQUESTER_ENABLE), source);
}

/* ACS of the bridges above a device: what was found so far is kept where it is worse. */
enum acs { ACS_NO_BRIDGE, ACS_OFF, ACS_UNREADABLE, ACS_ON };

static enum acs bridge_acs(const struct collection *all, const char *bridge) {
  unsigned char config[CONFIG_MAX];
  size_t size = root_config(all, bridge, config);
  if (size <= BASIC_SIZE)
    return ACS_UNREADABLE;
  size_t at = extended_capability(config, size, EXTENDED_ACS);
  return at && word_at(config, at + ACS_CONTROL) & ACS_REDIRECTS ? ACS_ON : ACS_OFF;
}

/* The device's path in sysfs names every bridge above it. */
static enum acs path_acs(const struct collection *all, const char *device) {
  char *path = root_real(all, "sys/bus/pci/devices/%s", device), *rest = NULL;
  enum acs worst = ACS_NO_BRIDGE;
  for (char *part = path ? strtok_r(path, "/", &rest) : NULL; part; part = strtok_r(NULL, "/", &rest)) {
    if (!is_full_address(part) || strcmp(part, device) == 0)
      continue;
    enum acs acs = bridge_acs(all, part);
    worst = acs > worst ? acs : worst;
  }
  free(path);
  return worst;
}

static enum acs worse_acs(enum acs a, enum acs b) { return a > b ? a : b; }

static void take_acs(struct collection *all) {
  struct fact *fact = &all->host->facts[HOST_ACS];
  enum acs worst = ACS_NO_BRIDGE;
  for (size_t i = 0; i < all->host->nic_count; i++)
    if (is_full_address(all->host->nics[i].address))
      worst = worse_acs(worst, path_acs(all, all->host->nics[i].address));
  for (size_t i = 0; i < all->gpu_count; i++)
    worst = worse_acs(worst, path_acs(all, all->gpus[i].address));
  if (worst == ACS_ON || worst == ACS_OFF)
    know(all, fact, on_off(worst == ACS_ON), "PCI configuration space of the bridges");
  else
    doubt(all, fact,
          worst == ACS_NO_BRIDGE ? "no bridge above a NIC or GPU" : "no permission: bridges' configuration space",
          "PCI configuration space of the bridges");
}

/* How a device's addresses are translated; the later one counts for the host. */
enum iommu { IOMMU_NO_NIC, IOMMU_OFF, IOMMU_PASSTHROUGH, IOMMU_UNREADABLE, IOMMU_TRANSLATED };

/* Types of groups: "DMA", "DMA-FQ", "identity". No group: no IOMMU. */
static enum iommu nic_iommu(const struct collection *all, const char *address) {
  char *group = root_link(all, "sys/bus/pci/devices/%s/iommu_group", address);
  char *type = root_text(all, "sys/bus/pci/devices/%s/iommu_group/type", address);
  enum iommu iommu = group ? IOMMU_UNREADABLE : IOMMU_OFF;
  if (type && strncmp(type, "DMA", 3) == 0)
    iommu = IOMMU_TRANSLATED;
  if (type && strcmp(type, "identity") == 0)
    iommu = IOMMU_PASSTHROUGH;
  free(group);
  free(type);
  return iommu;
}

static void take_iommu(struct collection *all) {
  static const char words[][12] = {"", "off", "passthrough", "", "translated"}, source[] = "sysfs iommu_group";
  struct fact *fact = &all->host->facts[HOST_IOMMU];
  enum iommu worst = IOMMU_NO_NIC;
  for (size_t i = 0; i < all->host->nic_count; i++) {
    const char *address = all->host->nics[i].address;
    enum iommu iommu = is_full_address(address) ? nic_iommu(all, address) : IOMMU_NO_NIC;
    worst = iommu > worst ? iommu : worst;
  }
  if (*words[worst])
    know(all, fact, words[worst], source);
  else
    doubt(all, fact, worst == IOMMU_NO_NIC ? "no NIC" : "the type of the group cannot be read", source);
}

void collect_pci(struct collection *all) {
  for (size_t i = 0; i < all->host->nic_count; i++)
    take_controls(all, &all->host->nics[i]);
  take_iommu(all);
  take_acs(all);
}
