#include "facts_from.h"

#include <stdio.h>
#include <string.h>

static void print_fact(const char *name, const struct fact *fact) {
  if (fact->value) {
    printf("  %s: %s (%s)\n", name, fact->value, fact->source);
  } else if (fact_contradicts(fact)) {
    printf("  ALARM: %s: unknown: %s\n", name, fact->reason);
  } else if (fact->reason) {
    printf("  %s: unknown: %s (%s)\n", name, fact->reason, fact->source);
  }
}

static void print_nic(const struct nic_facts *nic) {
  printf("%s\n", nic->address);
  for (size_t i = 0; i < NIC_FACTS; i++) {
    print_fact(nic_fact_name(i), &nic->facts[i]);
  }
  if (nic->alarm) {
    printf("  ALARM: %s: PCI_WR_ORDERING=force_relax makes every registration relaxed, strict windows too\n",
           nic->alarm);
  }
}

static void print_names(const char *label, char **names, size_t count) {
  if (count > 0) {
    printf("  %s:", label);
    for (size_t i = 0; i < count; i++) {
      printf(" %s", names[i]);
    }
    putchar('\n');
  }
}

static void print_nccl(const struct nccl_log *nccl) {
  if (nccl->version) {
    printf("  nccl version: %s\n", nccl->version);
  }
  if (nccl->network) {
    printf("  nccl network: %s\n", nccl->network);
  }
  print_names("nccl devices", nccl->devices, nccl->device_count);
  if (nccl->device_count > 0) {
    printf("  nccl relaxed ordering: %s\n", nccl->relaxed ? "yes" : "no");
  }
  print_names("NCCL_IB_HCA", nccl->hca, nccl->hca_count);
  for (size_t i = 0; i < nccl->address_count; i++) {
    printf("  %s: %s (NCCL's pciPath)\n", nccl->addresses[i].device, nccl->addresses[i].address);
  }
}

void facts_from_text(const struct host_facts *host, const struct from_notes *notes) {
  const char *worst = worst_mode(host, notes);
  for (size_t i = 0; i < host->nic_count; i++) {
    print_nic(&host->nics[i]);
  }
  puts("host");
  if (worst) {
    printf("  pci-atomic-mode: %s, the worst of all devices, now and at next boot\n", worst);
  }
  if (notes->unreadable) {
    puts("  a device could not be read: one without a name, or one that was read elsewhere");
  }
  if (notes->virt) {
    printf("  hypervisor: %s\n", notes->virt);
  }
  for (size_t i = 0; i < notes->mst_count; i++) {
    const struct mst_entry *entry = &notes->mst[i];
    printf("  %s: %s%s%s (mst status)\n", entry->path, entry->address ? entry->address : "unknown: two addresses",
           entry->rdma ? " " : "", entry->rdma ? entry->rdma : "");
  }
  for (size_t i = 0; i < host->path_count; i++) {
    const struct gpu_path *path = &host->paths[i];
    printf("  %s to %s: %s (%s)\n", path->gpu, path->nic, path->path, path->source);
  }
  print_nccl(&notes->nccl);
  if (notes->note) {
    printf("  %s\n", notes->note);
  }
}
