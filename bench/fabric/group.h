/* What waits for ncclGroupEnd, in each thread; outside of a group it is done at once. */
#ifndef WINORD_GROUP_H
#define WINORD_GROUP_H

#include "bench/fabric/comm.h"

void group_start(void);

/* Of the outermost group: does what waits. The first error is returned; the communicators it concerns are NULL then. */
ncclResult_t group_end(void);

/* Lets the communicator's ranks meet; after an error it is freed and *comm is NULL. The id is copied. */
ncclResult_t group_init(ncclComm_t *comm, const ncclUniqueId *id);

/* Sets *win, which is NULL until then. */
ncclResult_t group_window(ncclWindow_t *win, ncclWindow_t window);

#endif
