/*
 * litmus [CELL]: what the explorer says of each litmus program, one a line: Never or Sometimes, and the program as options of
 * mp.pml. With the name of a cell: the same by a table in which that cell is inverted.
 * litmus --cells: the names of all cells.
 */
#include "bench/fabric/litmus.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[TLP_KINDS] = {"WRITE", "READ", "ATOMIC", "COMPLETION"};
static const char *const engine_names[SIGNAL_ENGINES] = {
    [SIGNAL_WRITE] = "SIGNAL_WRITE",
    [SIGNAL_ATOMIC] = "SIGNAL_ATOMIC",
    [SIGNAL_RMW] = "SIGNAL_RMW",
    [SIGNAL_FLUSH_WRITE] = "SIGNAL_FLUSH_WRITE",
    [SIGNAL_FLUSH_ATOMIC] = "SIGNAL_FLUSH_ATOMIC",
    [SIGNAL_FLUSH] = "SIGNAL_FLUSH",
    [SIGNAL_COMPLETION] = "SIGNAL_COMPLETION",
};

enum { CELLS = TLP_KINDS * TLP_KINDS * CLAUSES };

static void print_cells(const struct ordering *table) {
  const struct ordering_cell *cells = &table->cells[0][0][0];
  for (unsigned i = 0; i < CELLS; i++)
    if (cells[i].name)
      puts(cells[i].name);
}

static bool invert(struct ordering *table, const char *name) {
  struct ordering_cell *cells = &table->cells[0][0][0];
  for (unsigned i = 0; i < CELLS; i++)
    if (cells[i].name && !strcmp(cells[i].name, name)) {
      cells[i].answer = cells[i].answer == PASS_NO ? PASS_MAY : PASS_NO;
      return true;
    }
  return false;
}

static void print_row(const struct ordering *table, const struct litmus *row) {
  const struct tlp *payload = &row->payload, *signal = &row->signal;
  printf(
      "%s -DPAYLOAD=%s -DPAYLOAD_RO=%d -DENGINE=%s -DSIGNAL_RO=%d -DSIGNAL_IDO=%d -DSIGNAL_ID=%d -DSIGNAL_TRANSACTION=%d\n",
      litmus_early(table, row, LITMUS_PUTS_MAX) ? "Sometimes" : "Never", kind_names[payload->kind], payload->relaxed,
      engine_names[row->engine], signal->relaxed, signal->id_ordered, signal->id != payload->id,
      signal->transaction != payload->transaction);
}

int main(int argc, char **argv) {
  struct ordering table = pcie_ordering;
  struct litmus rows[LITMUS_ROWS];
  if (argc == 2 && !strcmp(argv[1], "--cells")) {
    print_cells(&table);
    return 0;
  }
  if (argc > 2 || (argc == 2 && !invert(&table, argv[1]))) {
    fprintf(stderr, "usage: litmus [--cells | CELL]\n");
    return 2;
  }
  litmus_rows(rows);
  for (unsigned i = 0; i < LITMUS_ROWS; i++)
    print_row(&table, &rows[i]);
  return 0;
}
