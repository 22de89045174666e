/*
 * What the host tells a kernel about a block, and what it gets back. A lane is a sender and its receiver; each of its two ends is
 * one CTA of the kernel of its rank. Plain data, the same in C and CUDA C++.
 */
#ifndef WINORD_GPU_LANES_H
#define WINORD_GPU_LANES_H

#include <stdint.h>

#include "bench/stress/code.h"
#include "bench/stress/scenario.h"

enum {
  LANES_OF_PAIR = 16, /* most lanes from one rank to another */
  LANES_OF_RECEIVER = 16, /* as many, and more only where more ranks send */
  LANES_OF_SENDER = 32,
  DEPTH_MAX = 8,
  UNIT_BYTES = 128,
  LINE_BYTES = 128, /* a word that is polled has a line of its own */
  ADD_MAX = 4096,
  CTA_THREADS = 128
};

/* One end of a lane. Offsets are in bytes from the start of a window. */
struct end {
  unsigned receiving; /* 0: it sends */
  unsigned peer; /* rank at the other end */
  unsigned number; /* of the lane at its receiver: index of its signal */
  unsigned counter; /* of the lane at its sender: index of its counter */
  unsigned context; /* any number; the backend takes it modulo what there is */
  unsigned quota, words; /* rounds; words of a round's payload */
  uint64_t slots, stride; /* in the receiver's window: of slot 0, and from slot to slot */
  uint64_t source; /* in the sender's window: of the source memory of slot 0; same stride */
  uint64_t signal; /* in the receiver's window: the VA signal, or the flag */
  uint64_t ack; /* in the sender's window: how far the receiver has looked */
  uint64_t final; /* in the receiver's window: how many rounds the sender posted, when it has ended */
  uint64_t seed; /* of the payload */
  struct origin origin; /* source, context, slot: round and index 0 */
};

/* What a word at ack or final says: the block's tag in the upper half, a count in the lower; its top bit instead of a count. */
enum { TAG_SHIFT = 32 };
#define COUNT_MASK 0x7fffffffULL
#define GIVE_UP 0x80000000ULL /* the receiver's */
#define HERE 0x80000000ULL /* the sender's: it has begun */

struct stress {
  enum shape shape;
  enum reuse reuse;
  enum looked_at look;
  unsigned va, strong, depth;
  unsigned tag; /* of the block; counts up */
  unsigned gap_ns; /* most that a sender pauses before a round, and between a put and its signal */
  unsigned start_ns; /* most that an end waits before it begins */
  unsigned check; /* 0: the receiver does not look at the payload: what checking costs */
  uint64_t heal_ns; /* what has not healed by then does not */
  uint64_t lost_ns; /* a signal that has not come by then, though its sender is here, does not; 0: it is waited for */
};

/* One try that was not in order. */
struct event {
  unsigned outcome, round;
  unsigned wrong; /* words, at the first look */
  unsigned got_source, got_context, got_slot, got_round, got_index, want_index;
  unsigned padding;
  uint64_t seen_ns, late_ns; /* of the GPU's global timer: since the block began at this end; until it healed, or 0 */
};

/* What an end has done. Written by its CTA alone. */
struct tally {
  unsigned rounds; /* posted, or looked at: whole tries */
  unsigned lost; /* receiver: rounds posted whose signal never came */
  unsigned events; /* receiver: how many of its events are filled in */
  unsigned wrong_at_end; /* receiver: what a check after the run finds */
  unsigned gave_up; /* not all rounds could be run */
  unsigned fast_looks;
  uint64_t ns; /* from beginning to end */
};

/* What an end waits for, told to the host while it waits; a word that the host reads at any time. */
enum waiting { WAIT_NOTHING, WAIT_RECEIVER, WAIT_SIGNAL, WAIT_POSTING, WAIT_COMPLETION, WAIT_FLUSH };

#endif
