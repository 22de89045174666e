/* Loads and stores over NVLink (LSA): the put is a store by each thread, the signal an atomic add with or without an order. */
#include <nccl_device.h>

#include "bench/stress/gpu/kernels.h"
#include "bench/stress/gpu/lanes.cuh"

namespace winord {

__device__ __forceinline__ void add_release(void *at, uint64_t value) {
  asm volatile("red.release.sys.global.add.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

__device__ __forceinline__ void add_relaxed(void *at, uint64_t value) {
  asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

__device__ __forceinline__ void store_relaxed(void *at, uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

__device__ __forceinline__ void store_release(void *at, uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

__device__ __forceinline__ void store_two(void *at, uint64_t first, uint64_t second) {
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(at), "l"(first), "l"(second) : "memory");
}

/* 16 bytes at once, as the PTX ISA promises of type b128 (8.3 and later, sm_70 and later); a vector of two words has no such promise. */
__device__ __forceinline__ void store_unit(void *at, uint64_t first, uint64_t second) {
  const unsigned __int128 both = (unsigned __int128)second << 64 | first;
  asm volatile("st.relaxed.sys.global.b128 [%0], %1;" ::"l"(at), "q"(both) : "memory");
}

__device__ __forceinline__ void load_unit(const void *at, uint64_t *first, uint64_t *second) {
  unsigned __int128 both;
  asm volatile("ld.relaxed.sys.global.b128 %0, [%1];" : "=q"(both) : "l"(at) : "memory");
  *first = (uint64_t)both;
  *second = (uint64_t)(both >> 64);
}

/* Payload words are made where they are sent from: registers. */
struct lsa_net {
  static constexpr bool has_source = false;
  char *const local;
  char *const peer; /* the window of the rank at the other end */

  __device__ lsa_net(ncclWindow_t window, char *local_, const arguments &all)
      : local(local_), peer((char *)ncclGetPeerPointer(window, 0, (int)all.ends[blockIdx.x].peer)) {}

  __device__ void put(const end &lane, uint64_t to, uint64_t, unsigned bytes, uint64_t add, unsigned round,
                      unsigned first) const {
    const uint64_t packed = packed_of(lane, round) + first;
    uint64_t *memory = (uint64_t *)(peer + to);
    const unsigned words = bytes / 8, odd = (unsigned)((uintptr_t)memory / 8 % 2), pairs = (words - odd) / 2;
    if (odd && threadIdx.x == 0)
      memory[0] = code_mix(lane.seed, packed);
    for (unsigned i = threadIdx.x; i < pairs; i += blockDim.x) {
      const unsigned at = odd + 2 * i;
      store_two(memory + at, code_mix(lane.seed, packed + at), code_mix(lane.seed, packed + at + 1));
    }
    if (odd + 2 * pairs < words && threadIdx.x == 0)
      memory[words - 1] = code_mix(lane.seed, packed + words - 1);
    __syncthreads();
    if (add && threadIdx.x == 0)
      add_release(peer + lane.signal, add);
  }

  __device__ void signal(const end &lane, unsigned, uint64_t add) const {
    __threadfence_system();
    add_relaxed(peer + lane.signal, add);
  }

  __device__ void word(unsigned, unsigned, uint64_t to, uint64_t value) const { store_release(peer + to, value); }

  __device__ void begin(const end &lane, uint64_t value) const { word(lane.peer, lane.context, lane.final, value); }

  __device__ void flag(const end &lane, uint64_t value, bool) const { store_relaxed(peer + lane.signal, value); }

  __device__ void completed(const end &, unsigned) const {}

  __device__ void flush(const end &) const { __threadfence_system(); }

  __device__ uint64_t value(const end &lane) const { return load_acquire(local + lane.signal); }
};

/* 16 bytes by a thread, or 128 by 16 threads of a warp, as one instruction: the same round in all, or torn. */
struct units {
  const arguments &all;
  char *const window;
  const end lane;
  const bool by_16;
  uint64_t draws;

  __device__ units(const arguments &arguments_, char *window_)
      : all(arguments_), window(window_), lane(arguments_.ends[blockIdx.x]),
        by_16(arguments_.how.shape == SHAPE_UNITS_16), draws(0) {}

  __device__ unsigned count() const { return lane.words / (by_16 ? 2 : 16) ? lane.words / (by_16 ? 2 : 16) : 1; }

  /* A slot is aligned to a unit of 128 bytes but for the block's offset, which these do not take. */
  __device__ uint64_t at() const { return lane.slots / UNIT_BYTES * UNIT_BYTES; }

  __device__ void send(char *peer) {
    __shared__ bool over;
    uint64_t *memory = (uint64_t *)(peer + at());
    for (unsigned round = 0;; round++) {
      const uint64_t packed = packed_of(lane, round);
      if (by_16)
        for (unsigned i = threadIdx.x; i < count(); i += blockDim.x)
          store_unit(memory + 2 * i, code_mix(lane.seed, packed + 2 * i), code_mix(lane.seed, packed + 2 * i + 1));
      else
        for (unsigned i = threadIdx.x; i < 16 * count(); i += blockDim.x)
          *(volatile uint64_t *)(memory + i) = code_mix(lane.seed, packed + i);
      if (threadIdx.x == 0)
        over = load_acquire(window + lane.ack) == ((uint64_t)all.how.tag << TAG_SHIFT | GIVE_UP) || *all.stop;
      __syncthreads();
      if (over)
        break;
      __syncthreads();
    }
  }

  __device__ bool looks_torn(const uint64_t *memory, unsigned *round) const {
    uint64_t first, second;
    const unsigned in_unit = threadIdx.x % 16;
    if (by_16)
      load_unit(memory, &first, &second);
    else {
      asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(first) : "l"(memory + in_unit) : "memory");
      second = __shfl_sync(0xffffffffu, first, (int)(threadIdx.x & 16));
    }
    const origin a = code_origin(lane.seed, first), b = code_origin(lane.seed, second);
    *round = a.round;
    return a.round != b.round;
  }

  /* Each thread, or each 16, looks at a unit of its own; the CTA's looks of one time are counted as one try each. */
  __device__ void look(char *peer) {
    tally &sum = all.tallies[blockIdx.x];
    const uint64_t began = now_ns();
    uint64_t *memory = (uint64_t *)(window + at());
    for (unsigned i = threadIdx.x; i < (by_16 ? 2 : 16) * count(); i += blockDim.x)
      memory[i] = code_mix(lane.seed, packed_of(lane, CODE_ROUNDS - 1) + i);
    __threadfence_system();
    __syncthreads();
    for (unsigned round = 0; round < lane.quota; round++) {
      const unsigned own = by_16 ? threadIdx.x : threadIdx.x / 16;
      const unsigned unit = (unsigned)((seed_of(lane.seed, draws++) + own) % count());
      unsigned of = 0;
      const bool torn = looks_torn(memory + unit * (by_16 ? 2 : 16), &of);
      const unsigned torn_ones = __syncthreads_count(torn);
      if (torn_ones && threadIdx.x == 0) {
        event &event = all.events[all.first_event[blockIdx.x] + sum.events++];
        event = {OUTCOME_TORN, round, torn_ones, lane.origin.source, lane.origin.context, lane.origin.slot, of, unit, unit, 0,
                 now_ns() - began, 0};
      }
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      sum.rounds = lane.quota;
      sum.ns = now_ns() - began;
      store_release(peer + lane.ack, (uint64_t)all.how.tag << TAG_SHIFT | GIVE_UP);
    }
  }
};

__global__ void __launch_bounds__(CTA_THREADS, 1) lsa_block(ncclWindow_t window, const __grid_constant__ arguments all) {
  char *const local = (char *)ncclGetLocalPointer(window, 0);
  lsa_net net(window, local, all);
  if (all.how.shape == SHAPE_UNITS_16 || all.how.shape == SHAPE_UNITS_128) {
    units them(all, local);
    if (all.ends[blockIdx.x].receiving)
      them.look(net.peer);
    else
      them.send(net.peer);
  } else
    run_end(all, local, net);
}

__global__ void read_timer(uint64_t *steps, unsigned count) {
  uint64_t least = ~0ULL, last = now_ns();
  for (unsigned i = 0; i < count;) {
    const uint64_t now = now_ns();
    if (now == last)
      continue;
    least = now - last < least ? now - last : least;
    last = now;
    i++;
  }
  *steps = least;
}

} // namespace winord

extern "C" int lsa_launch(const void *, void *window, const struct launch_of_block *launch, void *stream) {
  winord::lsa_block<<<launch->ends, CTA_THREADS, 0, (cudaStream_t)stream>>>((ncclWindow_t)window,
                                                                            winord::arguments_of(launch));
  return (int)cudaGetLastError();
}

extern "C" int lsa_capacity(void) { return winord::capacity_of((const void *)winord::lsa_block); }

extern "C" unsigned timer_resolution(void) {
  uint64_t *steps = NULL, result = 0;
  if (cudaMallocHost(&steps, sizeof *steps) != cudaSuccess)
    return 0;
  winord::read_timer<<<1, 1>>>(steps, 1000);
  if (cudaDeviceSynchronize() == cudaSuccess)
    result = *steps;
  cudaFreeHost(steps);
  return (unsigned)result;
}
