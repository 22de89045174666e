/* The floor of the hunter's lanes: what one writes by hand to send a payload, say so, and be told that it came. */
#include <nccl_device.h>

#include "bench/gpu/kernels.h"
#include "bench/stress/gpu/lanes.cuh"

namespace {

constexpr uint64_t LIMIT_NS = 2000000000ULL;

__device__ void store_flag(void *at, uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

__device__ void store_payload(char *to, unsigned words, unsigned round) {
  for (unsigned i = threadIdx.x; 2 * i < words; i += blockDim.x)
    asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(to + 16 * i), "l"((uint64_t)round + i),
                 "l"(~(uint64_t)round + i)
                 : "memory");
}

/* False: it took too long. The clock is read seldom, so that a short wait stays short. */
__device__ bool hear(const char *at, uint64_t value) {
  uint64_t since = 0;
  for (unsigned spins = 1; winord::load_acquire(at) != value; spins++)
    if (!(spins & 255)) {
      const uint64_t now = winord::now_ns();
      since = since ? since : now;
      if (now - since > LIMIT_NS)
        return false;
    }
  return true;
}

struct ends {
  const loop &of;
  char *own, *peer;

  __device__ uint64_t word(unsigned round) const { return (uint64_t)of.tag << TAG_SHIFT | round; }

  /* One thread at each end, nothing but flags. */
  __device__ bool flag_round(unsigned round) const {
    if (!of.receiving)
      store_flag(peer + of.flag, word(round));
    const bool heard = hear(own + (of.receiving ? of.flag : of.back), word(round));
    if (of.receiving)
      store_flag(peer + of.back, word(round));
    return heard;
  }

  __device__ void say(bool with_payload, uint64_t flag, unsigned round) const {
    if (with_payload)
      store_payload(peer + of.payload, of.words, round);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence_system();
      store_flag(peer + flag, word(round));
    }
  }

  __device__ bool heard(uint64_t flag, unsigned round) const {
    return __syncthreads_and(threadIdx.x != 0 || hear(own + flag, word(round)));
  }

  __device__ bool put_round(unsigned round) const {
    if (!of.receiving) {
      say(true, of.flag, round);
      return heard(of.back, round);
    }
    const bool came = heard(of.flag, round);
    say(of.style == LOOP_PUT_BOTH, of.back, round);
    return came;
  }
};

__global__ void __launch_bounds__(CTA_THREADS) loop_by_hand(ncclWindow_t window, loop of) {
  const ends ends{of, (char *)ncclGetLocalPointer(window, 0), (char *)ncclGetPeerPointer(window, 0, (int)of.peer)};
  if (of.style == LOOP_FLAG && threadIdx.x != 0)
    return;
  const uint64_t begun = winord::now_ns();
  bool good = true;
  for (unsigned round = 1; good && round <= of.rounds; round++)
    good = of.style == LOOP_FLAG ? ends.flag_round(round) : ends.put_round(round);
  if (threadIdx.x != 0)
    return;
  if (of.receiving) {
    of.stamp->begun = begun;
    of.stamp->ended = winord::now_ns();
  }
  if (!good)
    of.stamp->hung = 1;
}

} // namespace

extern "C" int loop_launch(void *window, const struct loop *loop, void *stream) {
  loop_by_hand<<<1, CTA_THREADS, 0, (cudaStream_t)stream>>>((ncclWindow_t)window, *loop);
  return (int)cudaGetLastError();
}
