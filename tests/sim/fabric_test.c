/* The simulated fabric: what it lets happen is what the litmus programs say, and what faults break. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/fabric/litmus.h"
#include "lanes.h"

enum { SEED = 20261130, ROW_TRIES = 20000, CLEAN_TRIES = 1000000, FAULT_TRIES = 200000, RARE_TRIES = 12000000 };

static struct lanes_world world;

static int open_world(void **state) {
  (void)state;
  lanes_open(&world);
  return 0;
}

static int close_world(void **state) {
  (void)state;
  lanes_close(&world);
  return 0;
}

static int no_fault(void **state) {
  (void)state;
  unsetenv("WINORD_FABRIC_FAULT");
  unsetenv("WINORD_FABRIC_MODE");
  return 0;
}

/* What the lanes do for a row: three payload TLPs, then the signal in a window. */
static struct lanes_program program_of(const struct litmus *row) {
  return (struct lanes_program){.lanes = 1,
                                .bytes = 192,
                                .payload_relaxed = row->payload.relaxed,
                                .signal_relaxed = row->signal.relaxed,
                                .va = true,
                                .flag = row->engine == SIGNAL_WRITE};
}

static bool simulated(const struct ordering *table, const struct litmus *row) {
  const struct fabric_settings settings = {
      .seed = SEED, .tlp_bytes = 64, .pci_atomic_mode = row->engine == SIGNAL_ATOMIC ? 4 : 0};
  const struct lanes_program program = program_of(row);
  const struct lanes_result result = lanes_run(&world, table, &settings, &program, ROW_TRIES, true);
  assert_int_equal(result.wrong_value + result.unfinished + result.beside, 0);
  return result.early > 0;
}

static const enum signal_engine engines[] = {SIGNAL_WRITE, SIGNAL_ATOMIC, SIGNAL_RMW};
enum { ENGINES = sizeof engines / sizeof *engines, ROWS = 4 * ENGINES };

static struct litmus row_of(unsigned number) {
  return (struct litmus){.payload = {.relaxed = number & 1, .transaction = 1},
                         .signal = {.relaxed = number >> 1 & 1, .transaction = 2},
                         .engine = engines[number / 4]};
}

/* How many rows the simulator decides otherwise than the explorer. */
static unsigned disagreements(const struct ordering *simulators, const struct ordering *explorers) {
  unsigned count = 0;
  for (unsigned i = 0; i < ROWS; i++) {
    const struct litmus row = row_of(i);
    count += simulated(simulators, &row) != litmus_early(explorers, &row, LITMUS_PUTS_MAX);
  }
  return count;
}

static void rows_agree(void **state) {
  (void)state;
  assert_int_equal(disagreements(NULL, &pcie_ordering), 0);
}

/* The cells that these rows ask. By a table with one of them inverted simulator and explorer still agree, and differ from PCIe. */
static void inverted_cells_agree(void **state) {
  (void)state;
  static const struct {
    enum tlp_kind kind;
    enum clause clause;
    bool matters; /* alone; a strict read that passes is followed by a strict write that does not */
  } cells[] = {{TLP_WRITE, ALWAYS, true},       {TLP_READ, ALWAYS, false},      {TLP_ATOMIC, ALWAYS, true},
               {TLP_WRITE, WHEN_RELAXED, true}, {TLP_READ, WHEN_RELAXED, true}, {TLP_ATOMIC, WHEN_RELAXED, true}};
  for (unsigned i = 0; i < sizeof cells / sizeof *cells; i++) {
    struct ordering table = pcie_ordering;
    struct ordering_cell *cell = &table.cells[cells[i].kind][TLP_WRITE][cells[i].clause];
    cell->answer = cell->answer == PASS_NO ? PASS_MAY : PASS_NO;
    assert_int_equal(disagreements(&table, &table), 0);
    assert_int_equal(disagreements(&table, &pcie_ordering) > 0, cells[i].matters);
  }
}

static void same_seed_same_run(void **state) {
  (void)state;
  const struct lanes_program program = {.lanes = 16, .bytes = 4096, .va = true, .signal_relaxed = true};
  for (int mode = 0; mode <= 4; mode += 4) {
    struct fabric_settings settings = {.seed = SEED, .pci_atomic_mode = mode, .background = 4};
    const struct lanes_result one = lanes_run(&world, NULL, &settings, &program, 5000, false);
    const struct lanes_result two = lanes_run(&world, NULL, &settings, &program, 5000, false);
    settings.seed++;
    const struct lanes_result other = lanes_run(&world, NULL, &settings, &program, 5000, false);
    assert_memory_equal(&one, &two, sizeof one);
    assert_true(one.trace != other.trace);
  }
}

/* The programs that NCCL promises to keep in order. */
static const struct lanes_program promised[] = {
    {.lanes = 16, .bytes = 64},
    {.lanes = 16, .bytes = 1000, .payload_relaxed = true},
    {.lanes = 16, .bytes = 1000, .payload_relaxed = true, .apart = true},
    {.lanes = 16, .bytes = 512, .va = true, .two = true},
};

static void clean_run_is_clean(void **state) {
  (void)state;
  for (unsigned i = 0; i < sizeof promised / sizeof *promised; i++)
    for (int mode = 0; mode <= 4; mode += 4) {
      const struct fabric_settings settings = {.seed = SEED + i, .pci_atomic_mode = mode, .background = i % 2 * 4};
      const uint64_t tries = i == 0 && mode == 4 ? CLEAN_TRIES : CLEAN_TRIES / 20;
      const struct lanes_result result = lanes_run(&world, NULL, &settings, &promised[i], tries, false);
      assert_int_equal(lanes_violations(&result), 0);
      assert_int_equal(result.tries, tries);
      assert_int_equal(result.counts.signals, tries);
    }
}

static void lateness_spans_microseconds(void **state) {
  (void)state;
  const struct lanes_program program = {.lanes = 8, .bytes = 64, .va = true, .signal_relaxed = true};
  const struct fabric_settings settings = {.seed = SEED, .pci_atomic_mode = 4};
  const struct lanes_result result = lanes_run(&world, NULL, &settings, &program, 50000, false);
  assert_true(result.early > 500);
  assert_true(result.late_most > 4000 && result.late_most < 20000);
  assert_true(result.counts.passed >= result.early);
}

static void nothing_passes_unless_asked(void **state) {
  (void)state;
  const struct lanes_program program = {.lanes = 8, .bytes = 64, .va = true, .signal_relaxed = true};
  const struct fabric_settings settings = {.seed = SEED, .pci_atomic_mode = 4, .reorder = -1};
  const struct lanes_result result = lanes_run(&world, NULL, &settings, &program, 50000, false);
  assert_int_equal(lanes_violations(&result) + result.counts.passed, 0);
}

/* A weak signal may come before the first of two puts, never before its own; a strong one before none. */
static void weak_and_strong(void **state) {
  (void)state;
  struct lanes_program program = {.lanes = 8, .bytes = 128, .two = true, .weak = true};
  const struct fabric_settings settings = {.seed = SEED, .pci_atomic_mode = 4};
  const struct lanes_result weak = lanes_run(&world, NULL, &settings, &program, 50000, false);
  assert_true(weak.early > 100);
  assert_int_equal(weak.own_early, 0);
  program.weak = false;
  const struct lanes_result strong = lanes_run(&world, NULL, &settings, &program, 50000, false);
  assert_int_equal(strong.early, 0);
}

static uint64_t with_fault(const char *name, int mode, uint64_t tries, struct lanes_result *result) {
  const struct lanes_program program = {.lanes = 16, .bytes = 1024};
  const struct fabric_settings settings = {.seed = SEED, .pci_atomic_mode = mode};
  setenv("WINORD_FABRIC_FAULT", name, 1);
  *result = lanes_run(&world, NULL, &settings, &program, tries, true);
  return lanes_violations(result);
}

/* Signals with RO are harmless in mode 0: the NIC's read does not pass. */
static void every_fault_shows(void **state) {
  (void)state;
  size_t count;
  const struct fabric_fault *faults = fabricFaults(&count);
  assert_true(count >= 14);
  for (size_t i = 0; i < count; i++)
    for (int mode = 0; mode <= 4; mode += 4) {
      struct lanes_result result;
      const bool rare = strcmp(faults[i].name, "rare") == 0;
      const bool harmless = mode == 0 && strcmp(faults[i].name, "relaxed-signal") == 0;
      if (rare && mode == 0)
        continue;
      const uint64_t violations = with_fault(faults[i].name, mode, rare ? RARE_TRIES : FAULT_TRIES, &result);
      printf("# %s, mode %d: %llu tries\n", faults[i].name, mode, (unsigned long long)result.tries);
      if ((violations > 0) == harmless)
        fail_msg("%s in mode %d: %llu violations", faults[i].name, mode, (unsigned long long)violations);
    }
}

static void brief_is_brief(void **state) {
  (void)state;
  const struct lanes_program program = {.lanes = 16, .bytes = 64};
  const struct fabric_settings settings = {.seed = SEED, .pci_atomic_mode = 4};
  setenv("WINORD_FABRIC_FAULT", "brief", 1);
  const struct lanes_result result = lanes_run(&world, NULL, &settings, &program, FAULT_TRIES, false);
  assert_true(result.early > 100);
  assert_true(result.late_most < 1000);
}

/* Without a fault, and with one that never gets its occasion, the run is the same. */
static void no_fault_changes_nothing(void **state) {
  (void)state;
  const struct lanes_program program = {.lanes = 16, .bytes = 64};
  const struct fabric_settings settings = {.seed = SEED, .pci_atomic_mode = 4};
  const struct lanes_result none = lanes_run(&world, NULL, &settings, &program, 1000, false);
  static const char *const same[] = {"", "half-lines", "rare"};
  for (unsigned i = 0; i < sizeof same / sizeof *same; i++) {
    setenv("WINORD_FABRIC_FAULT", same[i], 1);
    const struct lanes_result result = lanes_run(&world, NULL, &settings, &program, 1000, false);
    assert_memory_equal(&none, &result, sizeof none);
  }
}

struct order {
  unsigned done, flushed_after;
};

static void count_done(void *user) { ((struct order *)user)->done++; }

static void note_flushed(void *user) {
  struct order *order = user;
  order->flushed_after = order->done;
}

static void flush_waits_for_all_before(void **state) {
  (void)state;
  static uint64_t source[512];
  const struct fabric_settings settings = {.seed = SEED};
  for (int told = 0; told < 2; told++) {
    struct order order = {0};
    struct fabric *fabric = fabricOpen(world.comms[0], &settings);
    const struct fabric_put put = {.to = world.windows[0], .from = source, .bytes = sizeof source};
    for (int i = 0; i < 3; i++)
      assert_true(fabricPut(fabric, &put, told ? count_done : NULL, &order));
    fabricFlush(fabric, 0, 0, count_done, &order);
    fabricFlush(fabric, 0, 0, note_flushed, &order);
    assert_true(fabricPut(fabric, &put, NULL, NULL));
    while (fabricStep(fabric) && order.flushed_after == 0)
      ;
    assert_int_equal(order.flushed_after, told ? 4 : 1);
    assert_true(fabricNow(fabric) > 1000);
    fabricFlush(fabric, 0, 1, count_done, &order);
    while (fabricStep(fabric))
      ;
    assert_int_equal(order.done, told ? 5 : 2);
    fabricClose(fabric);
  }
}

/* Fetch-adds of many sources to one word all count, whoever carries them out. */
static void adds_are_atomic(void **state) {
  (void)state;
  for (int mode = 0; mode <= 4; mode++) {
    const struct fabric_settings settings = {.seed = SEED, .pci_atomic_mode = mode};
    struct fabric *fabric = fabricOpen(world.comms[0], &settings);
    memset(world.memory[1], 0, LANES_WINDOW);
    const struct fabric_signal signal = {
        .va = true, .strong = true, .window = world.windows[1], .offset = 64, .add = 3};
    for (int i = 0; i < 4096; i++)
      assert_true(fabricSignal(fabric, i % LANES_RANKS, i / LANES_RANKS % FABRIC_CONTEXTS, &signal));
    while (fabricStep(fabric))
      ;
    assert_int_equal(fabricSignalValue(fabric, &signal), 3 * 4096);
    fabricClose(fabric);
  }
}

static void bad_settings(void **state) {
  (void)state;
  static const struct fabric_settings bad[] = {
      {.tlp_bytes = 32},      {.tlp_bytes = 8192},     {.tlp_bytes = 192},
      {.reorder = 1.5},       {.pci_atomic_mode = 5},  {.pci_atomic_mode = -1},
      {.background = 100000}, {.link_ns = 2000000000}, {.jitter_ns = 2000000000}};
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_null(fabricOpen(world.comms[0], &bad[i]));
    assert_true(strlen(ncclGetLastError(NULL)) > 0);
  }
}

static void bad_environment(void **state) {
  (void)state;
  const struct fabric_settings settings = {.seed = SEED};
  static const char *const modes[] = {"5", "-1", "04", "x"};
  for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
    setenv("WINORD_FABRIC_MODE", modes[i], 1);
    assert_null(fabricOpen(world.comms[0], &settings));
    assert_non_null(strstr(ncclGetLastError(NULL), "WINORD_FABRIC_MODE"));
  }
  setenv("WINORD_FABRIC_MODE", "4", 1);
  setenv("WINORD_FABRIC_FAULT", "gremlin", 1);
  assert_null(fabricOpen(world.comms[0], &settings));
  assert_non_null(strstr(ncclGetLastError(NULL), "\"gremlin\""));
}

static void bad_posts(void **state) {
  (void)state;
  const struct fabric_settings settings = {.seed = SEED};
  struct fabric *fabric = fabricOpen(world.comms[0], &settings);
  const struct fabric_put good = {.to = world.windows[0], .from = &settings, .bytes = 8};
  struct fabric_put puts[8];
  for (unsigned i = 0; i < 8; i++)
    puts[i] = good;
  puts[0].source = LANES_RANKS;
  puts[1].source = -1;
  puts[2].context = FABRIC_CONTEXTS;
  puts[3].to_offset = LANES_WINDOW - 4;
  puts[4].to_offset = SIZE_MAX;
  puts[5].bytes = 0;
  puts[6].to = NULL;
  puts[7].bytes = LANES_WINDOW + 1;
  for (unsigned i = 0; i < 8; i++)
    assert_false(fabricPut(fabric, &puts[i], NULL, NULL));
  const struct fabric_signal signals[] = {{.index = FABRIC_SIGNALS},
                                          {.va = true, .window = world.windows[0], .offset = 4},
                                          {.va = true, .window = world.windows[0], .offset = LANES_WINDOW},
                                          {.va = true}};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct fabric_put put = good;
    put.signal = &signals[i];
    assert_false(fabricPut(fabric, &put, NULL, NULL));
    assert_false(fabricSignal(fabric, 0, 0, &signals[i]));
  }
  assert_false(fabricStep(fabric));
  fabricClose(fabric);
}

/* Another receiver's window is not this fabric's memory. */
static void foreign_window(void **state) {
  (void)state;
  const struct fabric_settings settings = {.seed = SEED};
  struct fabric *fabric = fabricOpen(world.comms[1], &settings);
  const struct fabric_put put = {.to = world.windows[0], .from = &settings, .bytes = 8};
  assert_false(fabricPut(fabric, &put, NULL, NULL));
  fabricClose(fabric);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(rows_agree, no_fault),
      cmocka_unit_test_teardown(inverted_cells_agree, no_fault),
      cmocka_unit_test_teardown(same_seed_same_run, no_fault),
      cmocka_unit_test_teardown(clean_run_is_clean, no_fault),
      cmocka_unit_test_teardown(lateness_spans_microseconds, no_fault),
      cmocka_unit_test_teardown(nothing_passes_unless_asked, no_fault),
      cmocka_unit_test_teardown(weak_and_strong, no_fault),
      cmocka_unit_test_teardown(every_fault_shows, no_fault),
      cmocka_unit_test_teardown(brief_is_brief, no_fault),
      cmocka_unit_test_teardown(no_fault_changes_nothing, no_fault),
      cmocka_unit_test_teardown(flush_waits_for_all_before, no_fault),
      cmocka_unit_test_teardown(adds_are_atomic, no_fault),
      cmocka_unit_test_teardown(bad_settings, no_fault),
      cmocka_unit_test_teardown(bad_environment, no_fault),
      cmocka_unit_test_teardown(bad_posts, no_fault),
      cmocka_unit_test_teardown(foreign_window, no_fault),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
