#include "bench/fabric/group.h"

#include <stdlib.h>

struct init {
  struct init *next;
  ncclComm_t *comm;
  ncclUniqueId id;
  ncclResult_t result;
};

struct registration {
  struct registration *next;
  ncclWindow_t *win, window;
};

static _Thread_local struct {
  int depth;
  struct init *inits;
  struct registration *registrations;
} group;

void group_start(void) { group.depth++; }

static ncclResult_t enter(struct init *init) {
  struct ncclComm *comm = *init->comm;
  return meeting_enter(&comm->meeting, &init->id, comm->nranks, comm->rank);
}

/* All come in first, then all wait: they may be ranks of one communicator. */
static ncclResult_t finish(struct init *init, ncclResult_t before) {
  struct ncclComm *comm = *init->comm;
  if (init->result == ncclSuccess && before == ncclSuccess)
    init->result = meeting_wait(&comm->meeting, &init->id);
  if (init->result == ncclSuccess && before == ncclSuccess)
    return ncclSuccess;
  meeting_leave(&comm->meeting);
  free(comm);
  *init->comm = NULL;
  return before == ncclSuccess ? init->result : before;
}

static ncclResult_t do_inits(struct init *inits) {
  ncclResult_t result = ncclSuccess;
  for (struct init *init = inits; init; init = init->next) {
    init->result = result == ncclSuccess ? enter(init) : ncclSuccess;
    result = init->result == ncclSuccess ? result : init->result;
  }
  while (inits) {
    struct init *init = inits;
    inits = init->next;
    result = finish(init, result);
    free(init);
  }
  return result;
}

static void do_registrations(struct registration *registrations) {
  while (registrations) {
    struct registration *registration = registrations;
    registrations = registration->next;
    *registration->win = registration->window;
    free(registration);
  }
}

ncclResult_t group_end(void) {
  if (group.depth == 0) {
    set_error("ncclGroupEnd: not in a group call.");
    return ncclInvalidUsage;
  }
  if (--group.depth > 0)
    return ncclSuccess;
  struct init *inits = group.inits;
  struct registration *registrations = group.registrations;
  group.inits = NULL;
  group.registrations = NULL;
  do_registrations(registrations);
  return do_inits(inits);
}

static ncclResult_t out_of_memory(void) {
  set_error("out of memory");
  return ncclSystemError;
}

ncclResult_t group_init(ncclComm_t *comm, const ncclUniqueId *id) {
  struct init *init = malloc(sizeof *init);
  if (!init) {
    free(*comm);
    *comm = NULL;
    return out_of_memory();
  }
  *init = (struct init){.next = group.inits, .comm = comm, .id = *id};
  group_start();
  group.inits = init;
  return group_end();
}

ncclResult_t group_window(ncclWindow_t *win, ncclWindow_t window) {
  if (group.depth == 0) {
    *win = window;
    return ncclSuccess;
  }
  struct registration *registration = malloc(sizeof *registration);
  if (!registration)
    return out_of_memory();
  *registration = (struct registration){.next = group.registrations, .win = win, .window = window};
  group.registrations = registration;
  return ncclSuccess;
}
