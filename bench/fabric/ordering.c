#include "bench/fabric/ordering.h"

#include <stddef.h>

/*
 * Row b of column 2 also has PASIDs, and in D2b the completion of an I/O or configuration write: none of them exists here.
 * A5b is for bridges to conventional PCI. B2b says nothing of RO, so the answer stays B2a's; it has a cell of its own because
 * the safety of PCI_ATOMIC_MODE 0 hangs on it.
 */
const struct ordering pcie_ordering =
    {
        .cells =
            {
                [TLP_WRITE][TLP_WRITE][ALWAYS] = {"A2a", PASS_NO},
                [TLP_WRITE][TLP_WRITE][WHEN_RELAXED] = {"A2b-RO", PASS_MAY},
                [TLP_WRITE][TLP_WRITE][WHEN_OTHER_ID] = {"A2b-IDO", PASS_MAY},
                [TLP_WRITE][TLP_READ][ALWAYS] = {"A3", PASS_YES},
                [TLP_WRITE][TLP_ATOMIC][ALWAYS] = {"A4", PASS_YES},
                [TLP_WRITE][TLP_COMPLETION][ALWAYS] = {"A5a", PASS_MAY},
                [TLP_READ][TLP_WRITE][ALWAYS] = {"B2a", PASS_NO},
                [TLP_READ][TLP_WRITE][WHEN_RELAXED] = {"B2b-RO", PASS_NO},
                [TLP_READ][TLP_WRITE][WHEN_OTHER_ID] = {"B2b-IDO", PASS_MAY},
                [TLP_READ][TLP_READ][ALWAYS] = {"B3", PASS_MAY},
                [TLP_READ][TLP_ATOMIC][ALWAYS] = {"B4", PASS_MAY},
                [TLP_READ][TLP_COMPLETION][ALWAYS] = {"B5", PASS_MAY},
                [TLP_ATOMIC][TLP_WRITE][ALWAYS] = {"C2a", PASS_NO},
                [TLP_ATOMIC][TLP_WRITE][WHEN_RELAXED] = {"C2b-RO", PASS_MAY},
                [TLP_ATOMIC][TLP_WRITE][WHEN_OTHER_ID] = {"C2b-IDO", PASS_MAY},
                [TLP_ATOMIC][TLP_READ][ALWAYS] = {"C3", PASS_MAY},
                [TLP_ATOMIC][TLP_ATOMIC][ALWAYS] = {"C4", PASS_MAY},
                [TLP_ATOMIC][TLP_COMPLETION][ALWAYS] = {"C5", PASS_MAY},
                [TLP_COMPLETION][TLP_WRITE][ALWAYS] = {"D2a", PASS_NO},
                [TLP_COMPLETION][TLP_WRITE][WHEN_RELAXED] = {"D2b-RO", PASS_MAY},
                [TLP_COMPLETION][TLP_WRITE][WHEN_OTHER_ID] = {"D2b-IDO", PASS_MAY},
                [TLP_COMPLETION][TLP_READ][ALWAYS] = {"D3", PASS_YES},
                [TLP_COMPLETION][TLP_ATOMIC][ALWAYS] = {"D4", PASS_YES},
                [TLP_COMPLETION][TLP_COMPLETION][ALWAYS] = {"D5a", PASS_MAY},
                [TLP_COMPLETION][TLP_COMPLETION][WHEN_SAME_TRANSACTION] = {"D5b", PASS_NO},
            },
};

bool may_pass_by(const struct ordering *table, struct tlp trailing, struct tlp earlier) {
  const bool holds[CLAUSES] = {
      [ALWAYS] = true,
      [WHEN_RELAXED] = trailing.relaxed,
      [WHEN_OTHER_ID] = trailing.id_ordered && trailing.id != earlier.id,
      [WHEN_SAME_TRANSACTION] = trailing.transaction == earlier.transaction,
  };
  const struct ordering_cell *cells = table->cells[trailing.kind][earlier.kind];
  enum answer answer = PASS_NO;
  for (unsigned i = 0; i < CLAUSES; i++)
    if (holds[i] && cells[i].name)
      answer = cells[i].answer;
  return answer != PASS_NO;
}

bool may_pass(struct tlp trailing, struct tlp earlier) { return may_pass_by(&pcie_ordering, trailing, earlier); }

enum signal_engine atomic_engine(unsigned pci_atomic_mode) { return pci_atomic_mode == 0 ? SIGNAL_RMW : SIGNAL_ATOMIC; }

/* Each TLP of an engine waits for the completion of the one before. */
static const struct {
  unsigned count;
  struct {
    enum tlp_kind kind;
    bool flush;
  } tlps[SIGNAL_STEPS_MAX];
} engines[SIGNAL_ENGINES] = {
    [SIGNAL_WRITE] = {1, {{TLP_WRITE, false}}},
    [SIGNAL_ATOMIC] = {1, {{TLP_ATOMIC, false}}},
    [SIGNAL_RMW] = {2, {{TLP_READ, false}, {TLP_WRITE, false}}},
    [SIGNAL_FLUSH_WRITE] = {2, {{TLP_READ, true}, {TLP_WRITE, false}}},
    [SIGNAL_FLUSH_ATOMIC] = {2, {{TLP_READ, true}, {TLP_ATOMIC, false}}},
    [SIGNAL_FLUSH] = {1, {{TLP_READ, false}}},
    [SIGNAL_COMPLETION] = {1, {{TLP_COMPLETION, false}}},
};

unsigned signal_steps(enum signal_engine engine, struct tlp signal, unsigned first, struct step steps[]) {
  for (unsigned i = 0; i < engines[engine].count; i++) {
    struct step *step = &steps[first + i];
    *step = (struct step){.tlp = signal, .after = i ? (int)(first + i) - 1 : -1};
    step->tlp.kind = engines[engine].tlps[i].kind;
    step->tlp.relaxed = signal.relaxed && !engines[engine].tlps[i].flush;
  }
  return engines[engine].count;
}

unsigned put_then_signal(struct tlp payload, unsigned puts, enum signal_engine engine, struct tlp signal,
                         struct step steps[]) {
  for (unsigned i = 0; i < puts; i++)
    steps[i] = (struct step){.tlp = payload, .after = -1};
  return puts + signal_steps(engine, signal, puts, steps);
}
