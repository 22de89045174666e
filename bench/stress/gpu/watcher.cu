/* The ends of host RMA: CTAs that fill, release and look, while the streams of their ranks put, signal and wait. */
#include "bench/stress/gpu/lanes.cuh"
#include "bench/stress/gpu/rma.h"

namespace winord {

/* Most that a signal goes ahead of its put, where it is sent first. */
enum { HEAD_START_NS = 20000 };

struct rma_net {
  static constexpr bool has_source = true;
  const arguments &all;
  char *const window;
  unsigned released; /* of thread 0: calls that the stream may make */
  unsigned told; /* of each thread: rounds, and what their signals would have added */
  uint64_t sum;

  __device__ rma_net(const arguments &arguments_, char *window_)
      : all(arguments_), window(window_), released(0), told(0), sum(0) {}

  __device__ void write(uint64_t at, uint64_t value) const {
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(window + at), "l"(value) : "memory");
  }

  __device__ uint64_t tagged(uint64_t count) const { return (uint64_t)all.how.tag << TAG_SHIFT | count; }

  __device__ void release(const end &lane) { write(rma_released(&lane), tagged(++released)); }

  __device__ void put(const end &lane, uint64_t, uint64_t, unsigned, uint64_t, unsigned round, unsigned) {
    if (threadIdx.x != 0)
      return;
    if (all.how.shape == SHAPE_SIGNAL_FIRST)
      pause_ns(seed_of(lane.seed, round) % HEAD_START_NS);
    release(lane);
  }

  __device__ void signal(const end &lane, unsigned, uint64_t) { release(lane); }

  __device__ void begin(const end &, uint64_t) const {} /* its receiver waits for ever */

  __device__ void flag(const end &, uint64_t, bool) const {} /* no call of host RMA does it */

  /* A receiver's is how far it has looked. A sender's is its last: stopped or not, it holds up the stream no more. */
  __device__ void word(unsigned, unsigned, uint64_t, uint64_t value) const {
    const end &lane = all.ends[blockIdx.x];
    if (lane.receiving)
      write(rma_looked(&lane), value);
    else
      write(rma_released(&lane), tagged(0xffffffff));
  }

  __device__ void completed(const end &lane, unsigned puts) const {
    wait patience(all, blockIdx.x);
    while (load_acquire(window + rma_completed(&lane)) < tagged(puts))
      if (!patience.goes_on(WAIT_COMPLETION, puts, 0))
        return;
  }

  __device__ void flush(const end &) const {}

  __device__ uint64_t value(const end &lane) {
    const uint64_t word = load_acquire(window + rma_told(&lane));
    const unsigned rounds = word >> TAG_SHIFT == all.how.tag ? (unsigned)word : 0;
    while (told < rounds)
      sum += add_of(lane, told++);
    return sum;
  }
};

__global__ void __launch_bounds__(CTA_THREADS, 1) rma_block(const __grid_constant__ arguments all, char *window) {
  rma_net net(all, window);
  run_end(all, window, net);
}

} // namespace winord

/* A signal that does not come holds up its receiver's stream for good, and then all others: nobody gives one up. */
extern "C" int rma_launch(void *memory, const struct launch_of_block *launch, void *stream) {
  winord::arguments all = winord::arguments_of(launch);
  all.how.lost_ns = 0;
  winord::rma_block<<<launch->ends, CTA_THREADS, 0, (cudaStream_t)stream>>>(all, (char *)memory);
  return (int)cudaGetLastError();
}

extern "C" int rma_capacity(void) { return winord::capacity_of((const void *)winord::rma_block); }
