/* Another preloaded shim, of the usual kind (NVIDIA's nccl_checkpoint): counts, and passes on by RTLD_NEXT. */
#define _GNU_SOURCE
#include "fakenccl.h"

#include <dlfcn.h>
#include <stdio.h>

static int calls;

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *buff, size_t size, ncclWindow_t *win, int flags) {
  ncclResult_t (*real)(ncclComm_t, void *, size_t, ncclWindow_t *, int) = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "ncclCommWindowRegister");
  __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  return real == NULL ? ncclInternalError : real(comm, buff, size, win, flags);
}

__attribute__((destructor)) static void report(void) {
  if (calls > 0)
    printf("other: %d calls\n", calls);
  fflush(stdout);
}
