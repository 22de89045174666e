/* The oracle's look at payloads that lie in memory, and its floor: as many CTAs that read as many words. */
#include "bench/gpu/kernels.h"
#include "bench/stress/gpu/lanes.cuh"

namespace {

__device__ end lane_of(const reading &reading) {
  end lane = {};
  lane.words = reading.words;
  lane.seed = reading.seed;
  lane.origin.source = 1;
  return lane;
}

__device__ uint64_t *payload_of(const reading &reading, unsigned payload) {
  return (uint64_t *)reading.memory + (uint64_t)payload * reading.words;
}

__global__ void __launch_bounds__(CTA_THREADS) fill_all(reading reading) {
  const end lane = lane_of(reading);
  for (unsigned payload = blockIdx.x; payload < reading.payloads; payload += gridDim.x)
    winord::fill(lane, payload, payload_of(reading, payload));
}

__global__ void __launch_bounds__(CTA_THREADS) look_at_all(reading reading) {
  const end lane = lane_of(reading);
  winord::finding found;
  for (unsigned payload = blockIdx.x; payload < reading.payloads; payload += gridDim.x)
    if (!winord::look(lane, payload, payload_of(reading, payload), 0, reading.words, 0, &found) &&
        threadIdx.x == 0)
      atomicAdd(reading.result, (unsigned long long)found.wrong);
}

__global__ void __launch_bounds__(CTA_THREADS) sum_up_all(reading reading) {
  unsigned long long sum = 0;
  for (unsigned payload = blockIdx.x; payload < reading.payloads; payload += gridDim.x) {
    const uint64_t *memory = payload_of(reading, payload);
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < reading.words; i += CTA_THREADS)
      sum += memory[i];
  }
  for (int apart = 16; apart; apart /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, apart);
  if (threadIdx.x % 32 == 0)
    atomicAdd(reading.result, sum);
}

} // namespace

extern "C" int verify_fill_launch(const struct reading *reading, void *stream) {
  fill_all<<<reading->payloads < 4096 ? reading->payloads : 4096, CTA_THREADS, 0, (cudaStream_t)stream>>>(*reading);
  return (int)cudaGetLastError();
}

extern "C" int verify_look_launch(const struct reading *reading, void *stream) {
  look_at_all<<<reading->ctas, CTA_THREADS, 0, (cudaStream_t)stream>>>(*reading);
  return (int)cudaGetLastError();
}

extern "C" int verify_sum_launch(const struct reading *reading, void *stream) {
  sum_up_all<<<reading->ctas, CTA_THREADS, 0, (cudaStream_t)stream>>>(*reading);
  return (int)cudaGetLastError();
}

extern "C" int verify_capacity(void) { return winord::capacity_of((const void *)look_at_all); }
