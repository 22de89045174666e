#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/gpu/gates.h"
#include "bench/gpu/parts.h"
#include "bench/stress/code.h"

enum { LEAST_REPETITIONS = 3, WATCH_S = 10, SEED = 4711, BYTES_OF_SENDER = 32768, GIN_SPLIT_FROM = 256 << 10 };

static const double cell_seconds = 0.4; /* for all ways; after that no more than the least repetitions */

static const enum pattern patterns[] = {PATTERN_PAIRS,  PATTERN_RING,      PATTERN_FAN_OUT,
                                        PATTERN_FAN_IN, PATTERN_BIPARTITE, PATTERN_ALL};
static const size_t sizes[] = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, PUT_LARGEST};

struct puts {
  struct session *session;
  struct results *results;
  struct gates gates;
  unsigned ranks, contexts; /* of gin */
  bool usable[WAYS];
  unsigned long long *wrong[LOCAL_RANKS_MAX]; /* of its GPU */
  cudaEvent_t sent[LOCAL_RANKS_MAX][LOCAL_RANKS_MAX];
  bool apart[LOCAL_RANKS_MAX][LOCAL_RANKS_MAX]; /* no access between the GPUs of a source and a target */
  char *host; /* staging where GPUs are apart, a slot for each source and target; NULL: not needed */
};

/* One repetition. */
struct turn {
  const struct cell *cell;
  enum way way;
  uint64_t targets[LOCAL_RANKS_MAX], sources[LOCAL_RANKS_MAX], receivers;
  unsigned waiting[LOCAL_RANKS_MAX];
};

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

unsigned puts_signals(unsigned ranks) { return ranks * GIN_SENDERS; }

static bool has(uint64_t ranks, unsigned rank) { return ranks >> rank & 1; }
static char *slot_of(const struct puts *puts, unsigned target, unsigned source) {
  return (char *)puts->session->ranks[target].memory + (size_t)source * PUT_LARGEST;
}
static char *source_of(const struct puts *puts, unsigned source) { return slot_of(puts, source, puts->ranks); }

static char *staging_of(const struct puts *puts, unsigned target, unsigned source) {
  return puts->apart[source][target] ? puts->host + ((size_t)target * puts->ranks + source) * PUT_LARGEST
                                     : slot_of(puts, target, puts->ranks + 1 + source);
}

static uint64_t packed_of(const struct turn *turn, unsigned source) {
  return code_pack((struct origin){.source = source, .context = turn->way, .slot = turn->cell->pattern});
}

static uint64_t seed_now(const struct puts *puts) { return seed_of(SEED, puts->gates.serial); }

static unsigned senders_of(const struct puts *puts, const struct turn *turn) {
  const size_t bytes = turn->cell->bytes, ctas = bytes / BYTES_OF_SENDER;
  if (turn->way == WAY_GIN)
    return bytes < GIN_SPLIT_FROM ? 1 : puts->contexts;
  return ctas < 1 ? 1 : ctas < LSA_SENDERS ? (unsigned)ctas : LSA_SENDERS;
}

static struct put_work work_of(const struct puts *puts, const struct turn *turn, unsigned rank) {
  return (struct put_work){.rank = rank,
                           .ranks = puts->ranks,
                           .serial = puts->gates.serial,
                           .senders = senders_of(puts, turn),
                           .targets = turn->targets[rank],
                           .sources = turn->sources[rank],
                           .bytes = turn->cell->bytes,
                           .largest = PUT_LARGEST,
                           .gate = gates_of(&puts->gates, rank)};
}

static bool takes_part(const struct turn *turn, unsigned rank) { return turn->targets[rank] || turn->sources[rank]; }

static bool launch_puts(struct puts *puts, struct turn *turn, char *error) {
  for (unsigned i = 0; i < puts->ranks; i++) {
    struct gpu_rank *rank = &puts->session->ranks[i];
    const struct put_work work = work_of(puts, turn, i);
    if (!takes_part(turn, i))
      continue;
    turn->waiting[i] = turn->way == WAY_GIN ? 2 * work.senders : work.senders + 1;
    if (cuda_failed(cudaSetDevice(rank->device), "cudaSetDevice", error) ||
        cuda_failed((cudaError_t)(turn->way == WAY_GIN
                                      ? gin_put_launch(rank->devcomm, rank->window, &work, rank->stream)
                                      : lsa_put_launch(rank->window, &work, rank->stream)),
                    "the put kernel", error))
      return false;
  }
  return true;
}

/* Into the target's staging memory, on the source's stream. */
static bool copy_out(struct puts *puts, struct turn *turn, unsigned source, char *error) {
  struct gpu_rank *rank = &puts->session->ranks[source];
  const struct put_work work = work_of(puts, turn, source);
  if (cuda_failed(cudaSetDevice(rank->device), "cudaSetDevice", error) ||
      cuda_failed((cudaError_t)gate_launch(&work, 0, rank->stream), "the gate kernel", error))
    return false;
  for (unsigned target = 0; target < puts->ranks; target++)
    if (has(work.targets, target) &&
        (cuda_failed(cudaMemcpyAsync(staging_of(puts, target, source), source_of(puts, source), work.bytes,
                                     cudaMemcpyDefault, rank->stream),
                     "cudaMemcpyAsync", error) ||
         cuda_failed(cudaEventRecord(puts->sent[source][target], rank->stream), "cudaEventRecord", error)))
      return false;
  return true;
}

/* From staging memory to where it belongs, on the target's second stream. */
static bool copy_in(struct puts *puts, struct turn *turn, unsigned target, char *error) {
  struct gpu_rank *rank = &puts->session->ranks[target];
  const struct put_work work = work_of(puts, turn, target);
  if (cuda_failed(cudaSetDevice(rank->device), "cudaSetDevice", error) ||
      cuda_failed((cudaError_t)gate_launch(&work, 1, rank->exchange), "the gate kernel", error))
    return false;
  for (unsigned source = 0; source < puts->ranks; source++)
    if (has(work.sources, source) &&
        (cuda_failed(cudaStreamWaitEvent(rank->exchange, puts->sent[source][target], 0), "cudaStreamWaitEvent",
                     error) ||
         cuda_failed(cudaMemcpyAsync(slot_of(puts, target, source), staging_of(puts, target, source), work.bytes,
                                     cudaMemcpyDefault, rank->exchange),
                     "cudaMemcpyAsync", error)))
      return false;
  return !cuda_failed((cudaError_t)stamp_launch(&work, 1, rank->exchange), "the stamp kernel", error);
}

static bool launch_copies(struct puts *puts, struct turn *turn, char *error) {
  for (unsigned i = 0; i < puts->ranks; i++) {
    if (takes_part(turn, i) && !copy_out(puts, turn, i, error))
      return false;
    turn->waiting[i] = takes_part(turn, i) ? 2 : 0;
  }
  for (unsigned i = 0; i < puts->ranks; i++)
    if (takes_part(turn, i) && !copy_in(puts, turn, i, error))
      return false;
  return true;
}

static bool fill(struct puts *puts, const struct turn *turn, char *error) {
  for (unsigned i = 0; i < puts->ranks; i++) {
    struct gpu_rank *rank = &puts->session->ranks[i];
    if (turn->targets[i] && (cuda_failed(cudaSetDevice(rank->device), "cudaSetDevice", error) ||
                             cuda_failed((cudaError_t)fill_launch(source_of(puts, i), turn->cell->bytes / 8,
                                                                  seed_now(puts), packed_of(turn, i), rank->stream),
                                         "the fill kernel", error)))
      return false;
  }
  return streams_wait(puts->session, WATCH_S, error);
}

static bool check_rank(struct puts *puts, const struct turn *turn, unsigned target, uint64_t *wrong, char *error) {
  struct gpu_rank *rank = &puts->session->ranks[target];
  unsigned long long found = 0;
  if (cuda_failed(cudaSetDevice(rank->device), "cudaSetDevice", error) ||
      cuda_failed(cudaMemsetAsync(puts->wrong[target], 0, sizeof found, rank->stream), "cudaMemsetAsync", error))
    return false;
  for (unsigned source = 0; source < puts->ranks; source++)
    if (has(turn->sources[target], source) &&
        cuda_failed((cudaError_t)check_launch(slot_of(puts, target, source), turn->cell->bytes / 8, seed_now(puts),
                                              packed_of(turn, source), puts->wrong[target], rank->stream),
                    "the check kernel", error))
      return false;
  if (!streams_wait(puts->session, WATCH_S, error) ||
      cuda_failed(cudaMemcpy(&found, puts->wrong[target], sizeof found, cudaMemcpyDeviceToHost), "cudaMemcpy", error))
    return false;
  *wrong += found;
  return true;
}

/* Moves new payload once, and checks it at every target. *seconds stays 0: it hung. */
static bool repeat(struct puts *puts, struct turn *turn, double *seconds, uint64_t *wrong, char *error) {
  bool hung = false;
  gates_close(&puts->gates);
  if (!fill(puts, turn, error))
    return false;
  const bool launched = turn->way == WAY_COPY ? launch_copies(puts, turn, error) : launch_puts(puts, turn, error);
  const bool open = gates_open(&puts->gates, turn->waiting);
  if (!launched || !streams_wait(puts->session, WATCH_S, error))
    return false;
  *seconds = gates_seconds(&puts->gates, turn->receivers, &hung);
  if (hung || !open)
    *seconds = 0;
  for (unsigned target = 0; *seconds > 0 && target < puts->ranks; target++)
    if (turn->sources[target] && !check_rank(puts, turn, target, wrong, error))
      return false;
  return true;
}

static void lay_out(struct turn *turn, struct cell *cell, unsigned ranks) {
  cell->pairs = 0;
  for (unsigned source = 0; source < ranks; source++)
    for (unsigned target = 0; target < ranks; target++)
      if (pattern_joins(cell->pattern, ranks, source, target)) {
        turn->targets[source] |= 1ULL << target;
        turn->sources[target] |= 1ULL << source;
        turn->receivers |= 1ULL << target;
        cell->pairs++;
      }
}

static const char *const way_names[WAYS] = {[WAY_LSA] = "lsa", [WAY_GIN] = "gin", [WAY_COPY] = "staged copy"};

static bool run_way(struct puts *puts, struct turn *turn, struct measure *measure, double *rate, char *error) {
  double seconds = 0;
  if (!repeat(puts, turn, &seconds, &measure->wrong, error))
    return false;
  measure->state = seconds > 0 ? RAN : FAILED;
  if (measure->state == FAILED) {
    /* Nothing more is run: what comes late would be taken for the mismatch of another repetition. */
    puts->session->abandoned = true;
    snprintf(error, ERROR_SIZE, "%s hung in pattern %s at %zu bytes", way_names[turn->way],
             pattern_name(turn->cell->pattern), turn->cell->bytes);
    return false;
  }
  *rate = (double)turn->cell->bytes * turn->cell->pairs / 1e9 / seconds;
  return true;
}

/* The ways in turn, each repetition beginning with another; the first is to warm up: checked, not counted. */
static bool run_cell(struct puts *puts, struct cell *cell, char *error) {
  static double rates[WAYS][REPETITIONS];
  const double end = now_seconds() + cell_seconds;
  struct turn turn = {.cell = cell};
  unsigned done = 0;
  lay_out(&turn, cell, puts->ranks);
  for (; done <= REPETITIONS && (done <= LEAST_REPETITIONS || now_seconds() < end); done++)
    for (unsigned i = 0; i < WAYS; i++) {
      const unsigned way = (i + done) % WAYS, at = done ? done - 1 : 0;
      turn.way = (enum way)way;
      memset(turn.waiting, 0, sizeof turn.waiting);
      if (puts->usable[way] && !run_way(puts, &turn, &cell->of[way], &rates[way][at], error))
        return false;
    }
  for (unsigned way = 0; way < WAYS; way++)
    if (cell->of[way].state == RAN) {
      cell->of[way].repetitions = done - 1;
      cell->of[way].gb_per_s = median_of(rates[way], done - 1);
    }
  return true;
}

static bool find_apart(struct puts *puts, char *error) {
  bool any = false;
  for (unsigned a = 0; a < puts->ranks; a++)
    for (unsigned b = 0; b < puts->ranks; b++) {
      const int from = puts->session->ranks[a].device, to = puts->session->ranks[b].device;
      int access = 1;
      if (from != to && cuda_failed(cudaDeviceCanAccessPeer(&access, from, to), "cudaDeviceCanAccessPeer", error))
        return false;
      puts->apart[a][b] = !access;
      any |= !access;
    }
  if (!any)
    return true;
  results_note(puts->results,
               "some GPUs have no access to each other: their staged copies go through the host's memory");
  return !cuda_failed(cudaMallocHost((void **)&puts->host, (size_t)puts->ranks * puts->ranks * PUT_LARGEST),
                      "cudaMallocHost", error);
}

static bool make(struct puts *puts, char *error) {
  for (unsigned i = 0; i < puts->ranks; i++) {
    if (cuda_failed(cudaSetDevice(puts->session->ranks[i].device), "cudaSetDevice", error) ||
        cuda_failed((cudaError_t)puts_load(), "loading the kernels", error) ||
        cuda_failed(cudaMalloc((void **)&puts->wrong[i], sizeof *puts->wrong[i]), "cudaMalloc", error))
      return false;
    for (unsigned target = 0; target < puts->ranks; target++)
      if (cuda_failed(cudaEventCreateWithFlags(&puts->sent[i][target], cudaEventDisableTiming), "cudaEventCreate",
                      error))
        return false;
  }
  return gates_make(&puts->gates, puts->ranks, error) && find_apart(puts, error);
}

/* A check that finds nothing wrong in the payload of another source would find nothing anywhere. */
static bool check_sees(struct puts *puts, char *error) {
  enum { WORDS = 512 };
  struct gpu_rank *rank = &puts->session->ranks[0];
  unsigned long long wrong[2] = {0, 0};
  for (unsigned i = 0; i < 2; i++)
    if (cuda_failed(cudaSetDevice(rank->device), "cudaSetDevice", error) ||
        cuda_failed(cudaMemsetAsync(puts->wrong[0], 0, sizeof *wrong, rank->stream), "cudaMemsetAsync", error) ||
        cuda_failed((cudaError_t)fill_launch(rank->memory, WORDS, SEED, 0, rank->stream), "the fill kernel", error) ||
        cuda_failed((cudaError_t)check_launch(rank->memory, WORDS, SEED, i ? 1ULL << CODE_SOURCE_SHIFT : 0,
                                              puts->wrong[0], rank->stream),
                    "the check kernel", error) ||
        !streams_wait(puts->session, WATCH_S, error) ||
        cuda_failed(cudaMemcpy(&wrong[i], puts->wrong[0], sizeof *wrong, cudaMemcpyDeviceToHost), "cudaMemcpy", error))
      return false;
  if (wrong[0] == 0 && wrong[1] == WORDS)
    return true;
  snprintf(error, ERROR_SIZE, "the check of payload is wrong itself: it found %llu and %llu words, not 0 and %d",
           wrong[0], wrong[1], WORDS);
  return false;
}

static void release(struct puts *puts) {
  for (unsigned i = 0; i < puts->ranks; i++) {
    cudaFree(puts->wrong[i]);
    for (unsigned target = 0; target < puts->ranks; target++)
      if (puts->sent[i][target])
        cudaEventDestroy(puts->sent[i][target]);
  }
  cudaFreeHost(puts->host);
  gates_free(&puts->gates);
}

static bool run_cells(struct puts *puts, char *error) {
  for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      struct cell *cell = results_cell(puts->results);
      *cell = (struct cell){.pattern = patterns[p], .bytes = sizes[s]};
      if (!run_cell(puts, cell, error))
        return false;
    }
  return true;
}

bool puts_measure(struct session *session, bool lsa, bool gin, struct results *results, char *error) {
  static struct puts puts;
  puts = (struct puts){.session = session, .results = results, .ranks = session->world.local};
  puts.usable[WAY_LSA] = lsa;
  puts.usable[WAY_GIN] = gin;
  puts.usable[WAY_COPY] = true;
  if (gin) {
    puts.contexts = gin_put_contexts(session->ranks[0].devcomm);
    puts.contexts = puts.contexts < GIN_SENDERS ? puts.contexts : GIN_SENDERS;
  }
  const bool good = make(&puts, error) && check_sees(&puts, error) && run_cells(&puts, error);
  if (!session->abandoned)
    release(&puts);
  return good;
}
