/* A library that is linked with NCCL, as PyTorch's is. */
#include "calls.h"

void use_nccl(void);

__attribute__((visibility("default"))) void use_nccl(void) {
  const struct nccl nccl = {.version = ncclGetVersion,
                            .window_register = ncclCommWindowRegister,
                            .window_deregister = ncclCommWindowDeregister,
                            .devcomm_create = ncclDevCommCreate,
                            .destroy = ncclCommDestroy,
                            .abort = ncclCommAbort,
                            .last_error = ncclGetLastError};
  make_calls(&nccl);
}
