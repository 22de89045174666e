/* The RDMA devices that the kernel shows, and the functions behind a bond. */
#include "collect/collect.h"

#include <stdlib.h>
#include <string.h>

/* hca_type in the words of mlxconfig's device type. Virtual functions of the fifth generation share one: no type. */
static const struct {
  char hca_type[12], type[16];
} types[] = {
    {"MT4115", "ConnectX4"},   {"MT4117", "ConnectX4LX"}, {"MT4119", "ConnectX5"},   {"MT4121", "ConnectX5"},
    {"MT4123", "ConnectX6"},   {"MT4125", "ConnectX6DX"}, {"MT4127", "ConnectX6LX"}, {"MT4129", "ConnectX7"},
    {"MT4131", "ConnectX8"},   {"MT4133", "ConnectX9"},   {"MT4116", "ConnectX4"},   {"MT4118", "ConnectX4LX"},
    {"MT4120", "ConnectX5"},   {"MT4122", "ConnectX5"},   {"MT4124", "ConnectX6"},   {"MT41682", "BlueField"},
    {"MT41686", "BlueField2"}, {"MT41692", "BlueField3"}, {"MT41694", "BlueField4"},
};

/* PCI device ids of virtual functions, as a guest sees them, without a link to their physical function. */
static const char *const virtual_ids[] = {"0x1014", "0x1016", "0x1018", "0x101a", "0x101c", "0x101e", "0xa2d3"};

static void take_type(struct collection *all, struct nic_facts *nic, const char *device) {
  struct fact *fact = &nic->facts[NIC_TYPE];
  char *hca_type = root_text(all, "sys/class/infiniband/%s/hca_type", device);
  for (size_t i = 0; hca_type && i < sizeof types / sizeof *types; i++)
    if (strcmp(hca_type, types[i].hca_type) == 0)
      know(all, fact, types[i].type, "sysfs hca_type");
  if (hca_type && strcmp(hca_type, "MT4126") == 0)
    doubt(all, fact, "virtual function: its id is that of several generations", "sysfs hca_type");
  else if (hca_type && *hca_type && !fact->value)
    know(all, fact, hca_type, "sysfs hca_type");
  doubt(all, fact, "no hca_type", "sysfs hca_type");
  free(hca_type);
}

static bool is_virtual_id(const char *id) {
  for (size_t i = 0; id && i < sizeof virtual_ids / sizeof *virtual_ids; i++)
    if (strcmp(id, virtual_ids[i]) == 0)
      return true;
  return false;
}

static void take_function(struct collection *all, struct nic_facts *nic) {
  struct fact *fact = &nic->facts[NIC_FUNCTION];
  if (!is_full_address(nic->address)) {
    doubt(all, fact, "no PCI function of its own", "sysfs");
    return;
  }
  char *physical = root_link(all, "sys/bus/pci/devices/%s/physfn", nic->address);
  char *id = root_text(all, "sys/bus/pci/devices/%s/device", nic->address);
  if (physical)
    know(all, fact, "vf", "sysfs physfn");
  else if (is_virtual_id(id))
    know(all, fact, "vf", "PCI device id");
  else if (id)
    know(all, fact, "pf", "sysfs");
  else
    doubt(all, fact, "the device cannot be read", "sysfs");
  free(physical);
  free(id);
}

static void take_attribute(struct collection *all, struct fact *fact, const char *device, const char *name) {
  char *text = root_text(all, "sys/class/infiniband/%s/%s", device, name);
  if (text && *text)
    know(all, fact, text, "sysfs");
  else
    doubt(all, fact, "sysfs does not show it", "sysfs");
  free(text);
}

static void take_driver(struct collection *all, struct nic_facts *nic, const char *folder) {
  char *driver = root_link(all, "%s/driver", folder);
  if (driver)
    know(all, &nic->facts[NIC_DRIVER], driver, "sysfs");
  else
    doubt(all, &nic->facts[NIC_DRIVER], "sysfs does not show it", "sysfs");
  free(driver);
}

static bool is_listed(const struct collection *all, const char *address) {
  for (size_t i = 0; i < all->host->nic_count; i++)
    if (same_address(all->host->nics[i].address, address))
      return true;
  return false;
}

/* A device without a PCI function of its own (rxe, a subfunction, a representor) goes by its name. */
static struct nic_facts *add_nic(struct collection *all, const char *device) {
  char *address = root_link(all, "sys/class/infiniband/%s/device", device);
  bool own = address && is_full_address(address) && !is_listed(all, address);
  struct nic_facts *nic = host_nic(all->host, own ? address : device);
  all->failed |= !nic;
  free(address);
  return nic;
}

void collect_nics(struct collection *all) {
  char **devices = root_entries(all, "sys/class/infiniband");
  for (size_t i = 0; devices && devices[i]; i++) {
    struct nic_facts *nic = add_nic(all, devices[i]);
    char folder[512];
    if (!nic)
      break;
    snprintf(folder, sizeof folder, "sys/class/infiniband/%s/device", devices[i]);
    know(all, &nic->facts[NIC_DEVICE], devices[i], "sysfs");
    take_driver(all, nic, folder);
    take_attribute(all, &nic->facts[NIC_GUID], devices[i], "node_guid");
    take_attribute(all, &nic->facts[NIC_FIRMWARE], devices[i], "fw_ver");
    take_type(all, nic, devices[i]);
    take_function(all, nic);
  }
  entries_free(devices);
}

/* A function of a bond has no RDMA device of its own, but the bond's: with its name, GUID and firmware. */
static void add_member(struct collection *all, size_t first, const char *address, const char *source) {
  static const enum nic_fact shared[] = {NIC_DEVICE, NIC_GUID, NIC_FIRMWARE, NIC_TYPE};
  struct nic_facts *nic = host_nic(all->host, address);
  char folder[512];
  all->failed |= !nic;
  if (!nic)
    return;
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
    const char *value = all->host->nics[first].facts[shared[i]].value;
    if (value)
      know(all, &nic->facts[shared[i]], value, source);
  }
  snprintf(folder, sizeof folder, "sys/bus/pci/devices/%s", address);
  take_driver(all, nic, folder);
  take_function(all, nic);
}

/* The functions whose interfaces are slaves of the same bond, less those that are devices of their own. */
static void take_slaves(struct collection *all, size_t first, const char *bond) {
  char *slaves = root_text(all, "sys/class/net/%s/bonding/slaves", bond), *rest = NULL;
  for (char *slave = slaves ? strtok_r(slaves, " \n", &rest) : NULL; slave; slave = strtok_r(NULL, " \n", &rest)) {
    char *address = root_link(all, "sys/class/net/%s/device", slave);
    if (address && is_full_address(address) && !is_listed(all, address))
      add_member(all, first, address, "sysfs, of the bond");
    if (address && is_listed(all, address)) {
      struct nic_facts *nic = host_nic(all->host, address);
      const char *device = all->host->nics[first].facts[NIC_DEVICE].value;
      if (nic->facts[NIC_DEVICE].value && strcmp(nic->facts[NIC_DEVICE].value, device) == 0)
        know(all, &nic->facts[NIC_BOND], bond, "sysfs");
    }
    free(address);
  }
  free(slaves);
}

/* A physical function of the same card that mlx5_core drives, without an RDMA device of its own. */
static bool is_silent_sibling(const struct collection *all, const char *own, const char *address) {
  size_t slot = strlen(own) - 1;
  if (strlen(address) != slot + 1 || strncmp(own, address, slot) != 0 || is_listed(all, address))
    return false;
  char *driver = root_link(all, "sys/bus/pci/devices/%s/driver", address);
  char *physical = root_link(all, "sys/bus/pci/devices/%s/physfn", address);
  bool silent = driver && strcmp(driver, "mlx5_core") == 0 && !physical;
  free(driver);
  free(physical);
  return silent;
}

/*
 * Where the bond itself does not show (its interfaces are in another network namespace; one RDMA device has the ports
 * of two functions), the card's other functions count as members.
 */
static void take_siblings(struct collection *all, size_t first, char **devices) {
  const struct nic_facts *nic = &all->host->nics[first];
  const char *function = nic->facts[NIC_FUNCTION].value;
  if (!is_full_address(nic->address) || !is_mlx5(nic) || !function || strcmp(function, "pf") != 0)
    return;
  for (size_t i = 0; devices && devices[i]; i++)
    if (is_silent_sibling(all, all->host->nics[first].address, devices[i]))
      add_member(all, first, devices[i], "sysfs, of the same card");
}

void collect_bonds(struct collection *all) {
  size_t count = all->host->nic_count;
  for (size_t i = 0; i < count; i++) {
    char **interfaces = is_full_address(all->host->nics[i].address)
                            ? root_entries(all, "sys/bus/pci/devices/%s/net", all->host->nics[i].address)
                            : NULL;
    for (size_t j = 0; interfaces && interfaces[j]; j++) {
      char *bond = root_link(all, "sys/class/net/%s/master", interfaces[j]);
      if (bond)
        take_slaves(all, i, bond);
      free(bond);
    }
    entries_free(interfaces);
  }
  char **devices = root_entries(all, "sys/bus/pci/devices");
  for (size_t i = 0; i < count; i++)
    take_siblings(all, i, devices);
  entries_free(devices);
}
