/*
 * A PCIe path from the NIC to memory. TLPs enter one after the other and are delivered in that order, except that one which
 * may pass earlier ones does so with a given probability. What makes them wait, and so lets others pass, is that now and then
 * one is held up (a translation to be fetched, credits, a busy completer); those which may not pass queue behind it.
 */
#ifndef WINORD_INGRESS_H
#define WINORD_INGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/fabric/ordering.h"
#include "bench/fabric/random.h"

enum {
  MEMORY_NS = 100, /* from entering to delivery, unhindered */
  HOLD_FIRST = 4,
  HOLD_LAST = 13, /* a hold takes 2^4 ns to 2^13 - 1 ns */
  HELD_ONE_IN = 8 /* TLPs */
};

/* What all paths of a host share. */
struct ingress_rules {
  bool may_pass[TLP_KINDS][2][TLP_KINDS]; /* trailing and its RO, earlier; IDO is never set */
  uint64_t reorder; /* probability, times 2^32 */
  uint64_t link_ns;
};

/* All zero: idle. */
struct ingress {
  uint64_t free; /* when the next TLP can enter */
  uint64_t last[TLP_KINDS]; /* delivery of the latest of each kind */
};

struct passage {
  uint64_t entry, delivery;
  bool passed; /* one that entered earlier */
};

/* reorder: 0 to 1. */
void ingress_rules_set(struct ingress_rules *rules, const struct ordering *table, double reorder, uint64_t link_ns);

/* A TLP reaches the path now. */
struct passage ingress_enter(struct ingress *ingress, const struct ingress_rules *rules, struct random *random,
                             uint64_t now, enum tlp_kind kind, bool relaxed);

#endif
