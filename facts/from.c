#include "from.h"
#include "read.h"

#include <stdlib.h>
#include <string.h>

/* A capture that tells something of no NIC says so itself; one that tells nothing at all is noted. */
static bool note_nothing(const struct host_facts *host, struct from_notes *notes) {
  const struct nccl_log *nccl = &notes->nccl;
  bool log = nccl->version || nccl->network || nccl->device_count || nccl->address_count || nccl->hca_count;
  if (host->nic_count || host->path_count || notes->mst_count || log || notes->virt || notes->note) {
    return true;
  }
  notes->note = strdup("unknown: no device in the file");
  return notes->note != NULL;
}

bool facts_from(const char *text, size_t size, struct host_facts *host, struct from_notes *notes) {
  struct capture capture;
  *notes = (struct from_notes){0};
  if (!capture_read(&capture, text, size)) {
    return false;
  }
  bool ok = read_mst(&capture, notes) && read_nccl(&capture, notes) && read_mlxconfig(&capture, notes, host) &&
            read_verbs(&capture, notes, host) && read_lspci(&capture, notes, host) && read_ucx(&capture, notes, host) &&
            read_topology(&capture, host) && read_virt(&capture, notes) && note_nothing(host, notes);
  capture_free(&capture);
  return ok;
}

static void free_names(char **names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(names[i]);
  }
  free(names);
}

void from_notes_free(struct from_notes *notes) {
  struct nccl_log *nccl = &notes->nccl;
  for (size_t i = 0; i < notes->mst_count; i++) {
    free(notes->mst[i].path);
    free(notes->mst[i].address);
    free(notes->mst[i].rdma);
  }
  for (size_t i = 0; i < nccl->address_count; i++) {
    free(nccl->addresses[i].device);
    free(nccl->addresses[i].address);
  }
  free(notes->mst);
  free(nccl->addresses);
  free_names(nccl->devices, nccl->device_count);
  free_names(nccl->hca, nccl->hca_count);
  free(nccl->version);
  free(nccl->network);
  free(notes->virt);
  free(notes->note);
  *notes = (struct from_notes){0};
}
