/* PCI_ATOMIC_MODE and PCI_WR_ORDERING from the NIC's firmware, by mstconfig or mlxconfig. */
#include "collect/collect.h"

#include "facts/from.h"

#include <stdlib.h>
#include <string.h>

enum { SECONDS = 30 };

static const enum nic_fact asked[] = {NIC_MODE_DEFAULT, NIC_MODE_CURRENT, NIC_MODE_NEXT,
                                      NIC_WR_DEFAULT,   NIC_WR_CURRENT,   NIC_WR_NEXT};
enum { ASKED = sizeof asked / sizeof *asked, MODES = 3 };

static void doubt_all(struct collection *all, struct nic_facts *nic, const char *reason, const char *source) {
  for (size_t i = 0; i < ASKED; i++)
    doubt(all, &nic->facts[asked[i]], reason, source);
}

/* Values count only from an output that names its device; errors need not name it. */
static void take(struct collection *all, struct nic_facts *nic, const struct nic_facts *found, const char *tool) {
  const bool named = strcmp(found->address, NO_DEVICE_LINE) != 0;
  for (size_t i = 0; i < ASKED; i++) {
    const struct fact *fact = &found->facts[asked[i]];
    if (fact->value && !named)
      doubt(all, &nic->facts[asked[i]], "the output names no device", tool);
    else if (fact->value)
      know(all, &nic->facts[asked[i]], fact->value, tool);
    else
      doubt(all, &nic->facts[asked[i]], fact->reason ? fact->reason : "not in the output", tool);
  }
  if (!nic->alarm && found->alarm)
    all->failed |= !(nic->alarm = strdup(found->alarm));
  const struct fact *type = &found->facts[NIC_TYPE];
  if (!nic->facts[NIC_TYPE].value && type->value)
    know(all, &nic->facts[NIC_TYPE], type->value, tool);
}

/* One device was asked for: an output that names another one, or several, is not believed. */
static void read_output(struct collection *all, struct nic_facts *nic, const char *output, const char *tool) {
  struct host_facts *host = host_facts_new();
  struct from_notes notes = {0};
  if (!host || !facts_from(output, strlen(output), host, &notes)) {
    all->failed = true;
  } else if (host->nic_count == 0) {
    doubt_all(all, nic, notes.note ? notes.note : "no device in the output", tool);
  } else {
    bool own = strcmp(host->nics[0].address, NO_DEVICE_LINE) == 0 || same_address(host->nics[0].address, nic->address);
    if (host->nic_count > 1 || !own)
      doubt_all(all, nic, "the output is of another device", tool);
    else
      take(all, nic, &host->nics[0], tool);
  }
  from_notes_free(&notes);
  host_facts_free(host);
}

/* Asks for one or both parameters. Returns NULL when there was an answer, else why not. */
static const char *ask(struct collection *all, struct nic_facts *nic, const char *tool, bool both) {
  char *const argv[] = {(char *)tool, "-d", nic->address, "-e", "q", "PCI_ATOMIC_MODE", both ? "PCI_WR_ORDERING" : NULL,
                        NULL};
  char record[128], *output;
  snprintf(record, sizeof record, "%s-%s%s", tool, nic->address, both ? "" : "-mode");
  const char *why = tool_output(all, argv, record, SECONDS, &output);
  if (output)
    read_output(all, nic, output, tool);
  free(output);
  return why;
}

static bool is_settled(const struct nic_facts *nic) {
  const struct fact *current = &nic->facts[NIC_MODE_CURRENT];
  return current->value || fact_contradicts(current);
}

/*
 * A firmware that hides PCI_WR_ORDERING refuses the whole question: then the mode alone. A device too new for the one
 * tool may be known to the other.
 */
static void ask_nic(struct collection *all, struct nic_facts *nic) {
  static const char *const tools[] = {"mstconfig", "mlxconfig"};
  char reason[96] = "";
  for (size_t i = 0; i < sizeof tools / sizeof *tools && !is_settled(nic); i++) {
    const char *why = ask(all, nic, tools[i], true);
    if (!why && !is_settled(nic))
      ask(all, nic, tools[i], false);
    if (why)
      snprintf(reason + strlen(reason), sizeof reason - strlen(reason), "%s%s: %s", *reason ? ", " : "", tools[i], why);
  }
  if (*reason)
    doubt_all(all, nic, reason, "mstconfig, mlxconfig");
}

static bool is_virtual(const struct nic_facts *nic) {
  const char *function = nic->facts[NIC_FUNCTION].value;
  return function && strcmp(function, "vf") == 0;
}

void collect_firmware(struct collection *all) {
  for (size_t i = 0; i < all->host->nic_count; i++) {
    struct nic_facts *nic = &all->host->nics[i];
    if (!is_mlx5(nic))
      doubt_all(all, nic, "its driver is not mlx5_core", "sysfs");
    else if (!is_full_address(nic->address))
      doubt_all(all, nic, "no PCI function of its own", "sysfs");
    else if (is_virtual(nic))
      doubt_all(all, nic, "virtual function: its physical function has the settings", "sysfs");
    else
      ask_nic(all, nic);
  }
}
