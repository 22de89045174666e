/* What of NCCL's host API changes its layout from version to version, behind functions that do not. */
#ifndef WINORD_GPU_DEVCOMM_H
#define WINORD_GPU_DEVCOMM_H

#include <nccl.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a backend asks for. */
struct session_wants {
  bool gin; /* puts and signals of the device API */
  bool peers; /* loads and stores on every other rank's window */
  bool host_rma; /* ncclPutSignal */
  unsigned signals, counters; /* of GIN */
};

struct abilities {
  bool device_api, gin, host_rma;
  const char *gin_type; /* "proxy", "GDAKI", "none"; static */
  int lsa_teams;
};

/* The version that this was built with, as ncclGetVersion tells its own. */
int devcomm_version(void);

ncclResult_t comm_abilities(ncclComm_t comm, struct abilities *abilities);

/* *devcomm gets an ncclDevComm, freed by devcomm_destroy; collective. */
ncclResult_t devcomm_create(ncclComm_t comm, const struct session_wants *wants, void **devcomm);
void devcomm_destroy(ncclComm_t comm, void *devcomm);

#ifdef __cplusplus
}
#endif
#endif
