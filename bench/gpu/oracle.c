#include <stdio.h>
#include <string.h>

#include "bench/gpu/parts.h"
#include "bench/stress/gpu/blocks.h"
#include "bench/stress/gpu/plan.h"

enum { TRIES = 8000, SEED = 4711 };

static const struct of_block {
  const char *what, *scenario;
  size_t bytes;
  double target; /* 0: none */
} blocks[] = {
    {"hunter's block, tries/s with oracle", "put+signal", 16, 0.9},
    {"hunter's block, tries/s with oracle", "put+signal", 256, 0.9},
    {"hunter's block, tries/s with oracle", "put+signal", 1024, 0.9},
    {"hunter's block, tries/s with oracle", "put+signal", 4096, 0.9},
    {"hunter's block, tries/s with oracle", "put+signal", LANE_LARGEST, 0.6},
    {"its ring of 8, tries/s with oracle", "channel-tail", 16, 0},
    {"its ring of 8, tries/s with oracle", "channel-tail", 4096, 0},
    {"its ring of 8, tries/s with oracle", "channel-tail", LANE_LARGEST, 0},
};

size_t parts_window_bytes(unsigned ranks) {
  const size_t lanes = plan_window_bytes(ranks, LANE_LARGEST);
  const size_t puts = (2 * (size_t)ranks + 1) * PUT_LARGEST + (size_t)ranks * LINE_BYTES;
  return lanes > puts ? lanes : puts;
}

/* A block of the hunter, with its lanes and pauses. *rate: tries per second of all ranks; 0: not all were good. */
static bool run_block(struct session *session, const struct of_block *of, unsigned number, bool check, double *rate,
                      char *error) {
  static const struct kind_of_block lsa = {.launch = lsa_launch, .capacity = lsa_capacity, .all_signals_va = true};
  static struct outcomes sums[LOCAL_RANKS_MAX];
  const struct block block = {.scenario = scenario_find(of->scenario),
                              .pattern = PATTERN_PAIRS,
                              .bytes = of->bytes,
                              .tries = TRIES,
                              .number = number,
                              .seed = SEED};
  uint64_t tries = 0, longest = 0, bad = 0;
  memset(sums, 0, sizeof sums);
  if (!blocks_run(session, &lsa, LANE_LARGEST, &block, check, sums, error))
    return false;
  for (unsigned i = 0; i < session->world.local; i++) {
    tries += sums[i].tries;
    bad += outcome_violations(&sums[i]);
    longest = sums[i].time_ns > longest ? sums[i].time_ns : longest;
  }
  *rate = bad || !longest ? 0 : (double)tries / ((double)longest / 1e9);
  return true;
}

static bool compare(struct session *session, const struct of_block *of, struct row *row, char *error) {
  double rates[2][REPETITIONS], ratios[REPETITIONS];
  for (unsigned repetition = 0; repetition <= REPETITIONS; repetition++) {
    const unsigned at = repetition ? repetition - 1 : 0;
    for (unsigned turn = 0; turn < 2; turn++) {
      const unsigned check = (turn + repetition) & 1;
      if (!run_block(session, of, repetition, check, &rates[check][at], error))
        return false;
      if (!(rates[check][at] > 0))
        return true;
    }
    ratios[at] = rates[1][at] / rates[0][at];
  }
  row->state = RAN;
  row->measured = median_of(rates[1], REPETITIONS);
  row->floor = median_of(rates[0], REPETITIONS);
  row->ratio = median_of(ratios, REPETITIONS);
  return true;
}

bool oracle_measure(struct session *session, struct results *results, char *error) {
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    const struct of_block *of = &blocks[i];
    struct row *row = results_row(results);
    *row = (struct row){.part = "oracle",
                        .what = of->what,
                        .floor_what = "without",
                        .unit = "/s",
                        .state = FAILED,
                        .bytes = of->bytes,
                        .repetitions = REPETITIONS,
                        .target = of->target,
                        .at_least = true};
    if (!compare(session, of, row, error))
      return false;
    if (row->state == FAILED)
      results_note(results, "the hunter found a violation in its own block of %zu bytes: nothing is compared",
                   of->bytes);
  }
  blocks_free();
  return true;
}
