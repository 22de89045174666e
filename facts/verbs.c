#include "read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "ibv_devinfo";

struct device {
  char name[NAME_SIZE]; /* "" is none */
  char firmware[NAME_SIZE], guid[NAME_SIZE], capability[NAME_SIZE];
  unsigned long vendor, part; /* 0: not shown */
};

/* ConnectX-3 and older are mlx4 devices: 4099, 4103 and below. */
static bool is_mlx5(const struct device *device) {
  enum { MELLANOX = 0x02c9, NEWEST_MLX4 = 4112 };
  if (device->vendor) {
    return device->vendor == MELLANOX && (device->part == 0 || device->part > NEWEST_MLX4);
  }
  return text_begins(device->name, "mlx5_");
}

static bool commit_mode(struct nic_facts *nic, const struct device *device) {
  if (!is_mlx5(device)) {
    return mode_unknown(nic, "not an mlx5 device", source) && wr_unknown(nic, "not an mlx5 device", source);
  }
  bool ok = wr_unknown(nic, "verbs does not tell", source);
  if (strcmp(device->capability, "ATOMIC_GLOB") == 0) {
    return ok && mode_refuted(nic, source) && mode_unknown(nic, "verbs", source);
  }
  if (device->capability[0]) {
    char reason[NAME_SIZE + 40];
    snprintf(reason, sizeof reason, "verbs: %s is no proof of mode 0", device->capability);
    return ok && mode_unknown(nic, reason, source);
  }
  return ok && mode_unknown(nic, "verbs does not tell", source);
}

static bool set_text(struct fact *fact, const char *value) { return !value[0] || fact_is(fact, value, source); }

static bool finish(struct device *device, const struct from_notes *notes, struct host_facts *host) {
  struct nic_facts *nic = NULL;
  bool ok = !device->name[0] || find_nic(host, notes, device->name, &nic);
  if (ok && nic) {
    struct fact *capability = &nic->facts[NIC_ATOMIC_CAP];
    ok = commit_mode(nic, device) && set_text(&nic->facts[NIC_DEVICE], device->name) &&
         set_text(&nic->facts[NIC_FIRMWARE], device->firmware) && set_text(&nic->facts[NIC_GUID], device->guid) &&
         (device->capability[0] ? fact_is(capability, device->capability, source)
                                : fact_unknown(capability, "no row", source));
  }
  *device = (struct device){0};
  return ok;
}

/* "ATOMIC_HCA (1)", name and number agreeing. The last one is MLNX_OFED's. */
static void read_capability(const char *text, struct device *device) {
  static const char *const names[] = {"ATOMIC_NONE (0)", "ATOMIC_HCA (1)", "ATOMIC_GLOB (2)",
                                      "ATOMIC_HCA_REPLY_BE (64)"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(text, names[i]) == 0) {
      word_copy(device->capability, sizeof device->capability, (struct word){names[i], strcspn(names[i], " ")});
    }
  }
}

static void read_line(const char *line, bool cut, struct device *device) {
  const char *capability = after_label(line, "atomic_cap:");
  const char *vendor = after_label(line, "vendor_id:");
  const char *part = after_label(line, "vendor_part_id:");
  const char *firmware = after_label(line, "fw_ver:");
  const char *guid = after_label(line, "node_guid:");
  if (capability) {
    read_capability(capability, device);
  } else if (vendor && !cut) {
    device->vendor = strtoul(vendor, NULL, 16);
  } else if (part && !cut) {
    device->part = strtoul(part, NULL, 10);
  } else if (firmware && !cut) {
    word_copy(device->firmware, sizeof device->firmware, (struct word){firmware, strcspn(firmware, " ")});
  } else if (guid && !cut) {
    word_copy(device->guid, sizeof device->guid, (struct word){guid, strcspn(guid, " ")});
  }
}

bool read_verbs(const struct capture *capture, const struct from_notes *notes, struct host_facts *host) {
  struct device device = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < capture->count; i++) {
    const char *line = capture->lines[i];
    bool cut = capture->cut && i + 1 == capture->count;
    const char *name = after_label(line, "hca_id:");
    if (name || is_prompt(line)) {
      ok = finish(&device, notes, host);
    }
    if (name && !cut) {
      word_copy(device.name, sizeof device.name, (struct word){name, strcspn(name, " ")});
    } else if (device.name[0]) {
      read_line(line, cut, &device);
    }
  }
  return ok && finish(&device, notes, host);
}
