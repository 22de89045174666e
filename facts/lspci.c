#include "read.h"

#include <string.h>

static const char source[] = "lspci";

/* One device's block. NICs of other vendors and bridges are no concern, but end the block before. */
struct block {
  bool open, is_nic;
  char address[NAME_SIZE];
  const char *missing; /* why a capability is not there */
  char relaxed, requester; /* + or -, 0: not shown */
  char completer[64];
};

/* "81:00.0 Ethernet controller: ...": the rest of the line, or NULL. */
static const char *device_line(const char *line, struct word *address) {
  return next_word(&line, address) && is_pci_address(*address) && strchr(line, ':') ? line : NULL;
}

static bool is_nic(const char *rest) {
  static const char *const classes[] = {" Ethernet controller", " Infiniband controller", " InfiniBand controller",
                                        " Network controller"};
  bool network = false;
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    network = network || text_begins(rest, classes[i]);
  }
  if (text_begins(rest, " 0200: 15b3:") || text_begins(rest, " 0207: 15b3:")) {
    return true;
  }
  return network && (strstr(rest, "Mellanox") || strstr(rest, "ConnectX") || strstr(rest, "BlueField"));
}

static bool is_atomics_flag(struct word word) {
  static const char *const names[] = {"Routing", "32bit", "64bit", "128bitCAS"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (word_begins(word, names[i]) && word.size == strlen(names[i]) + 1 && strchr("+-", word.text[word.size - 1])) {
      return true;
    }
  }
  return false;
}

/* "AtomicOpsCap: 32bit+ 64bit+ 128bitCAS+", all of it or nothing. */
static void read_completer(const char *flags, struct block *block) {
  struct word word;
  const char *at = flags;
  const char *end = flags;
  while (next_word(&at, &word) && is_atomics_flag(word)) {
    end = at;
  }
  struct word all = {flags, (size_t)(end - flags)};
  if (strstr(flags, "128bitCAS") && all.size > 0 && all.size < sizeof block->completer) {
    word_copy(block->completer, sizeof block->completer, all);
  }
}

/* The + or - behind a name, '\0': not there. */
static char sign_behind(const char *line, const char *name) {
  const char *found = strstr(line, name);
  if (!found) {
    return '\0';
  }
  char sign = found[strlen(name)];
  if (sign != '+' && sign != '-') {
    return '\0';
  }
  return sign;
}

static void read_line(const char *line, struct block *block) {
  const char *completer = strstr(line, "AtomicOpsCap: ");
  const char *control = strstr(line, "AtomicOpsCtl: ");
  if (strstr(line, "<access denied>")) {
    block->missing = "access denied";
  }
  if (completer && !block->completer[0]) {
    read_completer(completer + strlen("AtomicOpsCap: "), block);
  }
  if (!block->relaxed) {
    block->relaxed = sign_behind(line, "RlxdOrd");
  }
  if (control && !block->requester) {
    block->requester = sign_behind(control, " ReqEn");
  }
}

static bool set_switch(struct fact *fact, char sign, const char *missing) {
  return sign ? fact_is(fact, sign == '+' ? "on" : "off", source) : fact_unknown(fact, missing, source);
}

static bool finish(struct block *block, const struct from_notes *notes, struct host_facts *host) {
  struct nic_facts *nic = NULL;
  const char *missing = block->missing ? block->missing : "not shown";
  bool ok = !block->is_nic || find_nic(host, notes, block->address, &nic);
  if (ok && nic) {
    struct fact *completer = &nic->facts[NIC_COMPLETER];
    ok =
        mode_unknown(nic, "lspci does not tell", source) && wr_unknown(nic, "lspci does not tell", source) &&
        set_switch(&nic->facts[NIC_RELAXED], block->relaxed, missing) &&
        set_switch(&nic->facts[NIC_REQUESTER], block->requester, missing) &&
        (block->completer[0] ? fact_is(completer, block->completer, source) : fact_unknown(completer, missing, source));
  }
  *block = (struct block){0};
  return ok;
}

static bool is_bridge_line(const char *line) {
  return strstr(line, "AtomicOpsCap: Routing") || strstr(line, "Root Port") || strstr(line, "PCI bridge:");
}

bool read_lspci(const struct capture *capture, struct from_notes *notes, struct host_facts *host) {
  struct block block = {0};
  bool ok = true, bridge = false;
  for (size_t i = 0; ok && i < capture->count; i++) {
    const char *line = capture->lines[i];
    struct word address;
    const char *rest = device_line(line, &address);
    bridge = bridge || is_bridge_line(line);
    if (rest || is_prompt(line)) {
      ok = finish(&block, notes, host);
      block.open = rest != NULL;
      block.is_nic = rest && is_nic(rest);
      word_copy(block.address, sizeof block.address, address);
    } else if (block.open) {
      read_line(line, &block);
    }
  }
  ok = ok && finish(&block, notes, host);
  if (ok && bridge && host->nic_count == 0 && !notes->note) {
    notes->note = strdup("a root port: no NIC fact may come from it");
    ok = notes->note != NULL;
  }
  return ok;
}
