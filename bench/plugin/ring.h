/*
 * Shared memory between the ranks of one host: each has an inbox with a ring of slots for each source. It is a memory file
 * without a name, which the others open through /proc, so nothing can be left behind. A slot is written by the source when it
 * is free, and freed by the receiver in any order.
 */
#ifndef WINORD_PLUGIN_RING_H
#define WINORD_PLUGIN_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLOT_BYTES = 16384, SLOTS_LEAST = 32, SLOTS_MOST = 256, SLOTS_ALL = 1024, RING_RANKS_MOST = 1024 };

enum slot_state { SLOT_FREE, SLOT_FILLING, SLOT_FULL, SLOT_TAKEN };

enum record_kind { RECORD_PAYLOAD, RECORD_SIGNAL, RECORD_GET, RECORD_REPLY, RECORD_KINDS };

/* What travels: a piece of a put with its bytes in the slot, a signal, a request to be sent memory, a piece of such memory. */
struct record {
  uint32_t kind, context;
  uint32_t bytes; /* payload, reply: in the slot; get: wanted */
  bool last; /* piece of its put */
  bool weak; /* signal, and the put that came with it: not behind earlier ones of its context */
  bool lonely; /* weak signal without a put: belongs to what was sent before it */
  bool own; /* to the rank itself */
  bool payload; /* not an inline value: faults may strike */
  uint64_t number; /* of its put, counted by the source */
  uint64_t mr, offset; /* where to at the receiver; get: where from */
  uint64_t add; /* signal */
  uint64_t op; /* the source's operation: own puts, gets and their replies */
  uint64_t back_mr, back_offset; /* get: where its bytes go to at the source */
  uint64_t size; /* get: all of it */
};

struct slot {
  uint32_t state; /* enum slot_state; atomic */
  struct record record;
  _Alignas(128) uint8_t data[SLOT_BYTES];
};

struct inbox {
  struct inbox_header *header; /* NULL: none */
  size_t bytes;
  int file; /* -1: closed */
  unsigned slots; /* of a ring */
  struct slot *rings; /* source times slots, slot */
};

/* Makes an inbox of no size yet, and the handle by which others find it. */
bool inbox_make(struct inbox *inbox, void *handle);

/* Gives mine its rings, for so many ranks. */
bool inbox_furnish(struct inbox *inbox, int nranks);

/* Opens another rank's by its handle, as this rank, waiting until it is furnished. False: *why tells. */
bool inbox_open(struct inbox *inbox, const void *handle, int nranks, int rank, uint64_t deadline_ns, const char **why);

/* Waits until all ranks have opened mine. -1: they have; else a rank that has not by then. */
int inbox_wait(const struct inbox *inbox, int nranks, uint64_t deadline_ns);

/* Its owner takes nothing any more. */
void inbox_end(struct inbox *inbox);
bool inbox_ended(const struct inbox *inbox);

void inbox_close(struct inbox *inbox);

/* Monotonic time, ns. */
uint64_t now_ns(void);

#endif
