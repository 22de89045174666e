/*
 * demo [strict|default]: the program of the README's tour: it registers one window of NCCL, and knows nothing of winord.
 * With the tests' stand-in for NCCL it also says what NCCL was asked.
 */
#include "fakenccl.h"

#include <stdio.h>
#include <string.h>

static char memory[1 << 21];

int main(int argc, char **argv) {
  const int flags = argc > 1 && strcmp(argv[1], "default") == 0 ? 0x00 : 0x02; /* 0x02: NCCL_WIN_STRICT_ORDERING */
  ncclComm_t comm = NULL;
  ncclWindow_t window = NULL;
  ncclUniqueId id;
  if (ncclGetUniqueId(&id) != ncclSuccess || ncclCommInitRank(&comm, 1, id, 0) != ncclSuccess)
    return 1;
  const ncclResult_t result = ncclCommWindowRegister(comm, memory, sizeof memory, &window, flags);
  printf("program asked 0x%02x, NCCL got 0x%02x\n", (unsigned)flags, (unsigned)fakeLastFlags());
  if (result != ncclSuccess || ncclCommWindowDeregister(comm, window) != ncclSuccess)
    return 1;
  return ncclCommDestroy(comm) == ncclSuccess ? 0 : 1;
}
