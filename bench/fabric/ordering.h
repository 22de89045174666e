/*
 * PCIe transaction ordering as a pure function, and what a NIC sends when it signals. No state, no I/O, safe in any thread.
 * The rules are Table 2-40 of the PCIe Base Specification 5.0 (Table 2-34 in 3.0), for TLPs of one traffic class: docs/why.md
 * tells what they mean for a put and its signal, and what they leave out.
 */
#ifndef WINORD_ORDERING_H
#define WINORD_ORDERING_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of the table: rows A to D, columns 2 to 5. */
enum tlp_kind {
  TLP_WRITE, /* posted request: memory write */
  TLP_READ, /* non-posted: memory read, of zero bytes too */
  TLP_ATOMIC, /* non-posted with data: AtomicOp */
  TLP_COMPLETION, /* of a read or an AtomicOp */
  TLP_KINDS
};

struct tlp {
  enum tlp_kind kind;
  bool relaxed; /* attribute RO */
  bool id_ordered; /* attribute IDO */
  uint16_t id; /* Requester ID; in a completion the Completer ID */
  uint32_t transaction; /* in a completion: which request it answers; elsewhere not looked at */
};

enum answer { PASS_NO, PASS_MAY, PASS_YES };

/* When a cell's answer applies: the table's row a, and what its row b adds. */
enum clause { ALWAYS, WHEN_RELAXED, WHEN_OTHER_ID, WHEN_SAME_TRANSACTION, CLAUSES };

struct ordering_cell {
  const char *name; /* the specification's, with the attribute where row b names two: A2b-RO; NULL: not in the table */
  enum answer answer; /* yes: must be able to pass, or the fabric could deadlock; may: an implementation is free */
};

struct ordering {
  struct ordering_cell cells[TLP_KINDS][TLP_KINDS][CLAUSES]; /* trailing, earlier, clause */
};

extern const struct ordering pcie_ordering;

/*
 * Whether trailing, sent later in the same direction and traffic class, may arrive before earlier. Of the clauses that hold
 * for the two, the last one stated decides. Yes and may are one here: a fabric of ours may do whatever it is allowed to.
 * Of the attributes only those of trailing count: a signal's own registration matters, its payload's does not.
 */
bool may_pass(struct tlp trailing, struct tlp earlier);

/* The same by another table than PCIe's: for tests that break a cell. */
bool may_pass_by(const struct ordering *table, struct tlp trailing, struct tlp earlier);

/* How the receiver learns that the payload is there. */
enum signal_engine {
  SIGNAL_WRITE, /* a plain write: a put as a flag, an inline value */
  SIGNAL_ATOMIC, /* PCI_ATOMIC_MODE 1 to 4: one AtomicOp on PCIe */
  SIGNAL_RMW, /* PCI_ATOMIC_MODE 0: the NIC reads, adds, and writes */
  SIGNAL_FLUSH_WRITE, /* a strict zero-byte read, its completion, then a plain write */
  SIGNAL_FLUSH_ATOMIC, /* a strict zero-byte read, its completion, then an AtomicOp */
  SIGNAL_FLUSH, /* a read whose completion the host passes on, as after a GPUDirect flush */
  SIGNAL_COMPLETION, /* the answer to the host's read of a NIC register */
  SIGNAL_ENGINES
};

enum { SIGNAL_STEPS_MAX = 2 };

/* One TLP to be sent, in program order, but not before the completion of step `after` has come back (-1: no wait). */
struct step {
  struct tlp tlp;
  int after;
};

/* What carries out an RDMA fetch-add at this PCI_ATOMIC_MODE (0 to 4; source: mstflint's enum of it). */
enum signal_engine atomic_engine(unsigned pci_atomic_mode);

/*
 * Fills steps[first] and on with the TLPs of one signal; how many (1 to SIGNAL_STEPS_MAX). The last is the one the receiver
 * sees. They have the attributes of signal (its kind is not looked at); but a flush read sent ahead of it carries no RO.
 */
unsigned signal_steps(enum signal_engine engine, struct tlp signal, unsigned first, struct step steps[]);

/* Fills steps with `puts` payload TLPs, all alike and without waits, and the signal behind them; how many there are. */
unsigned put_then_signal(struct tlp payload, unsigned puts, enum signal_engine engine, struct tlp signal,
                         struct step steps[]);

#endif
