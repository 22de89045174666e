/* What a client does, seen from winord: a window with the flags of each variable that is set, and the words of success. */
#include "tests/fake/fakenccl.h"

#include <stdio.h>
#include <stdlib.h>

static char memory[4096];

int main(void) {
  static const char *const variables[] = {"CLIENT_FLAGS", "CLIENT_OTHER_FLAGS"};
  ncclUniqueId id = {{0}};
  ncclComm_t comm;
  ncclWindow_t window;
  ncclCommInitRank(&comm, 1, id, 0);
  for (int i = 0; i < 2; i++) {
    const char *flags = getenv(variables[i]);
    if (flags)
      ncclCommWindowRegister(comm, memory, sizeof memory, &window, atoi(flags));
  }
  ncclCommDestroy(comm);
  puts("# Out of bounds values : 0 OK");
  return 0;
}
