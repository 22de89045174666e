/* A program that does nothing of itself: its library (late_library.c) registers a window in a destructor. */
#include "fakenccl.h"

void late_prepare(ncclComm_t comm);

int main(void) {
  ncclUniqueId id = {{0}};
  ncclComm_t comm = NULL;
  ncclCommInitRank(&comm, 1, id, 0);
  late_prepare(comm);
  return 0;
}
