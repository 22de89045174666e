#include "bench/stress/gpu/devcomm.h"

#include <nccl_device.h>

#include <new>

#if NCCL_VERSION_CODE < NCCL_VERSION(2, 29, 7)
#error "NCCL 2.29.7 or later is needed: name its folder in NCCL_HOME"
#endif

extern "C" int devcomm_version(void) { return NCCL_VERSION_CODE; }

static const char *gin_type(int type) {
  return type == 0 ? "none" : type == 2 ? "proxy" : type == 3 ? "GDAKI" : type == 4 ? "GPI" : type == 5 ? "EFA" : "other";
}

extern "C" ncclResult_t comm_abilities(ncclComm_t comm, struct abilities *abilities) {
  ncclCommProperties_t has = NCCL_COMM_PROPERTIES_INITIALIZER;
  const ncclResult_t result = ncclCommQueryProperties(comm, &has);
  abilities->device_api = has.deviceApiSupport;
  abilities->gin = has.ginType != NCCL_GIN_TYPE_NONE;
  abilities->gin_type = gin_type((int)has.ginType);
  abilities->host_rma = has.hostRmaSupport;
  abilities->lsa_teams = has.nLsaTeams;
  return result;
}

extern "C" ncclResult_t devcomm_create(ncclComm_t comm, const struct session_wants *wants, void **devcomm) {
  ncclDevCommRequirements_t asks = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
  ncclDevComm *made = new (std::nothrow) ncclDevComm;
  if (!made)
    return ncclSystemError;
  if (wants->gin) {
    asks.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
    asks.ginSignalCount = (int)wants->signals;
    asks.ginCounterCount = (int)wants->counters;
  }
  const ncclResult_t result = ncclDevCommCreate(comm, &asks, made);
  if (result == ncclSuccess)
    *devcomm = made;
  else
    delete made;
  return result;
}

extern "C" void devcomm_destroy(ncclComm_t comm, void *devcomm) {
  ncclDevCommDestroy(comm, (ncclDevComm *)devcomm);
  delete (ncclDevComm *)devcomm;
}
