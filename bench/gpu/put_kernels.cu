/* Puts between all ranks of a pattern, by GIN and by stores over NVLink, and what fills and checks their payload. */
#include <nccl_device.h>

#include "bench/gpu/kernels.h"
#include "bench/stress/gpu/lanes.cuh"

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 7)
#define SIGNAL_INC ncclGin_StrongSignalInc
#else
#define SIGNAL_INC ncclGin_SignalInc
#endif

namespace {

constexpr uint64_t LIMIT_NS = 3000000000ULL;
constexpr int STORES = 8; /* 16-byte words of a thread in flight */

using winord::load_acquire;
using winord::now_ns;

__device__ void arrive(void *at) {
  asm volatile("red.release.sys.global.add.u64 [%0], %1;" ::"l"(at), "l"(1ULL) : "memory");
}

/* False: it took too long. The clock is read seldom, so that a short wait stays short. */
template <typename Condition> __device__ bool wait_until(Condition holds) {
  uint64_t since = 0;
  for (unsigned spins = 1; !holds(); spins++)
    if (!(spins & 255)) {
      const uint64_t now = now_ns();
      since = since ? since : now;
      if (now - since > LIMIT_NS)
        return false;
    }
  return true;
}

__device__ bool pass(const gate &gate, unsigned serial, unsigned slot) {
  gate.ready[slot] = serial;
  return wait_until([&] { return *gate.go == serial; });
}

/* The whole CTA; true: go. */
__device__ bool pass_together(const put_work &work) {
  __shared__ bool open;
  __syncthreads();
  if (threadIdx.x == 0)
    open = pass(work.gate, work.serial, blockIdx.x);
  __syncthreads();
  return open;
}

__device__ bool has(uint64_t ranks, unsigned rank) { return ranks >> rank & 1; }

__device__ uint64_t slot_at(const put_work &work, unsigned source) { return source * work.largest; }
__device__ uint64_t source_at(const put_work &work) { return work.ranks * work.largest; }
__device__ uint64_t arrivals_at(const put_work &work, unsigned source) {
  return (2ULL * work.ranks + 1) * work.largest + source * LINE_BYTES;
}

/* Calls act(target) for each, beginning after the own rank, so that not all begin with the same. */
template <typename Act> __device__ void for_targets(const put_work &work, Act act) {
  for (unsigned step = 0; step < work.ranks; step++) {
    const unsigned target = (work.rank + 1 + step) % work.ranks;
    if (has(work.targets, target))
      act(target);
  }
}

struct stripe {
  uint64_t first, last; /* 16-byte words */
};

__device__ stripe stripe_of(const put_work &work, unsigned part) {
  const uint64_t units = work.bytes / 16;
  return stripe{units * part / work.senders, units * (part + 1) / work.senders};
}

__device__ void copy_stripe(uint4 *to, const uint4 *from, stripe part) {
  uint64_t i = part.first + threadIdx.x;
  for (; i + (STORES - 1) * PUT_THREADS < part.last; i += STORES * PUT_THREADS) {
    uint4 words[STORES];
#pragma unroll
    for (int k = 0; k < STORES; k++)
      words[k] = from[i + k * PUT_THREADS];
#pragma unroll
    for (int k = 0; k < STORES; k++)
      to[i + k * PUT_THREADS] = words[k];
  }
  for (; i < part.last; i += PUT_THREADS)
    to[i] = from[i];
}

__device__ void stamp_slot(const put_work &work, uint64_t begun, bool hung) {
  volatile stamp &stamp = work.gate.stamps[blockIdx.x];
  stamp.begun = begun;
  stamp.ended = now_ns();
  stamp.hung = hung;
}

/* A thread for each source; count(source): its arrivals so far, of which `each` are awaited. */
template <typename Count> __device__ void receive(const put_work &work, unsigned each, Count count) {
  const bool mine = threadIdx.x < work.ranks && has(work.sources, threadIdx.x);
  const uint64_t before = mine ? count(threadIdx.x) : 0;
  const bool open = pass_together(work);
  const uint64_t begun = now_ns();
  const bool came = open && (!mine || wait_until([&] { return count(threadIdx.x) - before >= each; }));
  const bool all = __syncthreads_and(came);
  if (threadIdx.x == 0)
    stamp_slot(work, begun, !all);
}

__global__ void __launch_bounds__(PUT_THREADS) lsa_put(ncclWindow_t window, put_work work) {
  char *own = (char *)ncclGetLocalPointer(window, 0);
  if (blockIdx.x >= work.senders) {
    receive(work, work.senders, [&](unsigned source) { return load_acquire(own + arrivals_at(work, source)); });
    return;
  }
  if (!pass_together(work))
    return;
  for_targets(work, [&](unsigned target) {
    char *peer = (char *)ncclGetPeerPointer(window, 0, (int)target);
    copy_stripe((uint4 *)(peer + slot_at(work, work.rank)), (const uint4 *)(own + source_at(work)),
                stripe_of(work, blockIdx.x));
    __syncthreads();
    if (threadIdx.x == 0)
      arrive(peer + arrivals_at(work, work.rank));
  });
}

__global__ void __launch_bounds__(PUT_THREADS) gin_put(const __grid_constant__ ncclDevComm comm, ncclWindow_t window,
                                                       put_work work) {
  const unsigned context = blockIdx.x % work.senders;
  const ncclGin gin(comm, (int)context);
  if (blockIdx.x >= work.senders) {
    receive(work, 1, [&](unsigned source) { return gin.readSignal(source * GIN_SENDERS + context); });
    return;
  }
  if (!pass_together(work) || threadIdx.x != 0)
    return;
  const stripe part = stripe_of(work, context);
  for_targets(work, [&](unsigned target) {
    gin.put(ncclTeamWorld(comm), (int)target, window, slot_at(work, work.rank) + 16 * part.first, window,
            source_at(work) + 16 * part.first, 16 * (part.last - part.first),
            SIGNAL_INC{work.rank * GIN_SENDERS + context});
  });
}

__global__ void gate_alone(put_work work, unsigned slot) {
  volatile stamp &stamp = work.gate.stamps[slot];
  stamp.hung = !pass(work.gate, work.serial, slot);
  stamp.begun = now_ns();
}

__global__ void stamp_alone(put_work work, unsigned slot) { work.gate.stamps[slot].ended = now_ns(); }

__global__ void fill_payload(uint64_t *memory, uint64_t words, uint64_t seed, uint64_t packed) {
  for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < words; i += (uint64_t)gridDim.x * blockDim.x)
    memory[i] = code_mix(seed, packed + i);
}

__global__ void check_payload(const uint64_t *memory, uint64_t words, uint64_t seed, uint64_t packed,
                              unsigned long long *wrong) {
  unsigned long long mine = 0;
  for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < words; i += (uint64_t)gridDim.x * blockDim.x)
    mine += memory[i] != code_mix(seed, packed + i);
  if (mine)
    atomicAdd(wrong, mine);
}

unsigned grid_of(uint64_t words) {
  const uint64_t blocks = (words + PUT_THREADS - 1) / PUT_THREADS;
  return blocks < 256 ? (unsigned)blocks : 256;
}

} // namespace

extern "C" int lsa_put_launch(void *window, const struct put_work *work, void *stream) {
  lsa_put<<<work->senders + 1, PUT_THREADS, 0, (cudaStream_t)stream>>>((ncclWindow_t)window, *work);
  return (int)cudaGetLastError();
}

extern "C" int gin_put_launch(const void *comm, void *window, const struct put_work *work, void *stream) {
  gin_put<<<2 * work->senders, PUT_THREADS, 0, (cudaStream_t)stream>>>(*(const ncclDevComm *)comm,
                                                                       (ncclWindow_t)window, *work);
  return (int)cudaGetLastError();
}

extern "C" unsigned gin_put_contexts(const void *comm) { return ((const ncclDevComm *)comm)->ginContextCount; }

extern "C" int gate_launch(const struct put_work *work, unsigned slot, void *stream) {
  gate_alone<<<1, 1, 0, (cudaStream_t)stream>>>(*work, slot);
  return (int)cudaGetLastError();
}

extern "C" int stamp_launch(const struct put_work *work, unsigned slot, void *stream) {
  stamp_alone<<<1, 1, 0, (cudaStream_t)stream>>>(*work, slot);
  return (int)cudaGetLastError();
}

extern "C" int fill_launch(void *memory, uint64_t words, uint64_t seed, uint64_t packed, void *stream) {
  fill_payload<<<grid_of(words), PUT_THREADS, 0, (cudaStream_t)stream>>>((uint64_t *)memory, words, seed, packed);
  return (int)cudaGetLastError();
}

extern "C" int check_launch(const void *memory, uint64_t words, uint64_t seed, uint64_t packed,
                            unsigned long long *wrong, void *stream) {
  check_payload<<<grid_of(words), PUT_THREADS, 0, (cudaStream_t)stream>>>((const uint64_t *)memory, words, seed, packed,
                                                                          wrong);
  return (int)cudaGetLastError();
}

extern "C" int puts_load(void) {
  const void *const kernels[] = {(const void *)lsa_put,     (const void *)gin_put,      (const void *)gate_alone,
                                 (const void *)stamp_alone, (const void *)fill_payload, (const void *)check_payload};
  for (const void *kernel : kernels) {
    cudaFuncAttributes attributes;
    const cudaError_t result = cudaFuncGetAttributes(&attributes, kernel);
    if (result != cudaSuccess)
      return (int)result;
  }
  return 0;
}
