/* The functions that stand in front of NCCL's: the exported ones, and a thunk of each for every copy that dlsym handed out. */
#ifndef WINORD_WRAP_H
#define WINORD_WRAP_H

#include "nccl.h"

/* The address of a wrapper: the exported one for NOT_A_THUNK, else the thunk of that number (0 to THUNKS - 1). */
void *wrapper(enum nccl_function function, int thunk);

#endif
