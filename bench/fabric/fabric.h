/*
 * A receiving host in virtual time: its NIC, its PCIe path and its memory, as the simulated NCCL offers them to the hunter in
 * place of a GPU's kernels and a NIC. Everything happens in one thread, in the order of virtual time, drawn from one seed: the
 * same seed gives the same run. Payload is real: it is copied from the sources' window memory when the NIC reads it, and into the
 * receiver's window memory when the TLP is delivered, so that whoever looks between two TLPs sees what a GPU would.
 *
 * The functions are exported by the simulated libnccl.so.2 beside NCCL's own. Windows come from ncclCommWindowRegister, so a
 * preloaded shim decides the ordering as on hardware. Not thread-safe within one fabric; fabrics of different receivers are
 * independent and may run in different threads or processes.
 */
#ifndef WINORD_FABRIC_H
#define WINORD_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ncclComm;
struct ncclWindow_vidmem;

/* Where a signal lies and what it adds. */
struct fabric_signal {
  bool va; /* in a window (VA signal); else one of the receiver's indexed signals, in NCCL's own strict memory */
  bool strong; /* visible after all earlier puts of its context to this receiver; weak: after the put it came with */
  unsigned index; /* indexed: 0 to FABRIC_SIGNALS - 1 */
  struct ncclWindow_vidmem *window; /* VA: the receiver's window */
  size_t offset; /* VA: bytes, a multiple of 8 */
  uint64_t add;
};

enum { FABRIC_SIGNALS = 4096, FABRIC_CONTEXTS = 16 };

struct fabric_put {
  int source; /* rank that sends */
  int context; /* 0 to FABRIC_CONTEXTS - 1: one context's arrive at the NIC in order, but a weak signal takes its put ahead */
  struct ncclWindow_vidmem *to; /* the receiver's window */
  size_t to_offset; /* bytes */
  const void *from; /* source memory; must stay readable until source_done, or be what the test is about */
  size_t bytes; /* 1 to 2^31 */
  const struct fabric_signal *signal; /* fused with the put, or NULL; copied */
};

/* How the host and its traffic behave; a field that is zero has its default, in brackets. Times in virtual ns. */
struct fabric_settings {
  uint64_t seed;
  int pci_atomic_mode; /* 0 to 4 of the receiving NIC (from WINORD_FABRIC_MODE when that is set) */
  double reorder; /* probability that a TLP that may pass does; below 0: never [0.5] */
  unsigned tlp_bytes; /* maximum payload of a TLP: 64 to 4096, a power of two [256] */
  unsigned link_ns; /* time between two TLPs of one ingress path [10] */
  unsigned jitter_ns; /* uniform extra of each network arrival [200] */
  unsigned background; /* flows of unrelated relaxed TLPs, as load [0] */
};

typedef void fabric_actor(void *user);

struct fabric;

/*
 * Opens the receiving host of this communicator.
 * Faults to plant come from WINORD_FABRIC_FAULT (a name, faults.h), read here: the caller does not know them.
 * Returns NULL when memory runs out, settings are out of range, or no fault has that name; ncclGetLastError tells.
 */
struct fabric *fabricOpen(struct ncclComm *receiver, const struct fabric_settings *settings);
void fabricClose(struct fabric *fabric);

/* Virtual time, ns. */
uint64_t fabricNow(const struct fabric *fabric);

/* Calls actor(user) at this time (not before now); actors due at one time run in the order of their calls. */
void fabricAt(struct fabric *fabric, uint64_t time, fabric_actor *actor, void *user);

/*
 * Posts a put now. source_done(user), or NULL: called when the source says it is finished with the memory (local completion).
 * False: out of memory or out of the window.
 */
bool fabricPut(struct fabric *fabric, const struct fabric_put *put, fabric_actor *source_done, void *user);

/* Posts a signal of its own now, behind what this source posted on this context. */
bool fabricSignal(struct fabric *fabric, int source, int context, const struct fabric_signal *signal);

/*
 * Calls done(user) when everything this source posted on this context so far has been read from its memory and acknowledged by
 * the receiver's NIC (which says nothing of the receiver's memory).
 */
void fabricFlush(struct fabric *fabric, int source, int context, fabric_actor *done, void *user);

/* The signal's value as the receiver sees it now; 0 if there is no such signal. */
uint64_t fabricSignalValue(const struct fabric *fabric, const struct fabric_signal *signal);

/* Calls actor(user) once, right after the signal's value next changes, before anything else is delivered. */
void fabricWatch(struct fabric *fabric, const struct fabric_signal *signal, fabric_actor *actor, void *user);

/* Takes the next step (a delivery, an actor). False: nothing is left to happen, or memory ran out (ncclGetLastError). */
bool fabricStep(struct fabric *fabric);

/* What was delivered so far, and how much of it out of order. */
struct fabric_counts {
  uint64_t tlps, passed, signals;
};
struct fabric_counts fabricCounts(const struct fabric *fabric);

/* Whether the window was registered relaxed: what reached the transport. */
bool fabricWindowRelaxed(const struct ncclWindow_vidmem *window);

/* A fault that WINORD_FABRIC_FAULT can plant: its name, and what goes wrong. */
struct fabric_fault {
  const char *name, *what;
};

/* All of them, and how many. */
const struct fabric_fault *fabricFaults(size_t *count);

/* What the ranks of a communicator, threads or processes, have in common besides. */
enum { FABRIC_SHARED_BYTES = 65536 };

/*
 * Memory that all ranks of the communicator share, zero at first: FABRIC_SHARED_BYTES for each, rank r's at
 * r * FABRIC_SHARED_BYTES; *bytes gets the whole. It goes with the communicator.
 */
void *fabricShared(struct ncclComm *comm, size_t *bytes);

/*
 * Waits until all ranks of the communicator are here; each is a thread or a process of its own. 0: they are. Else 1 + the rank
 * that has ended, destroyed its communicator, or did not come within timeout_ms (below 0: no limit); ncclGetLastError says which
 * of these. An end is noticed within about 100 ms; do not use the communicator's barrier again after it.
 */
int fabricBarrier(struct ncclComm *comm, int timeout_ms);

#endif
