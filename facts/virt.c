#include "read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the capture says about the machine; "" is nothing. */
struct machine {
  char detected[32]; /* systemd-detect-virt's word */
  char vendor[NAME_SIZE], product[NAME_SIZE]; /* DMI */
  char hypervisor[NAME_SIZE]; /* lscpu's vendor */
};

/* The words of systemd-detect-virt(1) for machines. */
static const char *const machines[] = {"none",   "qemu",    "kvm",   "amazon", "zvm",   "vmware",    "microsoft",
                                       "oracle", "powervm", "xen",   "bochs",  "uml",   "parallels", "bhyve",
                                       "qnx",    "acrn",    "apple", "sre",    "google"};

/* And for containers, which say nothing of the machine. */
static const char *const containers[] = {"openvz", "lxc", "lxc-libvirt", "systemd-nspawn", "docker",
                                         "podman", "rkt", "wsl",         "proot",          "pouch"};

/* DMI products and vendors of virtual machines, and the hypervisor where the name tells it. */
static const struct {
  const char *text, *hypervisor;
} guests[] = {
    {"AHV", "kvm"},
    {"KVM", "kvm"},
    {"QEMU", "kvm"},
    {"Standard PC", "kvm"},
    {"OpenStack", NULL},
    {"Google Compute Engine", "kvm"},
    {"Alibaba Cloud ECS", "kvm"},
    {"RHEV Hypervisor", "kvm"},
    {"oVirt", "kvm"},
    {"VMware", "vmware"},
    {"VirtualBox", "oracle"},
    {"Virtual Machine", "microsoft"},
    {"HVM domU", "xen"},
    {"Amazon EC2", NULL},
    {"BHYVE", "bhyve"},
    {"Bochs", "bochs"},
    {"Parallels", "parallels"},
    {"Apple Virtualization", "apple"},
};

static bool is_one_of(const char *word, const char *const *words, size_t count) {
  size_t i = 0;
  while (i < count && strcmp(word, words[i]) != 0) {
    i++;
  }
  return i < count;
}

static bool is_container(const char *word) {
  return is_one_of(word, containers, sizeof containers / sizeof containers[0]);
}

static bool is_metal(const struct machine *machine) {
  static const char metal[] = ".metal";
  size_t length = strlen(machine->product);
  return length >= sizeof metal && strcmp(machine->product + length - (sizeof metal - 1), metal) == 0;
}

/* "vm (kvm: Nutanix AHV)"; where the name does not tell the hypervisor "vm (DMI: OpenStack Nova)". */
static bool describe_guest(const struct machine *machine, char *text, size_t size, const char **hypervisor) {
  for (size_t i = 0; i < sizeof guests / sizeof guests[0]; i++) {
    if (!strstr(machine->product, guests[i].text) && !strstr(machine->vendor, guests[i].text)) {
      continue;
    }
    *hypervisor = guests[i].hypervisor ? guests[i].hypervisor : "DMI";
    bool both = guests[i].hypervisor && machine->vendor[0] && machine->product[0];
    const char *product = machine->product[0] ? machine->product : machine->vendor;
    snprintf(text, size, "vm (%s: %s%s%s)", *hypervisor, both ? machine->vendor : "", both ? " " : "", product);
    return true;
  }
  return false;
}

/* DMI overrules the detectors: `none` is wrong on many arm64 guests, and kvm can look like microsoft. */
static void describe(const struct machine *machine, char *text, size_t size) {
  const char *hypervisor = "";
  bool none = strcmp(machine->detected, "none") == 0;
  bool guest = !is_metal(machine) && describe_guest(machine, text, size, &hypervisor);
  if (guest && machine->detected[0] && strcmp(machine->detected, hypervisor) != 0) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, ", detect-virt %s", machine->detected);
  } else if (guest) {
    return;
  } else if (is_metal(machine) && (none || !machine->detected[0]) && !machine->hypervisor[0]) {
    snprintf(text, size, "none (bare metal: product name ends in .metal)");
  } else if (is_metal(machine)) {
    snprintf(text, size, "unknown: the product name ends in .metal, but a hypervisor was seen");
  } else if (is_container(machine->detected)) {
    snprintf(text, size, "unknown: in a container (%s)", machine->detected);
  } else if (machine->detected[0] && !none) {
    snprintf(text, size, "vm (%s)", machine->detected);
  } else if (machine->hypervisor[0]) {
    snprintf(text, size, "vm (lscpu: %s)%s", machine->hypervisor, none ? ", detect-virt none" : "");
  } else if (none) {
    snprintf(text, size, "%s", machine->product[0] ? "none" : "none (detect-virt; no DMI)");
  }
}

static void read_detected(const char *line, struct machine *machine) {
  bool known = is_one_of(line, machines, sizeof machines / sizeof machines[0]) || is_container(line);
  if (known && !machine->detected[0]) {
    snprintf(machine->detected, sizeof machine->detected, "%s", line);
  }
}

static void keep(char *to, const char *text) {
  if (to[0] == '\0') {
    snprintf(to, NAME_SIZE, "%.100s", text);
  }
}

/* The line behind a command that prints one value. */
static void read_output(const char *command, const char *line, struct machine *machine) {
  if (strstr(command, "systemd-detect-virt")) {
    read_detected(line, machine);
  } else if (is_prompt(line)) {
    return;
  } else if (strstr(command, "dmi/id/product_name") || strstr(command, "system-product-name")) {
    keep(machine->product, line);
  } else if (strstr(command, "dmi/id/sys_vendor") || strstr(command, "system-manufacturer")) {
    keep(machine->vendor, line);
  }
}

/* dmidecode's first section of the system; lscpu; hostnamectl, which asks as systemd-detect-virt does. */
static void read_labels(const char *line, bool system, struct machine *machine) {
  const char *vendor = after_label(line, "Manufacturer:");
  const char *product = after_label(line, "Product Name:");
  const char *hypervisor = after_label(line, "Hypervisor vendor:");
  const char *detected = after_label(line, "Virtualization:");
  if (system && vendor) {
    keep(machine->vendor, vendor);
  } else if (system && product) {
    keep(machine->product, product);
  } else if (hypervisor) {
    keep(machine->hypervisor, hypervisor);
  } else if (detected) {
    read_detected(detected, machine);
  }
}

/* The line that a command printed; "": there is none, or it is cut. */
static const char *output_of(const struct capture *capture, size_t command) {
  size_t next = command + 1;
  bool whole = next < capture->count && !(capture->cut && next + 1 == capture->count);
  return whole ? capture->lines[next] : "";
}

bool read_virt(const struct capture *capture, struct from_notes *notes) {
  struct machine machine = {0};
  char text[4 * NAME_SIZE] = "";
  bool system = false;
  size_t whole = capture->cut ? capture->count - 1 : capture->count;
  for (size_t i = 0; i < whole; i++) {
    const char *line = capture->lines[i];
    system = strcmp(line, "System Information") == 0 || (system && !strstr(line, " Information"));
    read_labels(line, system, &machine);
    bool command = is_prompt(line) || strcmp(line, "systemd-detect-virt") == 0;
    if (command) {
      read_output(line, output_of(capture, i), &machine);
    }
  }
  describe(&machine, text, sizeof text);
  notes->virt = text[0] ? strdup(text) : NULL;
  return !text[0] || notes->virt;
}
