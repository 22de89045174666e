/* The lanes of a block, as each rank lays them out by itself: both ends must agree, and none may share a word with another. */
#include "bench/stress/gpu/plan.h"
#include "tests/policy/rows.h"

enum { LARGEST = 4104, RANKS = 70 };

static const struct plan_row {
  const char *name;
  unsigned ranks;
  const char *scenario;
  size_t bytes, offset;
  unsigned tries;
} plan_rows[] = {
    {"one rank", 1, "put+signal", 64, 0, 2500},
    {"two ranks", 2, "put+signal", 4104, 4088, 2500},
    {"three ranks, rings", 3, "channel-tail", 512, 56, 100},
    {"eight ranks", 8, "2put+signal", 16, 8, 1},
    {"seventeen ranks", 17, "put;va-signal", 4096, 2048, 2500},
    {"seventy ranks, rings", 70, "channel-tail", 8, 120, 300},
};

static struct plan plans[RANKS];

static void make_plans(const struct plan_row *row, unsigned long long number) {
  const struct block block = {.scenario = scenario_find(row->scenario),
                              .pattern = PATTERN_MIXED,
                              .bytes = row->bytes,
                              .offset = row->offset,
                              .tries = row->tries,
                              .number = number,
                              .seed = 7};
  for (unsigned rank = 0; rank < row->ranks; rank++)
    assert_true(plan_block(&plans[rank], row->ranks, rank, LARGEST, &block));
}

static const struct end *other_end(const struct end *receiving, unsigned receiver) {
  const struct plan *plan = &plans[receiving->peer];
  for (unsigned e = plan->receiving; e < plan->count; e++)
    if (plan->ends[e].peer == receiver && plan->ends[e].number == receiving->number)
      return &plan->ends[e];
  return NULL;
}

static void check_agreement(const struct plan_row *row) {
  unsigned received = 0, sent = 0;
  for (unsigned rank = 0; rank < row->ranks; rank++) {
    sent += plans[rank].count - plans[rank].receiving;
    for (unsigned e = 0; e < plans[rank].receiving; e++, received++) {
      const struct end *a = &plans[rank].ends[e], *b = other_end(a, rank);
      assert_non_null(b);
      assert_true(a->receiving && !b->receiving);
      assert_true(a->slots == b->slots && a->stride == b->stride && a->signal == b->signal && a->ack == b->ack);
      assert_true(a->final == b->final && a->seed == b->seed && a->quota == b->quota && a->words == b->words);
      assert_true(a->context == b->context && a->source == b->source && a->counter == b->counter);
      assert_memory_equal(&a->origin, &b->origin, sizeof a->origin);
      assert_int_equal(row->bytes / 8, a->words);
    }
  }
  assert_int_equal(received, sent);
}

/* A word of a window, or a run of words, and who uses it. */
struct use {
  uint64_t from, to;
};

static int by_start(const void *a, const void *b) {
  const struct use *first = a, *second = b;
  return first->from < second->from ? -1 : first->from > second->from;
}

static unsigned add_slots(struct use *uses, uint64_t at, const struct end *end, unsigned depth) {
  for (unsigned i = 0; i < depth; i++)
    uses[i] = (struct use){at + i * end->stride, at + i * end->stride + (uint64_t)end->words * 8};
  return depth;
}

static void check_apart(const struct plan_row *row, const struct plan *plan) {
  const unsigned depth = scenario_find(row->scenario)->depth;
  struct use *uses = calloc(((size_t)plan->count + 1) * (depth + 2), sizeof *uses);
  unsigned count = 0;
  for (unsigned e = 0; e < plan->count; e++) {
    const struct end *end = &plan->ends[e];
    count += add_slots(&uses[count], end->receiving ? end->slots : end->source, end, depth);
    uses[count++] = end->receiving ? (struct use){end->signal, end->signal + 8} : (struct use){end->ack, end->ack + 8};
    if (end->receiving)
      uses[count++] = (struct use){end->final, end->final + 8};
  }
  qsort(uses, count, sizeof *uses, by_start);
  for (unsigned i = 0; i < count; i++) {
    assert_true(uses[i].to <= plan_window_bytes(row->ranks, LARGEST));
    assert_int_equal(0, uses[i].from % 8);
    assert_true(i == 0 || uses[i - 1].to <= uses[i].from);
  }
  free(uses);
}

static void test_plan(void **state) {
  const struct plan_row *row = *state;
  for (unsigned long long number = 0; number < 12; number++) {
    make_plans(row, number);
    check_agreement(row);
    for (unsigned rank = 0; rank < row->ranks; rank++) {
      check_apart(row, &plans[rank]);
      for (unsigned e = 0; e < plans[rank].count; e++) {
        assert_true(plans[rank].ends[e].number < plan_signals(row->ranks));
        assert_true(plans[rank].ends[e].counter < plan_signals(row->ranks));
      }
    }
  }
}

int main(void) {
  static struct suite suite;
  ROWS(&suite, plan_rows, test_plan);
  return suite_run("plan", &suite);
}
