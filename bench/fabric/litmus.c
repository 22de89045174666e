#include "bench/fabric/litmus.h"

#include <stddef.h>

/* Any two that differ. */
enum { REQUESTER = 0x100, OTHER_REQUESTER = 0x101, TRANSACTION = 1, OTHER_TRANSACTION = 2 };

enum { MASKS = 1 << LITMUS_STEPS_MAX };

struct search {
  const struct ordering *table;
  struct step steps[LITMUS_STEPS_MAX];
  unsigned count, puts;
  bool seen[LITMUS_STEPS_MAX + 1][MASKS][MASKS]; /* issued, arrived, completed */
};

static bool explore(struct search *search, unsigned issued, unsigned arrived, unsigned completed);

static bool has(unsigned mask, unsigned i) { return mask >> i & 1; }

static bool issue(struct search *search, unsigned issued, unsigned arrived, unsigned completed) {
  if (issued == search->count)
    return false;
  int after = search->steps[issued].after;
  return (after < 0 || has(completed, (unsigned)after)) && explore(search, issued + 1, arrived, completed);
}

static bool may_arrive(const struct search *search, unsigned i, unsigned arrived) {
  for (unsigned j = 0; j < i; j++)
    if (!has(arrived, j) && !may_pass_by(search->table, search->steps[i].tlp, search->steps[j].tlp))
      return false;
  return true;
}

static bool arrive(struct search *search, unsigned i, unsigned issued, unsigned arrived, unsigned completed) {
  if (has(arrived, i) || !may_arrive(search, i, arrived))
    return false;
  unsigned payload = (1U << search->puts) - 1;
  if (i == search->count - 1 && (arrived & payload) != payload)
    return true;
  return explore(search, issued, arrived | 1U << i, completed);
}

static bool complete(struct search *search, unsigned i, unsigned issued, unsigned arrived, unsigned completed) {
  enum tlp_kind kind = search->steps[i].tlp.kind;
  if (kind != TLP_READ && kind != TLP_ATOMIC)
    return false;
  return has(arrived, i) && !has(completed, i) && explore(search, issued, arrived, completed | 1U << i);
}

/* Depth first from this state; true as soon as the signal came early. */
static bool explore(struct search *search, unsigned issued, unsigned arrived, unsigned completed) {
  bool *seen = &search->seen[issued][arrived][completed];
  if (*seen)
    return false;
  *seen = true;
  if (issue(search, issued, arrived, completed))
    return true;
  for (unsigned i = 0; i < issued; i++)
    if (arrive(search, i, issued, arrived, completed) || complete(search, i, issued, arrived, completed))
      return true;
  return false;
}

bool litmus_early(const struct ordering *table, const struct litmus *litmus, unsigned puts) {
  struct search search = {.table = table, .puts = puts};
  search.count = put_then_signal(litmus->payload, puts, litmus->engine, litmus->signal, search.steps);
  return explore(&search, 0, 0, 0);
}

static struct litmus row(enum tlp_kind payload, enum signal_engine engine) {
  return (struct litmus){
      .payload = {.kind = payload, .id = REQUESTER, .transaction = TRANSACTION},
      .signal = {.id = REQUESTER, .transaction = OTHER_TRANSACTION},
      .engine = engine,
  };
}

/* Written payload, one engine: payload and signal strict and relaxed, then a signal with IDO. */
static struct litmus *rows_of_engine(struct litmus *next, enum signal_engine engine) {
  for (unsigned relaxed = 0; relaxed < 4; relaxed++) {
    *next = row(TLP_WRITE, engine);
    next->payload.relaxed = has(relaxed, 1);
    next++->signal.relaxed = has(relaxed, 0);
  }
  for (unsigned other = 0; other < 2; other++) {
    *next = row(TLP_WRITE, engine);
    next->signal.id_ordered = true;
    next++->signal.id = other ? OTHER_REQUESTER : REQUESTER;
  }
  return next;
}

void litmus_rows(struct litmus rows[LITMUS_ROWS]) {
  static const enum signal_engine alone[] = {SIGNAL_WRITE, SIGNAL_FLUSH, SIGNAL_ATOMIC, SIGNAL_COMPLETION};
  for (unsigned engine = 0; engine < SIGNAL_ENGINES; engine++)
    rows = rows_of_engine(rows, (enum signal_engine)engine);
  for (unsigned kind = TLP_READ; kind < TLP_KINDS; kind++)
    for (unsigned i = 0; i < sizeof alone / sizeof *alone; i++)
      *rows++ = row((enum tlp_kind)kind, alone[i]);
  *rows = row(TLP_COMPLETION, SIGNAL_COMPLETION);
  rows->signal.transaction = TRANSACTION;
}
