/* What struct fabric is: the receiving host and all that is on its way to it. */
#ifndef WINORD_HOST_H
#define WINORD_HOST_H

#include "bench/fabric/comm.h"
#include "bench/fabric/engine.h"
#include "bench/fabric/faults.h"
#include "bench/fabric/ingress.h"
#include "bench/fabric/pool.h"
#include "bench/fabric/random.h"
#include "bench/fabric/watches.h"

enum {
  NETWORK_NS = 500, /* one way */
  ROUND_TRIP_NS = 1000,
  READ_NS = 150, /* from posting to the first byte read, and between the NIC's read and its answer */
  CONGESTED_ONE_IN = 64, /* arrivals that take longer, by up to 2^13 ns */
  RMW_BUCKETS = 64,
  INGRESSES = 2 /* the second is for a fault */
};

/* A signal's word in memory, and what arrives there. */
struct target {
  uint64_t *word;
  uint64_t add;
  bool relaxed;
};

struct send_queue;

enum op_kind { OP_PUT, OP_SIGNAL, OP_FLUSH };

/* What was posted on a queue. It lives until it was sent, acknowledged and taken off the queue. */
struct op {
  struct send_queue *queue;
  struct op *next; /* on the queue, until acknowledged in order */
  struct op *unsent; /* the next to be read */
  enum op_kind kind;
  bool has_signal, alone; /* alone: not in the network's order with what was posted earlier */
  bool sent, acked, off;
  bool early; /* acknowledged by the clock, a fault */
  bool dropped; /* a fault */
  const uint8_t *from;
  const struct ncclWindow_vidmem *window;
  size_t offset, bytes, done;
  uint64_t delay; /* of its first read */
  uint64_t acked_at; /* when it is acknowledged, where nobody is to be told then; 0: not known, or an event tells */
  uint64_t escape; /* a fault: its payload comes so much later than its turn */
  uint64_t arrived; /* its latest packet */
  struct target target;
  fabric_actor *actor; /* local completion; flushed */
  void *user;
};

/* Of a source and a context: what was posted, in order. */
struct send_queue {
  struct fabric *fabric;
  struct op *first, *last; /* not yet acknowledged, or behind such */
  struct op *sending, *last_unsent;
  unsigned flushes; /* among those */
  uint64_t arrived; /* its latest packet in the network's order */
};

/* A piece of a put's payload. */
struct packet {
  struct fabric *fabric;
  struct op *last_of; /* acknowledged when this one arrives; NULL: not yet the last */
  uint8_t *to;
  uint32_t bytes;
  bool relaxed, passed, lost, half;
  uint64_t escape; /* later than its turn by so much, and out of order; 0: no */
  uint8_t data[];
};

/* A signal at the receiver's NIC. */
struct arriving {
  struct fabric *fabric;
  struct arriving *next; /* that wants the same NIC unit */
  struct op *op; /* acknowledged when done; NULL: nobody waits */
  struct target target;
  uint64_t value; /* read */
  unsigned step;
  bool passed, again;
};

struct fabric {
  struct engine engine;
  struct random random;
  struct faults faults;
  struct ingress_rules rules;
  struct ingress ingress[INGRESSES];
  struct watches watches;
  struct pool ops, packets, signals;
  struct fabric_counts counts;
  struct ncclComm *receiver;
  struct send_queue *queues; /* source times FABRIC_CONTEXTS, context */
  struct step steps[2][SIGNAL_STEPS_MAX]; /* of a signal, by its RO */
  unsigned step_count;
  unsigned tlp_bytes, jitter_ns, link_ns;
  unsigned background; /* TLPs of others; all of them are always on their way */
  bool failed; /* out of memory where nobody could be told */
  bool was_reset; /* fault */
  uint8_t *latest_payload; /* fault */
  struct arriving *rmw[RMW_BUCKETS]; /* read-modify-writes, those of one word one after the other */
  uint64_t signals_memory[FABRIC_SIGNALS];
};

/* host.c: fabricOpen by another table than PCIe's. */
struct fabric *fabric_open_by(const struct ordering *table, struct ncclComm *receiver,
                              const struct fabric_settings *settings);

/* Time. A failure is kept. */
void host_at(struct fabric *fabric, uint64_t time, fabric_actor *actor, void *user);

/* When a packet that is sent now arrives, without regard to others. */
uint64_t host_arrival(struct fabric *fabric);

/* A TLP of ours enters the path, now. */
struct passage host_enter(struct fabric *fabric, enum tlp_kind kind, bool relaxed);

/* sender.c: the op, if any, will be acknowledged then; its actor runs, and those of the flushes that wait for it alone. */
void op_acknowledge_at(struct op *op, uint64_t time);

/* Appends an op. */
void queue_post(struct send_queue *queue, struct op *op);

/* receiver.c: what arrives at the receiver's NIC. */
void packet_arrives(void *packet);
void signal_arrives(void *arriving);

#endif
