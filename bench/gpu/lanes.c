#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/gpu/gates.h"
#include "bench/gpu/parts.h"
#include "bench/stress/gpu/blocks.h"
#include "bench/stress/gpu/plan.h"

enum { ROUNDS = 1000, WATCH_S = 10, SENDER = 0, RECEIVER = 1, FIRST_TAG = 0x40000000 };

static const size_t sizes[] = {16, 256, 1024, 4096, 8192, 16384, LANE_LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* What a lane's kernel works on at one rank. */
struct side {
  struct gpu_rank *rank;
  struct end end, *end_there; /* there: of the GPU, as are the next three */
  struct tally *tally;
  struct event *events;
  unsigned *first_event;
};

struct lanes {
  struct session *session;
  struct results *results;
  struct side sides[2];
  unsigned *waits, *stop; /* of the host, mapped, as is the stamp */
  struct stamp *stamp;
  unsigned tag;
};

enum variant { BY_FLAG, BY_HAND, BY_HAND_BOTH, BY_LANE, BY_LANE_CHECKED, VARIANTS };

static bool make_side(struct side *side, struct gpu_rank *rank, char *error) {
  side->rank = rank;
  return !cuda_failed(cudaSetDevice(rank->device), "cudaSetDevice", error) &&
         !cuda_failed(cudaMalloc((void **)&side->end_there, sizeof *side->end_there), "cudaMalloc", error) &&
         !cuda_failed(cudaMalloc((void **)&side->tally, sizeof *side->tally), "cudaMalloc", error) &&
         !cuda_failed(cudaMalloc((void **)&side->events, ROUNDS * sizeof *side->events), "cudaMalloc", error) &&
         !cuda_failed(cudaMalloc((void **)&side->first_event, sizeof *side->first_event), "cudaMalloc", error) &&
         !cuda_failed(cudaMemset(side->first_event, 0, sizeof *side->first_event), "cudaMemset", error);
}

static bool make(struct lanes *lanes, struct session *session, struct results *results, char *error) {
  *lanes = (struct lanes){.session = session, .results = results, .tag = FIRST_TAG};
  return !cuda_failed(cudaMallocHost((void **)&lanes->waits, 2 * sizeof *lanes->waits), "cudaMallocHost", error) &&
         !cuda_failed(cudaMallocHost((void **)&lanes->stop, sizeof *lanes->stop), "cudaMallocHost", error) &&
         !cuda_failed(cudaMallocHost((void **)&lanes->stamp, sizeof *lanes->stamp), "cudaMallocHost", error) &&
         make_side(&lanes->sides[SENDER], &session->ranks[SENDER], error) &&
         make_side(&lanes->sides[RECEIVER], &session->ranks[RECEIVER], error);
}

static void release(struct lanes *lanes) {
  for (unsigned i = 0; i < 2; i++) {
    cudaFree(lanes->sides[i].end_there);
    cudaFree(lanes->sides[i].tally);
    cudaFree(lanes->sides[i].events);
    cudaFree(lanes->sides[i].first_event);
  }
  cudaFreeHost(lanes->waits);
  cudaFreeHost(lanes->stop);
  cudaFreeHost(lanes->stamp);
}

/* The first lane of a block in which rank 0 sends to rank 1. */
static bool plan_lane(struct lanes *lanes, size_t bytes, char *error) {
  const unsigned ranks = lanes->session->world.ranks;
  struct block block = {.scenario = scenario_find("put+signal"), .pattern = PATTERN_PEER, .bytes = bytes, .tries = 1};
  struct plan plan = {0};
  while (!pattern_sends(PATTERN_PEER, ranks, SENDER, RECEIVER, block.number))
    block.number++;
  for (unsigned i = 0; i < 2; i++) {
    if (!plan_block(&plan, ranks, i, LANE_LARGEST, &block)) {
      snprintf(error, ERROR_SIZE, "out of memory");
      free(plan.ends);
      return false;
    }
    lanes->sides[i].end = plan.ends[0];
    lanes->sides[i].end.quota = ROUNDS;
  }
  free(plan.ends);
  return true;
}

static bool start_lane(struct lanes *lanes, unsigned i, bool check, char *error) {
  struct side *side = &lanes->sides[i];
  const struct launch_of_block launch = {.ends = 1,
                                         .end = side->end_there,
                                         .tallies = side->tally,
                                         .events = side->events,
                                         .first_event = side->first_event,
                                         .waits = lanes->waits + i,
                                         .stop = lanes->stop,
                                         .how = {.shape = SHAPE_FUSED,
                                                 .va = true,
                                                 .strong = true,
                                                 .depth = 1,
                                                 .tag = lanes->tag,
                                                 .check = check,
                                                 .heal_ns = 20000000,
                                                 .lost_ns = 400000000}};
  return !cuda_failed(cudaSetDevice(side->rank->device), "cudaSetDevice", error) &&
         !cuda_failed(
             cudaMemcpyAsync(side->end_there, &side->end, sizeof side->end, cudaMemcpyHostToDevice, side->rank->stream),
             "cudaMemcpyAsync", error) &&
         !cuda_failed(cudaMemsetAsync(side->tally, 0, sizeof *side->tally, side->rank->stream), "cudaMemsetAsync",
                      error) &&
         !cuda_failed((cudaError_t)lsa_launch(NULL, side->rank->window, &launch, side->rank->stream), "lsa_launch",
                      error);
}

/* A lane that hangs is told to stop, so that the table can still be printed. */
static bool wait_lane(struct lanes *lanes, char *error) {
  if (streams_wait(lanes->session, WATCH_S, error))
    return true;
  *(volatile unsigned *)lanes->stop = 1;
  return false;
}

/* The receiver is started last: its time has no launch in it. */
static bool run_lane(struct lanes *lanes, bool check, double *us, bool *good, char *error) {
  struct tally tally;
  *lanes->stop = 0;
  lanes->waits[0] = lanes->waits[1] = 0;
  lanes->tag++;
  if (!start_lane(lanes, SENDER, check, error) || !start_lane(lanes, RECEIVER, check, error) ||
      !wait_lane(lanes, error) ||
      cuda_failed(cudaMemcpy(&tally, lanes->sides[RECEIVER].tally, sizeof tally, cudaMemcpyDeviceToHost), "cudaMemcpy",
                  error))
    return false;
  *us = (double)tally.ns / 1e3 / ROUNDS;
  *good = tally.rounds == ROUNDS && !tally.events && !tally.wrong_at_end;
  if (!*good)
    results_note(lanes->results, "the lane of %u words looked at %u of %d rounds, %u of them not in order, %u lost",
                 lanes->sides[RECEIVER].end.words, tally.rounds, ROUNDS, tally.events, tally.lost);
  return true;
}

static bool start_loop(struct lanes *lanes, unsigned i, enum loop_style style, char *error) {
  const struct side *side = &lanes->sides[i];
  const struct loop loop = {.style = style,
                            .receiving = side->end.receiving,
                            .peer = side->end.peer,
                            .rounds = ROUNDS,
                            .words = side->end.words,
                            .tag = lanes->tag,
                            .payload = side->end.slots,
                            .flag = side->end.signal,
                            .back = side->end.ack,
                            .stamp = lanes->stamp};
  return !cuda_failed(cudaSetDevice(side->rank->device), "cudaSetDevice", error) &&
         !cuda_failed((cudaError_t)loop_launch(side->rank->window, &loop, side->rank->stream), "loop_launch", error);
}

static bool run_loop(struct lanes *lanes, enum loop_style style, double *us, bool *good, char *error) {
  *lanes->stamp = (struct stamp){0};
  lanes->tag++;
  if (!start_loop(lanes, SENDER, style, error) || !start_loop(lanes, RECEIVER, style, error) ||
      !streams_wait(lanes->session, WATCH_S, error))
    return false;
  *us = (double)(lanes->stamp->ended - lanes->stamp->begun) / 1e3 / ROUNDS;
  *good = !lanes->stamp->hung && lanes->stamp->ended;
  return true;
}

static bool run(struct lanes *lanes, enum variant variant, double *us, bool *good, char *error) {
  static const enum loop_style styles[] = {[BY_FLAG] = LOOP_FLAG, [BY_HAND] = LOOP_PUT, [BY_HAND_BOTH] = LOOP_PUT_BOTH};
  return variant < BY_LANE ? run_loop(lanes, styles[variant], us, good, error)
                           : run_lane(lanes, variant == BY_LANE_CHECKED, us, good, error);
}

struct samples {
  double us[VARIANTS][REPETITIONS];
  unsigned count;
  bool good;
};

/* In turn, each repetition beginning with another; the first of all is to warm up, and is written over. */
static bool take_samples(struct lanes *lanes, struct samples *samples, char *error) {
  *samples = (struct samples){.good = true};
  for (unsigned repetition = 0; samples->good && repetition <= REPETITIONS; repetition++) {
    samples->count = repetition ? repetition : 1;
    for (unsigned turn = 0; samples->good && turn < VARIANTS; turn++) {
      const enum variant variant = (enum variant)((turn + repetition) % VARIANTS);
      if (!run(lanes, variant, &samples->us[variant][samples->count - 1], &samples->good, error))
        return false;
    }
  }
  return true;
}

static const struct comparison {
  const char *part, *what, *floor_what;
  enum variant measured, floor;
  bool has_floor, each_size, as_rate;
  double target;
} comparisons[] = {
    {"lane", "bare flag, round trip", NULL, BY_FLAG, BY_FLAG, false, false, false, 0},
    {"lane", "put + fence + flag both ways", NULL, BY_HAND_BOTH, BY_HAND_BOTH, false, true, false, 0},
    {"lane", "lsa lane, round trip", "put + fence + flag, fence + flag back", BY_LANE, BY_HAND, true, true, false, 1.2},
    {"lane", "lsa lane with its oracle", "put + fence + flag, fence + flag back", BY_LANE_CHECKED, BY_HAND, true, true,
     false, 0},
    {"oracle", "one lane, tries/s with oracle", "without", BY_LANE_CHECKED, BY_LANE, true, true, true, 0},
};

static double value(const struct comparison *how, const struct samples *samples, enum variant variant, unsigned i) {
  return how->as_rate ? 1e6 / samples->us[variant][i] : samples->us[variant][i];
}

static void compare(const struct comparison *how, size_t bytes, const struct samples *samples,
                    struct results *results) {
  double measured[REPETITIONS], floors[REPETITIONS], ratios[REPETITIONS];
  struct row *row = results_row(results);
  *row = (struct row){.part = how->part,
                      .what = how->what,
                      .floor_what = how->floor_what,
                      .unit = how->as_rate ? "/s" : "us",
                      .bytes = how->each_size ? bytes : 0,
                      .repetitions = samples->count,
                      .state = samples->good ? RAN : FAILED,
                      .target = how->target,
                      .at_least = how->as_rate};
  for (unsigned i = 0; i < samples->count && samples->good; i++) {
    measured[i] = value(how, samples, how->measured, i);
    floors[i] = value(how, samples, how->floor, i);
    ratios[i] = measured[i] / floors[i];
  }
  if (!samples->good)
    return;
  row->measured = median_of(measured, samples->count);
  row->floor = how->has_floor ? median_of(floors, samples->count) : 0;
  row->ratio = how->has_floor ? median_of(ratios, samples->count) : 0;
}

static bool measure(struct lanes *lanes, char *error) {
  static struct samples samples[SIZES];
  for (unsigned i = 0; i < SIZES; i++)
    if (!plan_lane(lanes, sizes[i], error) || !take_samples(lanes, &samples[i], error))
      return false;
  for (size_t c = 0; c < sizeof comparisons / sizeof *comparisons; c++)
    for (unsigned i = 0; i < (comparisons[c].each_size ? SIZES : 1); i++)
      compare(&comparisons[c], sizes[i], &samples[i], lanes->results);
  return true;
}

bool lanes_measure(struct session *session, struct results *results, char *error) {
  struct lanes lanes;
  const bool good = make(&lanes, session, results, error) && measure(&lanes, error);
  if (!session->abandoned)
    release(&lanes);
  return good;
}
