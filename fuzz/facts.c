/* The facts file: NCCL_IB_HCA on the first line, the file after it. What makes a proof is asked again, one by one. */
#include "policy/facts.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static const char boot_id[] = "1f0c8a52-6d0e-4d4c-9a37-0123456789ab\n";

static void make_root(void) {
  static bool made;
  if (!made) {
    folder_write("proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id - 1);
    folder_write("sys/class/infiniband/mlx5_0/node_guid", "9c63:c003:0012:3456\n", 20);
    folder_write("sys/class/infiniband/mlx5_0/fw_ver", "28.43.2026\n", 11);
    made = true;
  }
}

static bool is_mode(int mode) { return mode >= MODE_UNKNOWN && mode <= MODE_MAX; }

static void check_nic(const struct nic *nic) {
  check(nic->address != NULL, "a NIC has an address");
  check(is_mode(nic->mode_default) && is_mode(nic->mode_current) && is_mode(nic->mode_next),
        "modes are 0..4 or unknown");
}

static void check_facts(const struct facts *facts) {
  bool sound = facts->status == FACTS_CURRENT;
  check(facts->status >= FACTS_DAMAGED && facts->status <= FACTS_CURRENT, "a file that is there has a status");
  check(sound != (facts->trouble != NULL), "trouble is told, and only then");
  check(!sound || facts->boot_id != NULL, "facts of this boot have its id");
  for (size_t i = 0; i < facts->nic_count; i++) {
    check_nic(&facts->nics[i]);
  }
}

static bool is_used(const struct nic *nic, const char *ib_hca) {
  return nic->device == NULL || ib_hca_allows(ib_hca, nic->device);
}

/* Zero is proved only when each NIC in use says it twice, nothing else is there, and the file may be believed. */
static void check_proof(const struct facts *facts, const char *ib_hca, const struct host_modes *modes) {
  size_t used = 0;
  check(facts->status == FACTS_CURRENT && facts->trusted, "proof is of this boot, by root");
  for (size_t i = 0; i < facts->nic_count; i++) {
    const struct nic *nic = &facts->nics[i];
    if (is_used(nic, ib_hca)) {
      used++;
      check(nic->mode_current == 0 && nic->mode_next == 0 && !nic->pci_atomics, "each NIC is proved");
    }
  }
  check(used > 0 && modes->mode == 0, "some NIC is proved");
}

static void check_modes(const struct facts *facts, const char *ib_hca) {
  struct host_modes modes = facts_modes(facts, ib_hca, false, folder_path((char[128]){0}, "."));
  struct host_modes with_plugin = facts_modes(facts, ib_hca, true, folder_path((char[128]){0}, "."));
  check(is_mode(modes.mode), "the host's mode is 0..4 or unknown");
  check(strlen(modes.words.nic_types) < NIC_TYPES_MAX, "types fit");
  check(with_plugin.unproved != NULL, "nothing is proved beside an external plugin");
  if (modes.unproved == NULL) {
    check_proof(facts, ib_hca, &modes);
  }
  for (size_t i = 0; facts->status == FACTS_CURRENT && i < facts->nic_count; i++) {
    const struct nic *nic = &facts->nics[i];
    bool not_zero = nic->mode_current > 0 || nic->mode_next > 0;
    check(!not_zero || (modes.unproved != NULL || !is_used(nic, ib_hca)), "a NIC that is not in mode 0 is no proof");
    check(!not_zero || modes.contradicts, "a NIC that is not in mode 0 contradicts");
    check(!not_zero || !is_used(nic, ib_hca) || modes.mode > 0, "non-zero beats all");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[128], root[128], *line = text_of(data, size);
  const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
  const uint8_t *file = newline ? newline + 1 : data + size;
  line[newline ? newline - data : (ptrdiff_t)size] = '\0';
  make_root();
  folder_write("facts.ini", file, size - (size_t)(file - data));
  struct facts *facts = facts_read(folder_path(path, "facts.ini"), folder_path(root, "."));
  check(facts != NULL, "there is memory");
  check_facts(facts);
  check_modes(facts, line);
  check_modes(facts, NULL);
  facts_free(facts);
  free(line);
  return 0;
}
