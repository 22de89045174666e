/* What collect_verbs makes of one mlx5 device in mode 0. */
#include "collect/collect.h"

int main(void) {
  static const enum nic_fact shown[] = {NIC_ATOMIC_CAP, NIC_PCI_ATOMICS, NIC_DEVX, NIC_MODE_CURRENT};
  struct collection all = {.root = "", .host = host_facts_new()};
  struct nic_facts *nic = host_nic(all.host, "0000:81:00.0");
  know(&all, &nic->facts[NIC_DEVICE], "mlx5_0", "test");
  know(&all, &nic->facts[NIC_DRIVER], "mlx5_core", "test");
  know(&all, &nic->facts[NIC_MODE_CURRENT], "0", "test");
  collect_verbs(&all);
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
    const struct fact *fact = &nic->facts[shown[i]];
    printf("%s: %s%s\n", nic_fact_name(shown[i]),
           fact->value ? "" : "unknown: ", fact->value ? fact->value : fact->reason);
  }
  host_facts_free(all.host);
  return all.failed;
}
