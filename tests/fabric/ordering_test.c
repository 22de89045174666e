/* The ordering function against the PCIe table, a test per cell; then what follows for signals, a test per litmus program. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/fabric/litmus.h"

#include <stdio.h>
#include <string.h>

enum { REQUESTER = 0x4100, OTHER_REQUESTER = 0x4101 };

/* Written off the specification's table (2.4.1), row by row; `passes` is its word: No, Y/N or Yes. */
struct expected_cell {
  const char *name;
  enum tlp_kind trailing, earlier;
  enum clause clause;
  const char *passes;
};

static struct expected_cell expected_cells[] = {
    {"A2a", TLP_WRITE, TLP_WRITE, ALWAYS, "No"},
    {"A2b-RO", TLP_WRITE, TLP_WRITE, WHEN_RELAXED, "Y/N"},
    {"A2b-IDO", TLP_WRITE, TLP_WRITE, WHEN_OTHER_ID, "Y/N"},
    {"A3", TLP_WRITE, TLP_READ, ALWAYS, "Yes"},
    {"A4", TLP_WRITE, TLP_ATOMIC, ALWAYS, "Yes"},
    {"A5a", TLP_WRITE, TLP_COMPLETION, ALWAYS, "Y/N"},
    {"B2a", TLP_READ, TLP_WRITE, ALWAYS, "No"},
    {"B2b-RO", TLP_READ, TLP_WRITE, WHEN_RELAXED, "No"},
    {"B2b-IDO", TLP_READ, TLP_WRITE, WHEN_OTHER_ID, "Y/N"},
    {"B3", TLP_READ, TLP_READ, ALWAYS, "Y/N"},
    {"B4", TLP_READ, TLP_ATOMIC, ALWAYS, "Y/N"},
    {"B5", TLP_READ, TLP_COMPLETION, ALWAYS, "Y/N"},
    {"C2a", TLP_ATOMIC, TLP_WRITE, ALWAYS, "No"},
    {"C2b-RO", TLP_ATOMIC, TLP_WRITE, WHEN_RELAXED, "Y/N"},
    {"C2b-IDO", TLP_ATOMIC, TLP_WRITE, WHEN_OTHER_ID, "Y/N"},
    {"C3", TLP_ATOMIC, TLP_READ, ALWAYS, "Y/N"},
    {"C4", TLP_ATOMIC, TLP_ATOMIC, ALWAYS, "Y/N"},
    {"C5", TLP_ATOMIC, TLP_COMPLETION, ALWAYS, "Y/N"},
    {"D2a", TLP_COMPLETION, TLP_WRITE, ALWAYS, "No"},
    {"D2b-RO", TLP_COMPLETION, TLP_WRITE, WHEN_RELAXED, "Y/N"},
    {"D2b-IDO", TLP_COMPLETION, TLP_WRITE, WHEN_OTHER_ID, "Y/N"},
    {"D3", TLP_COMPLETION, TLP_READ, ALWAYS, "Yes"},
    {"D4", TLP_COMPLETION, TLP_ATOMIC, ALWAYS, "Yes"},
    {"D5a", TLP_COMPLETION, TLP_COMPLETION, ALWAYS, "Y/N"},
    {"D5b", TLP_COMPLETION, TLP_COMPLETION, WHEN_SAME_TRANSACTION, "No"},
};

enum { CELLS = sizeof expected_cells / sizeof *expected_cells, OTHER_TESTS = 7 };

/* The two TLPs of a cell: trailing has what its clause asks for, and nothing else. */
static void pair_of(const struct expected_cell *cell, struct tlp *trailing, struct tlp *earlier) {
  *earlier = (struct tlp){.kind = cell->earlier, .id = REQUESTER, .transaction = 1};
  *trailing = (struct tlp){
      .kind = cell->trailing,
      .relaxed = cell->clause == WHEN_RELAXED,
      .id_ordered = cell->clause == WHEN_OTHER_ID,
      .id = cell->clause == WHEN_OTHER_ID ? OTHER_REQUESTER : REQUESTER,
      .transaction = cell->clause == WHEN_SAME_TRANSACTION ? 1 : 2,
  };
}

static void test_cell(void **state) {
  static const char *const words[] = {[PASS_NO] = "No", [PASS_MAY] = "Y/N", [PASS_YES] = "Yes"};
  const struct expected_cell *expected = *state;
  const struct ordering_cell *cell = &pcie_ordering.cells[expected->trailing][expected->earlier][expected->clause];
  struct tlp trailing, earlier;
  pair_of(expected, &trailing, &earlier);
  assert_non_null(cell->name);
  assert_string_equal(expected->name, cell->name);
  assert_string_equal(expected->passes, words[cell->answer]);
  assert_int_equal(strcmp(expected->passes, "No") != 0, may_pass(trailing, earlier));
}

static void test_no_other_cell(void **state) {
  (void)state;
  const struct ordering_cell *cells = &pcie_ordering.cells[0][0][0];
  unsigned stated = 0;
  for (unsigned i = 0; i < TLP_KINDS * TLP_KINDS * CLAUSES; i++)
    stated += cells[i].name != NULL;
  assert_int_equal(CELLS, stated);
}

/* Every pair of TLPs, with every attribute. Calls check with each. */
static void each_pair(void (*check)(struct tlp trailing, struct tlp earlier)) {
  for (unsigned i = 0; i < 1U << 10; i++) {
    struct tlp trailing = {(enum tlp_kind)(i & 3), i >> 4 & 1, i >> 5 & 1, REQUESTER, 1};
    struct tlp earlier = {(enum tlp_kind)(i >> 2 & 3), i >> 6 & 1, i >> 7 & 1, i >> 8 & 1 ? OTHER_REQUESTER : REQUESTER,
                          1 + (i >> 9 & 1)};
    check(trailing, earlier);
  }
}

static void check_earlier_attributes(struct tlp trailing, struct tlp earlier) {
  struct tlp bare = earlier;
  bare.relaxed = bare.id_ordered = false;
  assert_int_equal(may_pass(trailing, bare), may_pass(trailing, earlier));
}

static void test_earlier_attributes(void **state) {
  (void)state;
  each_pair(check_earlier_attributes);
}

static void check_more_freedom(struct tlp trailing, struct tlp earlier) {
  struct tlp free = trailing;
  free.relaxed = free.id_ordered = true;
  assert_true(may_pass(free, earlier) || !may_pass(trailing, earlier));
}

static void test_more_freedom(void **state) {
  (void)state;
  each_pair(check_more_freedom);
}

static void check_same_requester(struct tlp trailing, struct tlp earlier) {
  struct tlp plain = trailing;
  plain.id_ordered = false;
  earlier.id = trailing.id;
  assert_int_equal(may_pass(plain, earlier), may_pass(trailing, earlier));
}

static void test_same_requester(void **state) {
  (void)state;
  each_pair(check_same_requester);
}

static void test_atomic_modes(void **state) {
  (void)state;
  assert_int_equal(SIGNAL_RMW, atomic_engine(0));
  for (unsigned mode = 1; mode <= 4; mode++)
    assert_int_equal(SIGNAL_ATOMIC, atomic_engine(mode));
}

/* What each engine sends: kinds as letters of the table's rows; `>` waits for the completion; lower case: without RO. */
static const char *const engine_tlps[SIGNAL_ENGINES] = {
    [SIGNAL_WRITE] = "A",          [SIGNAL_ATOMIC] = "C", [SIGNAL_RMW] = "B>A",      [SIGNAL_FLUSH_WRITE] = "b>A",
    [SIGNAL_FLUSH_ATOMIC] = "b>C", [SIGNAL_FLUSH] = "B",  [SIGNAL_COMPLETION] = "D",
};

static void test_steps(void **state) {
  (void)state;
  for (unsigned engine = 0; engine < SIGNAL_ENGINES; engine++) {
    struct step steps[LITMUS_STEPS_MAX];
    char text[8] = "", *end = text;
    struct tlp payload = {.kind = TLP_WRITE, .id = REQUESTER}, signal = {.relaxed = true, .id_ordered = true, .id = 7};
    unsigned count = put_then_signal(payload, 2, (enum signal_engine)engine, signal, steps);
    for (unsigned i = 0; i < 2; i++)
      assert_true(!memcmp(&payload, &steps[i].tlp, sizeof payload) && steps[i].after == -1);
    for (unsigned i = 2; i < count; i++) {
      assert_true(steps[i].after == (i == 2 ? -1 : 2) && steps[i].tlp.id_ordered && steps[i].tlp.id == 7);
      end += sprintf(end, "%s%c", i > 2 ? ">" : "", "Aa\0Bb\0Cc\0Dd"[3 * steps[i].tlp.kind + !steps[i].tlp.relaxed]);
    }
    assert_string_equal(engine_tlps[engine], text);
  }
}

/*
 * What a receiver may see, N(ever) or S(ometimes) early. Payload strict and signal strict, strict and relaxed, relaxed and
 * strict, both relaxed; then all strict and the signal with IDO, of the same requester and of another.
 */
static const char *const expected_early[SIGNAL_ENGINES] = {
    [SIGNAL_WRITE] = "NSNSNS",       [SIGNAL_ATOMIC] = "NSNSNS",       [SIGNAL_RMW] = "NNNNNS",
    [SIGNAL_FLUSH_WRITE] = "NNNNNS", [SIGNAL_FLUSH_ATOMIC] = "NNNNNS", [SIGNAL_FLUSH] = "NNNNNS",
    [SIGNAL_COMPLETION] = "NSNSNS",
};

static bool expect_early(const struct litmus *row) {
  if (row->payload.kind != TLP_WRITE)
    return row->payload.kind != TLP_COMPLETION || row->payload.transaction != row->signal.transaction;
  unsigned column = 2U * row->payload.relaxed + row->signal.relaxed;
  if (row->signal.id_ordered)
    column = 4U + (row->signal.id != row->payload.id);
  return expected_early[row->engine][column] == 'S';
}

static void test_litmus(void **state) {
  const struct litmus *row = *state;
  for (unsigned puts = 1; puts <= LITMUS_PUTS_MAX; puts++)
    assert_int_equal(expect_early(row), litmus_early(&pcie_ordering, row, puts));
}

static void test_rows_differ(void **state) {
  const struct litmus *rows = *state;
  for (unsigned i = 0; i < LITMUS_ROWS; i++)
    for (unsigned j = 0; j < i; j++)
      assert_true(memcmp(&rows[i], &rows[j], sizeof *rows) != 0);
}

int main(void) {
  static struct litmus rows[LITMUS_ROWS];
  static char names[LITMUS_ROWS][24];
  struct CMUnitTest tests[OTHER_TESTS + CELLS + LITMUS_ROWS] = {
      cmocka_unit_test(test_no_other_cell),
      cmocka_unit_test(test_earlier_attributes),
      cmocka_unit_test(test_more_freedom),
      cmocka_unit_test(test_same_requester),
      cmocka_unit_test(test_atomic_modes),
      cmocka_unit_test(test_steps),
      cmocka_unit_test_prestate(test_rows_differ, rows),
  };
  struct CMUnitTest *next = tests + OTHER_TESTS;
  litmus_rows(rows);
  for (unsigned i = 0; i < CELLS; i++)
    *next++ = (struct CMUnitTest){expected_cells[i].name, test_cell, NULL, NULL, &expected_cells[i]};
  for (unsigned i = 0; i < LITMUS_ROWS; i++) {
    snprintf(names[i], sizeof names[i], "litmus program %u", i + 1);
    *next++ = (struct CMUnitTest){names[i], test_litmus, NULL, NULL, &rows[i]};
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
