#include "read.h"

#include <string.h>

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* An MST path, as mst status shows it, or the last part of one (Windows). */
static const struct mst_entry *find_mst(const struct from_notes *notes, const char *name) {
  for (size_t i = 0; i < notes->mst_count; i++) {
    if (notes->mst[i].address && strcmp(last_part(notes->mst[i].path), last_part(name)) == 0) {
      return &notes->mst[i];
    }
  }
  return NULL;
}

/* The address of an RDMA device, and who says so; NULL: not told, or told twice and differently. */
static const char *find_address(const struct from_notes *notes, const char *device, const char **source) {
  const char *address = NULL;
  for (size_t i = 0; i < notes->mst_count; i++) {
    const struct mst_entry *entry = &notes->mst[i];
    if (entry->rdma && strcmp(entry->rdma, device) == 0) {
      if (!entry->address || (address && !same_address(address, entry->address))) {
        return NULL;
      }
      address = entry->address;
      *source = "mst status";
    }
  }
  for (size_t i = 0; i < notes->nccl.address_count; i++) {
    const struct nccl_address *entry = &notes->nccl.addresses[i];
    if (strcmp(entry->device, device) == 0) {
      if (address && !same_address(address, entry->address)) {
        return NULL;
      }
      *source = address ? *source : "NCCL's pciPath";
      address = address ? address : entry->address;
    }
  }
  return address;
}

bool find_nic(struct host_facts *host, const struct from_notes *notes, const char *name, struct nic_facts **nic) {
  const char *source = "mst status";
  const struct mst_entry *mst = find_mst(notes, name);
  const char *address = mst ? mst->address : find_address(notes, name, &source);
  *nic = NULL;
  if (host->nic_count >= MOST_NICS) {
    return true;
  }
  *nic = host_nic(host, address ? address : name);
  if (!*nic) {
    return false;
  }
  return !address || fact_is(&(*nic)->facts[mst ? NIC_VIA : NIC_DEVICE], name, source);
}

static bool all_unknown(struct fact *first, const char *reason, const char *source) {
  return fact_unknown(&first[0], reason, source) && fact_unknown(&first[1], reason, source) &&
         fact_unknown(&first[2], reason, source);
}

bool mode_unknown(struct nic_facts *nic, const char *reason, const char *source) {
  return all_unknown(&nic->facts[NIC_MODE_DEFAULT], reason, source);
}

bool wr_unknown(struct nic_facts *nic, const char *reason, const char *source) {
  return all_unknown(&nic->facts[NIC_WR_DEFAULT], reason, source);
}

bool mode_refuted(struct nic_facts *nic, const char *source) {
  struct fact *current = &nic->facts[NIC_MODE_CURRENT];
  bool agrees = current->value && strcmp(current->value, "0") != 0;
  return agrees || fact_is(current, MODE_NOT_ZERO, source);
}
