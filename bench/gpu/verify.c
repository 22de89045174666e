#include <stdio.h>

#include "bench/gpu/kernels.h"
#include "bench/gpu/parts.h"

enum { ALL_BYTES = 512 << 20, ONE_BYTES = 8 << 20, SEED = 4711 };

static const double target = 0.8;

static const struct shape_of_reading {
  const char *what, *floor_what;
  size_t payload, all;
  bool one_cta;
} shapes[] = {
    {"look by one CTA", "one CTA reads and sums up", ONE_BYTES, ONE_BYTES, true},
    {"look by one CTA, many payloads", "one CTA reads and sums up", LANE_LARGEST, ONE_BYTES, true},
    {"look by all CTAs that fit", "as many read and sum up", 4096, ALL_BYTES, false},
    {"look by all CTAs that fit", "as many read and sum up", LANE_LARGEST, ALL_BYTES, false},
};

struct bench {
  cudaStream_t stream;
  cudaEvent_t before, after;
  void *memory;
  unsigned long long *results; /* of the GPU: wrong words, and the sum */
  unsigned capacity;
};

static bool make(struct bench *bench, const struct gpu_rank *rank, char *error) {
  *bench = (struct bench){.stream = rank->stream};
  if (cuda_failed(cudaSetDevice(rank->device), "cudaSetDevice", error) ||
      cuda_failed(cudaEventCreate(&bench->before), "cudaEventCreate", error) ||
      cuda_failed(cudaEventCreate(&bench->after), "cudaEventCreate", error) ||
      cuda_failed(cudaMalloc(&bench->memory, ALL_BYTES), "cudaMalloc", error) ||
      cuda_failed(cudaMalloc((void **)&bench->results, 2 * sizeof *bench->results), "cudaMalloc", error) ||
      cuda_failed(cudaMemset(bench->results, 0, 2 * sizeof *bench->results), "cudaMemset", error))
    return false;
  bench->capacity = (unsigned)verify_capacity();
  if (!bench->capacity)
    snprintf(error, ERROR_SIZE, "no CTA of the oracle's look fits on the GPU");
  return bench->capacity > 0;
}

static void release(struct bench *bench) {
  cudaFree(bench->memory);
  cudaFree(bench->results);
  cudaEventDestroy(bench->before);
  cudaEventDestroy(bench->after);
}

static bool time_one(struct bench *bench, struct reading reading, bool look, double *gb_per_s, char *error) {
  const double bytes = (double)reading.words * 8 * reading.payloads;
  float ms = 0;
  reading.result = bench->results + !look;
  if (cuda_failed(cudaEventRecord(bench->before, bench->stream), "cudaEventRecord", error) ||
      cuda_failed((cudaError_t)(look ? verify_look_launch : verify_sum_launch)(&reading, bench->stream), "the kernel",
                  error) ||
      cuda_failed(cudaEventRecord(bench->after, bench->stream), "cudaEventRecord", error) ||
      cuda_failed(cudaEventSynchronize(bench->after), "the kernel", error) ||
      cuda_failed(cudaEventElapsedTime(&ms, bench->before, bench->after), "cudaEventElapsedTime", error))
    return false;
  *gb_per_s = bytes / 1e6 / (double)ms;
  return true;
}

static struct reading reading_of(const struct bench *bench, const struct shape_of_reading *shape) {
  const unsigned payloads = (unsigned)(shape->all / shape->payload);
  return (struct reading){.memory = bench->memory,
                          .words = (unsigned)(shape->payload / 8),
                          .payloads = payloads,
                          .ctas = shape->one_cta               ? 1
                                  : payloads < bench->capacity ? payloads
                                                               : bench->capacity,
                          .seed = SEED};
}

/* In turn, each repetition beginning with the other; the first is to warm up, and is written over. */
static bool compare(struct bench *bench, const struct shape_of_reading *shape, struct row *row, char *error) {
  const struct reading reading = reading_of(bench, shape);
  double rates[2][REPETITIONS], ratios[REPETITIONS];
  if (cuda_failed((cudaError_t)verify_fill_launch(&reading, bench->stream), "the kernel", error))
    return false;
  for (unsigned repetition = 0; repetition <= REPETITIONS; repetition++) {
    const unsigned at = repetition ? repetition - 1 : 0;
    for (unsigned turn = 0; turn < 2; turn++) {
      const unsigned look = (turn + repetition) & 1;
      if (!time_one(bench, reading, look, &rates[look][at], error))
        return false;
    }
    ratios[at] = rates[1][at] / rates[0][at];
  }
  row->state = RAN;
  row->measured = median_of(rates[1], REPETITIONS);
  row->floor = median_of(rates[0], REPETITIONS);
  row->ratio = median_of(ratios, REPETITIONS);
  return true;
}

/* What lies in memory is as it was written: a look that finds it wrong is wrong itself. */
static bool judge(struct bench *bench, struct row *row, struct results *results, char *error) {
  unsigned long long wrong = 0;
  if (cuda_failed(cudaMemcpy(&wrong, bench->results, sizeof wrong, cudaMemcpyDeviceToHost), "cudaMemcpy", error))
    return false;
  if (wrong && row->state == RAN) {
    row->state = FAILED;
    results_note(results, "the look found %llu wrong words in payloads of %zu bytes that nobody had touched", wrong,
                 row->bytes);
  }
  return true;
}

static bool measure(struct bench *bench, struct results *results, char *error) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    struct row *row = results_row(results);
    *row = (struct row){.part = "verify",
                        .what = shapes[i].what,
                        .floor_what = shapes[i].floor_what,
                        .unit = "GB/s",
                        .bytes = shapes[i].payload,
                        .repetitions = REPETITIONS,
                        .target = target,
                        .at_least = true};
    if (!compare(bench, &shapes[i], row, error) || !judge(bench, row, results, error))
      return false;
  }
  return true;
}

bool verify_measure(struct session *session, struct results *results, char *error) {
  struct bench bench;
  const bool good = make(&bench, &session->ranks[0], error) && measure(&bench, results, error);
  release(&bench);
  return good;
}
