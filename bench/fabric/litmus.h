/* Litmus programs for the ordering rules, and an explorer that tries everything the rules allow. No state, no I/O. */
#ifndef WINORD_LITMUS_H
#define WINORD_LITMUS_H

#include "bench/fabric/ordering.h"

enum { LITMUS_PUTS_MAX = 3, LITMUS_STEPS_MAX = LITMUS_PUTS_MAX + SIGNAL_STEPS_MAX, LITMUS_ROWS = 55 };

/*
 * A program: `puts` payload TLPs, alike, then a signal. The payload of a put is written; the rows whose payload is of another
 * kind ask the same of what a NIC does beside puts: does the announcement overtake a read, an AtomicOp, a completion?
 */
struct litmus {
  struct tlp payload, signal; /* signal: its attributes, the kind is the engine's */
  enum signal_engine engine;
};

/*
 * The programs, which together exercise every cell of the table. Payload written, for each engine: payload and signal strict
 * and relaxed, then a signal with IDO, from the same requester and from another. Then each other pair of kinds.
 */
void litmus_rows(struct litmus rows[LITMUS_ROWS]);

/*
 * Whether some execution lets the receiver see the signal while one of the `puts` (1 to LITMUS_PUTS_MAX) is not there yet:
 * "Sometimes", else "Never". Steps are issued in program order; one that was issued arrives when it may pass, by table, each
 * earlier one that has not; the completion of a read or an AtomicOp comes back at any time after it arrived.
 */
bool litmus_early(const struct ordering *table, const struct litmus *litmus, unsigned puts);

#endif
