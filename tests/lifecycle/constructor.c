/* While a library is being loaded the dynamic linker's lock is taken: what another thread does then must not need it. */
#include "fakenccl.h"

#include <pthread.h>
#include <stdio.h>

static char buffer[65536];

static void *register_window(void *unused) {
  ncclUniqueId id = {{0}};
  ncclComm_t comm = NULL;
  ncclWindow_t window = NULL;
  ncclCommInitRank(&comm, 2, id, 1);
  int result = (int)ncclCommWindowRegister(comm, buffer, sizeof(buffer), &window, 2);
  printf("constructor result=%d flags=%d\n", result, fakeLastFlags());
  return unused;
}

__attribute__((constructor)) static void loaded(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, register_window, NULL);
  pthread_join(thread, NULL);
}
