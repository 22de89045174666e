#include "bench/stress/gpu/rma.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/*
 * NCCL makes all calls on one communicator wait for each other, whatever their streams (its device stream). So a rank
 * has one stream, and all ranks go by the same steps. In each, every call waits only for calls of earlier parts,
 * of this step or of earlier ones:
 *   step n: 1. acknowledge the sources: round n - 1 was looked at (n = 0: the slots are filled)
 *           2. wait for those of the targets
 *           3. put round n
 *           4. wait for the signals of round n, and tell the CTA that looks
 * The last step has the first two parts alone, so that every signal is waited for within its block. A rank that
 * receives only after it has put may look late: so in half of the blocks ranks put in turn, and 4 comes before 3 for
 * the sources before them.
 */

enum {
  LEAD = 4, /* steps that the host posts ahead: a step has at most 3 calls to a peer, and NCCL's proxy takes 32 */
  ASK_MS = 5 /* between looks for errors */
};

/* A call that signals once. Its part of the payload in halves; first equal to last: it puts nothing. */
struct operation {
  unsigned first, last;
};

/* What a sender does in a round. */
struct sequence {
  enum shape shape;
  unsigned count, announced; /* operations; after how many of their signals the receiver looks */
  struct operation operations[2];
};

static const struct sequence sequences[] = {{SHAPE_FUSED, 1, 1, {{0, 2}}},
                                            {SHAPE_TWO_PUTS, 2, 2, {{0, 1}, {1, 2}}},
                                            {SHAPE_SIGNAL_FIRST, 2, 1, {{0, 0}, {0, 2}}}};

/* A block under way. */
struct course {
  struct session *session;
  const struct sequence *sequence;
  const struct stress *how;
  bool grouped; /* a rank's puts are one NCCL group */
  bool relay; /* ranks put in turn */
};

/* One rank's step. */
struct step {
  const struct course *course;
  struct gpu_rank *rank;
  const struct plan *plan;
  unsigned number;
};

static struct session *opened;
static PFN_cuStreamWaitValue64_v11070 wait_value;
static PFN_cuStreamWriteValue64_v11070 write_value;
static uint64_t *reached; /* of the host, mapped: steps that each local rank's stream has done, with the block's tag */

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static uint64_t tagged(const struct course *course, unsigned count) {
  return (uint64_t)course->how->tag << TAG_SHIFT | count;
}

/* The driver's results have the runtime's numbers. */
static bool wait_word(const struct step *step, uint64_t at, unsigned count, char *error) {
  const CUresult result = wait_value(step->rank->exchange, (CUdeviceptr)step->rank->memory + at,
                                     tagged(step->course, count), CU_STREAM_WAIT_VALUE_GEQ);
  return !cuda_failed((cudaError_t)result, "cuStreamWaitValue64", error);
}

static bool write_word(const struct step *step, uint64_t at, unsigned count, char *error) {
  const CUresult result = write_value(step->rank->exchange, (CUdeviceptr)step->rank->memory + at,
                                      tagged(step->course, count), CU_STREAM_WRITE_VALUE_DEFAULT);
  return !cuda_failed((cudaError_t)result, "cuStreamWriteValue64", error);
}

static const struct end *sources(const struct step *step) { return step->plan->ends; }
static const struct end *targets(const struct step *step) { return step->plan->ends + step->plan->receiving; }
static unsigned source_count(const struct step *step) { return step->plan->receiving; }
static unsigned target_count(const struct step *step) { return step->plan->count - step->plan->receiving; }

/* One NCCL call: so many signals of each end of the first `count` that still has this step. */
static bool wait_signals(const struct step *step, const struct end *ends, unsigned count, unsigned signals,
                         char *error) {
  ncclWaitSignalDesc_t signals_of[PATTERN_RANKS_MAX];
  int waited = 0;
  for (unsigned e = 0; e < count; e++)
    if (step->number <= ends[e].quota)
      signals_of[waited++] = (ncclWaitSignalDesc_t){.opCnt = (int)signals, .peer = (int)ends[e].peer};
  return !signals || !waited ||
         !nccl_failed(step->rank, ncclWaitSignal(waited, signals_of, step->rank->comm, step->rank->exchange),
                      "ncclWaitSignal", error);
}

static bool group_ended(const struct step *step, bool good, char *error) {
  const ncclResult_t result = ncclGroupEnd();
  return good && !nccl_failed(step->rank, result, "ncclGroupEnd", error);
}

static bool group_begun(const struct step *step, char *error) {
  return !nccl_failed(step->rank, ncclGroupStart(), "ncclGroupStart", error);
}

static bool send_signal(const struct step *step, const struct end *end, char *error) {
  return !nccl_failed(step->rank, ncclSignal((int)end->peer, 0, 0, 0, step->rank->comm, step->rank->exchange),
                      "ncclSignal", error);
}

/* What the receiver was not told of has come by then. */
static bool acknowledge_sources(const struct step *step, char *error) {
  const struct sequence *sequence = step->course->sequence;
  const struct end *ends = sources(step);
  bool good =
      !step->number || wait_signals(step, ends, source_count(step), sequence->count - sequence->announced, error);
  for (unsigned e = 0; good && e < source_count(step); e++)
    good = step->number > ends[e].quota || wait_word(step, rma_looked(&ends[e]), step->number + 1, error);
  if (!good || !group_begun(step, error))
    return false;
  for (unsigned e = 0; good && e < source_count(step); e++)
    good = step->number > ends[e].quota || send_signal(step, &ends[e], error);
  return group_ended(step, good, error);
}

static bool hear_targets(const struct step *step, char *error) {
  const struct end *ends = targets(step);
  bool good = wait_signals(step, ends, target_count(step), 1, error);
  for (unsigned e = 0; good && e < target_count(step); e++)
    good = step->number > ends[e].quota || write_word(step, rma_free(&ends[e]), step->number + 1, error);
  return good;
}

static bool call(const struct step *step, const struct end *end, const struct operation *operation, char *error) {
  const uint64_t first = operation->first * end->words / 2 * 8, last = operation->last * end->words / 2 * 8;
  struct gpu_rank *rank = step->rank;
  if (first == last)
    return send_signal(step, end, error);
  return !nccl_failed(rank,
                      ncclPutSignal((char *)rank->memory + end->source + first, last - first, ncclUint8, (int)end->peer,
                                    rank->window, end->slots + first, 0, 0, 0, rank->comm, rank->exchange),
                      "ncclPutSignal", error);
}

/* The words that the CTAs release the calls by; all of a round's, or up to this one. */
static bool wait_release(const struct step *step, const struct end *end, unsigned operation, char *error) {
  return wait_word(step, rma_released(end), step->number * step->course->sequence->count + operation + 1, error);
}

static bool put_grouped(const struct step *step, char *error) {
  const struct sequence *sequence = step->course->sequence;
  const struct end *ends = targets(step);
  const unsigned count = target_count(step);
  bool good = true;
  for (unsigned e = 0; good && e < count; e++)
    good = step->number >= ends[e].quota || wait_release(step, &ends[e], sequence->count - 1, error);
  if (!good || !group_begun(step, error))
    return false;
  for (unsigned i = 0; good && i < count * sequence->count; i++) {
    const struct end *end = &ends[i / sequence->count];
    good = step->number >= end->quota || call(step, end, &sequence->operations[i % sequence->count], error);
  }
  return group_ended(step, good, error);
}

/* The turn of a rank in this step, 0 first: each step begins with another. */
static unsigned turn_of(const struct step *step, unsigned rank) {
  return (rank + step->number) % step->course->session->world.ranks;
}

/* The end whose peer is first in turn; ends are in the order of their peers' ranks. */
static unsigned first_in_turn(const struct step *step, const struct end *ends, unsigned count) {
  unsigned first = 0;
  for (unsigned e = 1; e < count; e++)
    first = turn_of(step, ends[e].peer) < turn_of(step, ends[first].peer) ? e : first;
  return first;
}

static bool put_one_by_one(const struct step *step, char *error) {
  const struct sequence *sequence = step->course->sequence;
  const unsigned count = target_count(step), first = first_in_turn(step, targets(step), count);
  bool good = true;
  for (unsigned i = 0; good && i < count * sequence->count; i++) {
    const struct end *end = &targets(step)[(first + i / sequence->count) % count];
    const unsigned operation = i % sequence->count;
    good = step->number >= end->quota ||
           (wait_release(step, end, operation, error) && call(step, end, &sequence->operations[operation], error));
  }
  return good;
}

/* Behind the puts in their stream: their sources may be written again. */
static bool complete(const struct step *step, char *error) {
  const struct sequence *sequence = step->course->sequence;
  const struct end *ends = targets(step);
  unsigned puts = 0;
  bool good = true;
  for (unsigned i = 0; i < sequence->count; i++)
    puts += sequence->operations[i].first != sequence->operations[i].last;
  for (unsigned e = 0; good && e < target_count(step); e++)
    good = step->number >= ends[e].quota || write_word(step, rma_completed(&ends[e]), (step->number + 1) * puts, error);
  return good;
}

static bool put_all(const struct step *step, char *error) {
  return (step->course->grouped ? put_grouped(step, error) : put_one_by_one(step, error)) &&
         (step->course->how->reuse != REUSE_COMPLETED || complete(step, error));
}

static bool goes_before(const struct step *step, const struct end *source) {
  return step->course->relay && turn_of(step, source->peer) < turn_of(step, step->rank->rank);
}

/* Of the sources that put before this rank does, or of the others. */
static bool tell_receivers(const struct step *step, bool before, char *error) {
  const unsigned count = source_count(step), first = first_in_turn(step, sources(step), count);
  bool good = true;
  for (unsigned e = 0; good && e < count; e++) {
    const struct end *end = &sources(step)[(first + e) % count];
    if (step->number < end->quota && goes_before(step, end) == before)
      good = wait_signals(step, end, 1, step->course->sequence->announced, error) &&
             write_word(step, rma_told(end), step->number + 1, error);
  }
  return good;
}

static bool say_reached(const struct step *step, char *error) {
  const unsigned local = (unsigned)(step->rank - step->course->session->ranks);
  const CUresult result = write_value(step->rank->exchange, (CUdeviceptr)&reached[local],
                                      tagged(step->course, step->number + 1), CU_STREAM_WRITE_VALUE_DEFAULT);
  return !cuda_failed((cudaError_t)result, "cuStreamWriteValue64", error);
}

static bool post(const struct step *step, char *error) {
  return !cuda_failed(cudaSetDevice(step->rank->device), "cudaSetDevice", error) && acknowledge_sources(step, error) &&
         hear_targets(step, error) && tell_receivers(step, true, error) && put_all(step, error) &&
         tell_receivers(step, false, error) && say_reached(step, error);
}

/* The steps of a rank; 0: it has no part in the block. */
static unsigned steps_of(const struct plan *plan) {
  unsigned rounds = 0;
  for (unsigned e = 0; e < plan->count; e++)
    rounds = plan->ends[e].quota > rounds ? plan->ends[e].quota : rounds;
  return plan->count ? rounds + 1 : 0;
}

static bool has_reached(const struct course *course, unsigned local, unsigned steps) {
  const unsigned own = steps_of(blocks_plan(local)), wanted = steps < own ? steps : own;
  return !wanted || *(volatile uint64_t *)&reached[local] >= tagged(course, wanted);
}

static bool has_failed(struct gpu_rank *rank, char *error) {
  ncclResult_t state = ncclSuccess;
  const cudaError_t stream = cudaStreamQuery(rank->exchange);
  return (stream != cudaErrorNotReady && cuda_failed(stream, "the stream of host RMA", error)) ||
         nccl_failed(rank, ncclCommGetAsyncError(rank->comm, &state), "ncclCommGetAsyncError", error) ||
         nccl_failed(rank, state, "NCCL, while the block ran", error);
}

/* Until all local ranks have done so many steps of theirs. As kind_of_block's drive. */
static int wait_reached(const struct course *course, unsigned steps, char *error) {
  const double end = now_ms() + blocks_watch_s * 1e3;
  double ask = now_ms() + ASK_MS;
  for (unsigned i = 0; i < course->session->world.local; i++)
    while (!has_reached(course, i, steps)) {
      const double now = now_ms();
      if (now > end)
        return 0;
      if (now < ask)
        continue;
      ask = now + ASK_MS;
      for (unsigned rank = 0; rank < course->session->world.local; rank++)
        if (has_failed(&course->session->ranks[rank], error))
          return -1;
    }
  return 1;
}

static bool post_all(const struct course *course, unsigned number, char *error) {
  for (unsigned i = 0; i < course->session->world.local; i++) {
    const struct step step = {course, &course->session->ranks[i], blocks_plan(i), number};
    if (number < steps_of(step.plan) && !post(&step, error))
      return false;
  }
  return true;
}

static const struct sequence *sequence_of(enum shape shape) {
  unsigned i = 0;
  while (i + 1 < sizeof sequences / sizeof *sequences && sequences[i].shape != shape)
    i++;
  return &sequences[i];
}

static int drive(struct session *session, const struct block *block, const struct stress *how, char *error) {
  const uint64_t drawn = seed_of(seed_of(block->seed, block->number), 5);
  const struct course course = {.session = session,
                                .sequence = sequence_of(how->shape),
                                .how = how,
                                .grouped = how->shape != SHAPE_SIGNAL_FIRST && drawn & 1,
                                .relay = drawn & 2};
  unsigned steps = 0;
  for (unsigned i = 0; i < session->world.local; i++)
    steps = steps_of(blocks_plan(i)) > steps ? steps_of(blocks_plan(i)) : steps;
  for (unsigned number = 0; number < steps; number++) {
    const int state = wait_reached(&course, number > LEAD ? number - LEAD : 0, error);
    if (state != 1)
      return state;
    if (!post_all(&course, number, error))
      return -1;
  }
  return wait_reached(&course, steps, error);
}

/* A signal is of a pair of ranks: so is a lane. A receiver's tries are shared by its sources; all ranks agree. */
static void trim(struct plan *plan, unsigned ranks, unsigned rank, const struct block *block) {
  const enum pattern pattern = pattern_of_block(block->pattern, block->number);
  unsigned short places[PATTERN_RANKS_MAX];
  unsigned kept = 0, receiving = 0;
  pattern_places(ranks, block->number, places);
  for (unsigned e = 0; e < plan->count; e++) {
    struct end end = plan->ends[e];
    const struct end *last = kept ? &plan->ends[kept - 1] : NULL;
    if (last && last->receiving == end.receiving && last->peer == end.peer)
      continue;
    unsigned senders = 0;
    for (unsigned source = 0; source < ranks; source++)
      senders += pattern_joins(pattern, ranks, places[source], places[end.receiving ? rank : end.peer]);
    end.quota = (block->tries + senders - 1) / senders;
    plan->ends[kept++] = end;
    receiving += end.receiving;
  }
  plan->count = kept;
  plan->receiving = receiving;
}

static int launch(const void *devcomm, void *window, const struct launch_of_block *launched, void *stream) {
  (void)devcomm;
  for (unsigned i = 0; i < opened->world.local; i++)
    if (opened->ranks[i].window == window)
      return rma_launch(opened->ranks[i].memory, launched, stream);
  return cudaErrorInvalidValue;
}

const struct kind_of_block rma_blocks = {.launch = launch, .capacity = rma_capacity, .trim = trim, .drive = drive};

/* One word of every other rank's window is written, by all, and every signal waited for. */
static bool put_first(struct session *session, struct gpu_rank *rank, char *error) {
  ncclWaitSignalDesc_t signals_of[PATTERN_RANKS_MAX];
  int count = 0;
  if (nccl_failed(rank, ncclGroupStart(), "ncclGroupStart", error))
    return false;
  bool good = true;
  for (unsigned peer = 0; good && peer < session->world.ranks; peer++) {
    if (peer == rank->rank && session->world.ranks > 1)
      continue;
    signals_of[count++] = (ncclWaitSignalDesc_t){.opCnt = 1, .peer = (int)peer};
    good = !nccl_failed(
        rank,
        ncclPutSignal(rank->memory, 8, ncclUint8, (int)peer, rank->window, 0, 0, 0, 0, rank->comm, rank->exchange),
        "ncclPutSignal", error);
  }
  const ncclResult_t ended = ncclGroupEnd();
  return good && !nccl_failed(rank, ended, "ncclPutSignal", error) &&
         !nccl_failed(rank, ncclWaitSignal(count, signals_of, rank->comm, rank->exchange), "ncclWaitSignal", error) &&
         !cuda_failed(cudaStreamSynchronize(rank->exchange), "the first ncclPutSignal", error);
}

static bool find_in_driver(const char *name, void **function, char *error) {
  enum cudaDriverEntryPointQueryResult found;
  if (cuda_failed(cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, &found), name, error))
    return false;
  if (found != cudaDriverEntryPointSuccess)
    snprintf(error, ERROR_SIZE, "this CUDA driver has no %s: 12.5 or later is needed", name);
  return found == cudaDriverEntryPointSuccess;
}

static bool make_words(char *error) {
  const size_t bytes = LOCAL_RANKS_MAX * sizeof *reached;
  if (reached)
    return true;
  if (cuda_failed(cudaMallocHost((void **)&reached, bytes), "cudaMallocHost", error))
    return false;
  memset(reached, 0, bytes);
  return true;
}

bool rma_open(struct session *session, char *error) {
  opened = session;
  return find_in_driver("cuStreamWaitValue64", (void **)&wait_value, error) &&
         find_in_driver("cuStreamWriteValue64", (void **)&write_value, error) && make_words(error) &&
         session_each(session, put_first, "the first ncclPutSignal", JOIN_S, error);
}

void rma_free_words(void) {
  cudaFreeHost(reached);
  reached = NULL;
}
