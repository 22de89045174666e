#include "bench/stress/gpu/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/stress/gpu/plan.h"

enum { STOP_MS = 5000, HEAL_MS = 200, LOST_MS = 2000, GAP_NS = 2000, START_NS = 4000 };

/* What a rank's kernel works on; grown as needed. */
struct work {
  struct plan plan;
  unsigned ends, events; /* room */
  struct end *end; /* of the GPU, as are the next three */
  struct tally *tallies;
  struct event *event;
  unsigned *first_event;
  struct tally *tallies_read; /* of the host */
  struct event *events_read;
  unsigned *first_read;
  unsigned *waits; /* of the host, mapped */
};

static struct work works[LOCAL_RANKS_MAX];
static unsigned *stop; /* of the host, mapped */
static unsigned tag;
unsigned blocks_watch_s = 30;

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void release(struct work *work) {
  cudaFree(work->end);
  cudaFree(work->tallies);
  cudaFree(work->event);
  cudaFree(work->first_event);
  cudaFreeHost(work->waits);
  free(work->tallies_read);
  free(work->events_read);
  free(work->first_read);
  *work = (struct work){.plan = work->plan};
}

void blocks_free(void) {
  for (unsigned i = 0; i < LOCAL_RANKS_MAX; i++) {
    release(&works[i]);
    free(works[i].plan.ends);
    works[i] = (struct work){0};
  }
}

static unsigned events_of(const struct plan *plan) {
  unsigned events = 0;
  for (unsigned i = 0; i < plan->receiving; i++)
    events += plan->ends[i].quota;
  return events ? events : 1;
}

/* No CUDA allocation while a kernel runs: all are made here, before the launch. */
static bool make_room(struct work *work, char *error) {
  const unsigned ends = work->plan.count, events = events_of(&work->plan);
  if (ends <= work->ends && events <= work->events)
    return true;
  release(work);
  work->ends = ends * 2;
  work->events = events * 2;
  work->tallies_read = calloc(work->ends, sizeof *work->tallies_read);
  work->events_read = calloc(work->events, sizeof *work->events_read);
  work->first_read = calloc(work->ends, sizeof *work->first_read);
  if (!work->tallies_read || !work->events_read || !work->first_read) {
    snprintf(error, ERROR_SIZE, "out of memory");
    return false;
  }
  return !cuda_failed(cudaMalloc((void **)&work->end, work->ends * sizeof *work->end), "cudaMalloc", error) &&
         !cuda_failed(cudaMalloc((void **)&work->tallies, work->ends * sizeof *work->tallies), "cudaMalloc", error) &&
         !cuda_failed(cudaMalloc((void **)&work->event, work->events * sizeof *work->event), "cudaMalloc", error) &&
         !cuda_failed(cudaMalloc((void **)&work->first_event, work->ends * sizeof *work->first_event), "cudaMalloc",
                      error) &&
         !cuda_failed(cudaMallocHost((void **)&work->waits, work->ends * sizeof *work->waits), "cudaMallocHost", error);
}

static void tell_firsts(struct work *work) {
  unsigned first = 0;
  for (unsigned i = 0; i < work->plan.count; i++) {
    work->first_read[i] = first;
    work->waits[i] = 0;
    first += work->plan.ends[i].receiving ? work->plan.ends[i].quota : 0;
  }
}

static struct stress stress_of(const struct kind_of_block *kind, const struct block *block, bool check) {
  static const unsigned gaps[] = {0, 200, GAP_NS, 5 * GAP_NS};
  const struct scenario *scenario = block->scenario;
  const uint64_t draw = seed_of(block->seed, ~block->number);
  return (struct stress){.shape = scenario->shape,
                         .reuse = scenario->reuse,
                         .look = scenario->look,
                         .va = scenario->va || kind->all_signals_va,
                         .strong = scenario->strong,
                         .depth = scenario->depth,
                         .tag = tag,
                         .gap_ns = gaps[draw % 4],
                         .start_ns = draw >> 8 & 1 ? 0 : START_NS,
                         .check = check,
                         .heal_ns = HEAL_MS * 1000000ULL,
                         .lost_ns = LOST_MS * 1000000ULL};
}

static bool start(struct session *session, const struct kind_of_block *kind, unsigned i, const struct stress *how,
                  char *error) {
  struct work *work = &works[i];
  struct gpu_rank *rank = &session->ranks[i];
  const unsigned ends = work->plan.count;
  tell_firsts(work);
  if (cuda_failed(
          cudaMemcpyAsync(work->end, work->plan.ends, ends * sizeof *work->end, cudaMemcpyHostToDevice, rank->stream),
          "cudaMemcpyAsync", error) ||
      cuda_failed(cudaMemcpyAsync(work->first_event, work->first_read, ends * sizeof *work->first_read,
                                  cudaMemcpyHostToDevice, rank->stream),
                  "cudaMemcpyAsync", error) ||
      cuda_failed(cudaMemsetAsync(work->tallies, 0, ends * sizeof *work->tallies, rank->stream), "cudaMemsetAsync",
                  error))
    return false;
  const struct launch_of_block launch = {.ends = ends,
                                         .end = work->end,
                                         .tallies = work->tallies,
                                         .events = work->event,
                                         .first_event = work->first_event,
                                         .waits = work->waits,
                                         .stop = stop,
                                         .how = *how};
  return !cuda_failed((cudaError_t)kind->launch(rank->devcomm, rank->window, &launch, rank->stream), "the kernel",
                      error);
}

/* Who waits for whom, in the order of ranks. */
static void say_who_waits(const struct session *session, char *error) {
  static const char *const whats[] = {"nothing",           "an acknowledgement", "a signal",
                                      "room in its queue", "a local completion", "a flush"};
  size_t at = (size_t)snprintf(error, ERROR_SIZE, "the block does not end:");
  unsigned said = 0;
  for (unsigned i = 0; i < session->world.local; i++)
    for (unsigned e = 0; e < works[i].plan.count && said < 4; e++) {
      const unsigned wait = works[i].waits[e];
      if (!wait || at >= ERROR_SIZE)
        continue;
      at += (size_t)snprintf(error + at, ERROR_SIZE - at, "%s rank %u waits for %s of rank %u, lane %u, round %u",
                             said++ ? ";" : "", session->ranks[i].rank, whats[wait >> 28 & 7],
                             works[i].plan.ends[e].peer, works[i].plan.ends[e].number, wait & 0xfffffff);
    }
  if (!said && at < ERROR_SIZE)
    snprintf(error + at, ERROR_SIZE - at, " no end of this process waits; its kernels may not have started");
}

/* 1: done, 0: not in time, -1: an error. */
static int wait_for(struct session *session, double limit_ms, char *error) {
  const double end = now_ms() + limit_ms;
  for (unsigned i = 0; i < session->world.local; i++) {
    cudaError_t state;
    while ((state = cudaStreamQuery(session->ranks[i].stream)) == cudaErrorNotReady)
      if (now_ms() > end)
        return 0;
    if (cuda_failed(state, "the kernel", error))
      return -1;
  }
  return 1;
}

const struct plan *blocks_plan(unsigned local) { return &works[local].plan; }

static bool wait_all(struct session *session, const struct kind_of_block *kind, const struct block *block,
                     const struct stress *how, char *error) {
  int done = kind->drive ? kind->drive(session, block, how, error) : 1;
  if (done == 1)
    done = wait_for(session, blocks_watch_s * 1e3, error);
  char ignored[ERROR_SIZE];
  if (done == 1)
    return true;
  session->abandoned = true;
  if (done == 0)
    say_who_waits(session, error);
  *(volatile unsigned *)stop = 1;
  wait_for(session, STOP_MS, ignored);
  return false;
}

static void add_event(struct outcomes *sum, const struct end *end, const struct event *event, const struct block *block,
                      unsigned receiver) {
  struct witness witness = {.outcome = (enum outcome)event->outcome,
                            .time_ns = event->seen_ns,
                            .lateness_ns = event->late_ns,
                            .receiver = receiver,
                            .block = block->number,
                            .want = end->origin,
                            .wrong = event->wrong,
                            .words = end->words};
  witness.want.round = event->round & (CODE_ROUNDS - 1);
  witness.want.index = event->want_index;
  witness.got = (struct origin){.source = event->got_source,
                                .context = event->got_context,
                                .slot = event->got_slot,
                                .round = event->got_round,
                                .index = event->got_index};
  outcome_add(sum, witness.outcome, &witness);
}

static void add_lost(struct outcomes *sum, const struct end *end, unsigned round, const struct block *block,
                     unsigned receiver) {
  struct witness witness = {
      .outcome = OUTCOME_LOST, .receiver = receiver, .block = block->number, .want = end->origin, .words = end->words};
  witness.want.round = round & (CODE_ROUNDS - 1);
  witness.got = witness.want;
  outcome_add(sum, OUTCOME_LOST, &witness);
}

static void add_received(struct outcomes *sum, const struct work *work, unsigned e, const struct block *block,
                         unsigned receiver) {
  const struct end *end = &work->plan.ends[e];
  const struct tally *tally = &work->tallies_read[e];
  for (unsigned i = 0; i < tally->events; i++)
    add_event(sum, end, &work->events_read[work->first_read[e] + i], block, receiver);
  for (unsigned i = tally->events; i < tally->rounds; i++)
    outcome_add(sum, OUTCOME_OK, NULL);
  for (unsigned i = 0; i < tally->lost; i++)
    add_lost(sum, end, tally->rounds + i, block, receiver);
  sum->found_at_end += tally->wrong_at_end;
}

/* Looks at units have no puts of their own: each counts as one. */
static bool counts_looks(const struct block *block) {
  return block->scenario->shape == SHAPE_UNITS_16 || block->scenario->shape == SHAPE_UNITS_128;
}

static bool has_events(const struct work *work) {
  for (unsigned e = 0; e < work->plan.receiving; e++)
    if (work->tallies_read[e].events)
      return true;
  return false;
}

static bool read_tallies(struct session *session, unsigned i, char *error) {
  struct work *work = &works[i];
  return !cuda_failed(cudaMemcpyAsync(work->tallies_read, work->tallies, work->plan.count * sizeof *work->tallies,
                                      cudaMemcpyDeviceToHost, session->ranks[i].stream),
                      "cudaMemcpyAsync", error) &&
         !cuda_failed(cudaStreamSynchronize(session->ranks[i].stream), "cudaMemcpyAsync", error) &&
         (!has_events(work) ||
          !cuda_failed(cudaMemcpy(work->events_read, work->event, events_of(&work->plan) * sizeof *work->event,
                                  cudaMemcpyDeviceToHost),
                       "cudaMemcpy", error));
}

static void add_tallies(const struct session *session, unsigned i, const struct block *block, struct outcomes *sum) {
  struct outcomes of_block = {0};
  const struct work *work = &works[i];
  uint64_t longest = 0;
  for (unsigned e = 0; e < work->plan.receiving; e++) {
    add_received(&of_block, work, e, block, session->ranks[i].rank);
    longest = work->tallies_read[e].ns > longest ? work->tallies_read[e].ns : longest;
  }
  of_block.blocks = work->plan.receiving > 0;
  of_block.blocks_with_violation = outcome_violations(&of_block) > 0;
  of_block.time_ns = longest;
  of_block.posted = counts_looks(block) ? of_block.tries : 0;
  for (unsigned e = work->plan.receiving; !counts_looks(block) && e < work->plan.count; e++)
    of_block.posted += work->tallies_read[e].rounds;
  outcome_merge(sum, &of_block);
}

static bool prepare(struct session *session, const struct kind_of_block *kind, unsigned i, char *error) {
  struct work *work = &works[i];
  if (cuda_failed(cudaSetDevice(session->ranks[i].device), "cudaSetDevice", error) || !make_room(work, error))
    return false;
  const int capacity = kind->capacity();
  unsigned sharing = 0;
  for (unsigned other = 0; other < session->world.local; other++)
    sharing += session->ranks[other].device == session->ranks[i].device ? works[other].plan.count : 0;
  if (sharing <= (unsigned)capacity)
    return true;
  snprintf(error, ERROR_SIZE,
           "this block has %u ends on one GPU, more than the %d that can run at once: fewer ranks, or pattern ring",
           sharing, capacity);
  return false;
}

bool blocks_run(struct session *session, const struct kind_of_block *kind, size_t largest, const struct block *block,
                bool check, struct outcomes *sums, char *error) {
  if (!stop && cuda_failed(cudaMallocHost((void **)&stop, sizeof *stop), "cudaMallocHost", error))
    return false;
  *stop = 0;
  tag++;
  const struct stress how = stress_of(kind, block, check);
  for (unsigned i = 0; i < session->world.local; i++) {
    if (!plan_block(&works[i].plan, session->world.ranks, session->ranks[i].rank, largest, block)) {
      snprintf(error, ERROR_SIZE, "out of memory");
      return false;
    }
    if (kind->trim)
      kind->trim(&works[i].plan, session->world.ranks, session->ranks[i].rank, block);
  }
  for (unsigned i = 0; i < session->world.local; i++)
    if (works[i].plan.count && !prepare(session, kind, i, error))
      return false;
  for (unsigned i = 0; i < session->world.local; i++)
    if (works[i].plan.count && (cuda_failed(cudaSetDevice(session->ranks[i].device), "cudaSetDevice", error) ||
                                !start(session, kind, i, &how, error)))
      return false;
  if (!wait_all(session, kind, block, &how, error))
    return false;
  for (unsigned i = 0; i < session->world.local; i++) {
    if (!works[i].plan.count)
      continue;
    if (!read_tallies(session, i, error))
      return false;
    add_tallies(session, i, block, &sums[i]);
  }
  return true;
}
