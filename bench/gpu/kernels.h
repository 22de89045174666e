/* The kernels of bench-gpu, as the host's C calls them. What CUDA answers, 0 is good. */
#ifndef WINORD_BENCH_GPU_KERNELS_H
#define WINORD_BENCH_GPU_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GATE_SLOTS = 72, /* CTAs of a rank that wait for the host */
  LSA_SENDERS = 32,
  GIN_SENDERS = 4, /* each on a context of its own, as far as there are so many */
  PUT_THREADS = 512
};

/* When a CTA began to wait for payload and when all had come, by its GPU's global timer, ns; hung: it gave up. */
struct stamp {
  uint64_t begun, ended;
  unsigned hung, padding;
};

/* The host's memory, mapped, of one rank: a CTA says ready[its slot] = serial, then waits for go == serial. */
struct gate {
  const volatile unsigned *go;
  volatile unsigned *ready;
  volatile struct stamp *stamps;
};

/*
 * A rank's part of one repetition. Its window: a slot of `largest` bytes for each source, the memory that it sends, as
 * many slots for staged copies, then a line with the arrivals of each source.
 */
struct put_work {
  unsigned rank, ranks, serial, senders;
  uint64_t targets, sources; /* a bit for each rank */
  uint64_t bytes, largest;
  struct gate gate;
};

/* senders CTAs send and one (lsa), or as many (gin), receive: slot senders and those after it hold the stamps. */
int lsa_put_launch(void *window, const struct put_work *work, void *stream);
int gin_put_launch(const void *comm, void *window, const struct put_work *work, void *stream);
unsigned gin_put_contexts(const void *comm);

/* One thread that waits at the gate in a slot, and writes when it went on; and one that writes the slot's end. */
int gate_launch(const struct put_work *work, unsigned slot, void *stream);
int stamp_launch(const struct put_work *work, unsigned slot, void *stream);

/* A source's payload: words of code_mix(seed, packed + i); and how many are not so, added to *wrong, on the GPU. */
int fill_launch(void *memory, uint64_t words, uint64_t seed, uint64_t packed, void *stream);
int check_launch(const void *memory, uint64_t words, uint64_t seed, uint64_t packed, unsigned long long *wrong,
                 void *stream);

/* A hand-written loop between two ranks, one CTA of CTA_THREADS at each. */
enum loop_style {
  LOOP_FLAG, /* a flag there and a flag back */
  LOOP_PUT, /* payload, fence, flag there; fence, flag back */
  LOOP_PUT_BOTH /* payload, fence, flag there and back */
};

struct loop {
  enum loop_style style;
  unsigned receiving, peer, rounds, words, tag; /* tag: no other loop in these windows has it */
  uint64_t payload, flag, back; /* where in the other's window: payload, its flag, and the answer's flag */
  volatile struct stamp *stamp; /* the receiver's loop; memory of the host, mapped */
};

int loop_launch(void *window, const struct loop *loop, void *stream);

/* Many payloads one after the other in memory, looked at by the oracle, or read and summed up. */
struct reading {
  const void *memory;
  unsigned words, payloads, ctas;
  uint64_t seed;
  unsigned long long *result; /* memory of the GPU; added to: wrong words, or the sum */
};

int verify_fill_launch(const struct reading *reading, void *stream);
int verify_look_launch(const struct reading *reading, void *stream);
int verify_sum_launch(const struct reading *reading, void *stream);

/* CTAs that look at once on this GPU; 0: an error. */
int verify_capacity(void);

/* Loads all kernels of puts on the current GPU: none can be loaded while another waits at the gate. */
int puts_load(void);

#ifdef __cplusplus
}
#endif
#endif
