/* Which hypervisor: systemd-detect-virt, DMI where that is known to be wrong, and the processor's own bit. */
#include "collect/collect.h"

#include <stdlib.h>
#include <string.h>

static const char bit_source[] = "processor's hypervisor bit";

/* How DMI's vendor or product begins, and what it means in the words of systemd-detect-virt(1). */
static const struct {
  char begins[24], word[12];
  bool overrules; /* whatever the tool says: Nutanix's KVM shows itself as Hyper-V */
  bool metal_too; /* bare metal of this name exists: the processor's bit decides */
} vendors[] = {
    {"Nutanix", "kvm", true, false},
    {"KVM", "kvm", false, false},
    {"OpenStack", "kvm", false, false},
    {"KubeVirt", "kvm", false, false},
    {"Alibaba Cloud ECS", "kvm", false, false},
    {"Amazon EC2", "amazon", false, false},
    {"QEMU", "qemu", false, false},
    {"VMware", "vmware", false, false},
    {"VMW", "vmware", false, false},
    {"innotek GmbH", "oracle", false, false},
    {"VirtualBox", "oracle", false, false},
    {"Xen", "xen", false, false},
    {"Bochs", "bochs", false, false},
    {"Parallels", "parallels", false, false},
    {"BHYVE", "bhyve", false, false},
    {"Virtual Machine", "microsoft", false, false},
    {"Google Compute Engine", "google", false, true},
};

struct signs {
  const char *tool; /* systemd-detect-virt's word, or NULL */
  const char *dmi; /* likewise DMI's: "none" for metal */
  bool dmi_overrules, dmi_metal_too;
  enum { BIT_UNKNOWN, BIT_CLEAR, BIT_SET } bit; /* the processor's; only x86 has one */
};

static void read_dmi(const struct collection *all, struct signs *signs) {
  static const char *const files[] = {"product_name", "sys_vendor", "board_vendor", "bios_vendor"};
  for (size_t i = 0; !signs->dmi && i < sizeof files / sizeof *files; i++) {
    char *text = root_text(all, "sys/class/dmi/id/%s", files[i]);
    size_t length = text ? strlen(text) : 0;
    if (i == 0 && length > 6 && strcmp(text + length - 6, ".metal") == 0) {
      signs->dmi = "none";
      signs->dmi_overrules = true;
    }
    for (size_t j = 0; text && !signs->dmi && j < sizeof vendors / sizeof *vendors; j++) {
      if (strncmp(text, vendors[j].begins, strlen(vendors[j].begins)) != 0)
        continue;
      signs->dmi = vendors[j].word;
      signs->dmi_overrules = vendors[j].overrules;
      signs->dmi_metal_too = vendors[j].metal_too;
    }
    free(text);
  }
}

static void read_bit(const struct collection *all, struct signs *signs) {
  char *text = root_text(all, "proc/cpuinfo");
  const char *flags = text ? strstr(text, "\nflags") : NULL;
  if (flags) {
    char *line = strndup(flags + 1, strcspn(flags + 1, "\n"));
    signs->bit = line && strstr(line, " hypervisor") ? BIT_SET : BIT_CLEAR;
    free(line);
  }
  free(text);
}

/* One word in small letters, with dashes. */
static bool is_word(const char *text) { return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")]; }

/* The word that counts, with its source; NULL: none. */
static const char *choose(const struct signs *signs, const char **source) {
  bool tool_none = signs->tool && strcmp(signs->tool, "none") == 0;
  bool dmi_counts = signs->dmi && !(signs->dmi_metal_too && signs->bit == BIT_CLEAR);
  const struct {
    bool counts;
    const char *word, *source;
  } choices[] = {
      {signs->dmi_overrules, signs->dmi, "DMI"},
      {signs->tool && !tool_none, signs->tool, "systemd-detect-virt"},
      {dmi_counts, signs->dmi, "DMI"},
      {tool_none, "none", "systemd-detect-virt"},
      {signs->bit != BIT_UNKNOWN, signs->bit == BIT_SET ? "vm-other" : "none", bit_source},
  };
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
    if (choices[i].counts) {
      *source = choices[i].source;
      return choices[i].word;
    }
  return NULL;
}

static void judge(struct collection *all, const struct signs *signs) {
  struct fact *fact = &all->host->facts[HOST_HYPERVISOR];
  const char *source, *word = choose(signs, &source);
  if (!word) {
    doubt(all, fact, "no systemd-detect-virt, no bit of the processor, and DMI names no hypervisor", "DMI");
    return;
  }
  know(all, fact, word, source);
  if (signs->bit == BIT_SET && strcmp(word, "none") == 0)
    know(all, fact, "vm-other", bit_source);
}

void collect_virt(struct collection *all) {
  static char *const argv[] = {"systemd-detect-virt", "--vm", NULL};
  struct signs signs = {0};
  char *output;
  tool_output(all, argv, "systemd-detect-virt", 10, &output);
  if (output) {
    output[strcspn(output, "\n")] = '\0';
    signs.tool = is_word(output) ? output : NULL;
  }
  read_dmi(all, &signs);
  read_bit(all, &signs);
  judge(all, &signs);
  free(output);
}
