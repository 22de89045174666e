#include "bench/fabric/ingress.h"

void ingress_rules_set(struct ingress_rules *rules, const struct ordering *table, double reorder, uint64_t link_ns) {
  for (int kind = 0; kind < TLP_KINDS; kind++)
    for (int earlier = 0; earlier < TLP_KINDS; earlier++)
      for (int relaxed = 0; relaxed < 2; relaxed++) {
        const struct tlp trailing = {.kind = (enum tlp_kind)kind, .relaxed = relaxed};
        const struct tlp ahead = {.kind = (enum tlp_kind)earlier, .transaction = 1};
        rules->may_pass[kind][relaxed][earlier] = may_pass_by(table, trailing, ahead);
      }
  rules->reorder = (uint64_t)(reorder * 0x1p32);
  rules->link_ns = link_ns;
}

static uint64_t latest(const struct ingress *ingress) {
  uint64_t time = 0;
  for (int kind = 0; kind < TLP_KINDS; kind++)
    time = ingress->last[kind] > time ? ingress->last[kind] : time;
  return time;
}

/*
 * Those that queue come out at four times the rate of the link, or the queue would never end. One draw for all choices: the low
 * bits tell whether to hold and how long, the upper half whether to pass.
 */
struct passage ingress_enter(struct ingress *ingress, const struct ingress_rules *rules, struct random *random,
                             uint64_t now, enum tlp_kind kind, bool relaxed) {
  const uint64_t draw = random_next(random);
  const bool passes = draw >> 32 < rules->reorder;
  struct passage passage = {.entry = now > ingress->free ? now : ingress->free};
  passage.delivery = passage.entry + MEMORY_NS;
  if (draw % HELD_ONE_IN == 0)
    passage.delivery += random_spread(draw >> 3, HOLD_FIRST, HOLD_LAST);
  for (int earlier = 0; earlier < TLP_KINDS; earlier++) {
    const uint64_t behind = ingress->last[earlier] + rules->link_ns / 4 + 1;
    if (behind > passage.delivery && !(passes && rules->may_pass[kind][relaxed][earlier]))
      passage.delivery = behind;
  }
  passage.passed = passage.delivery < latest(ingress);
  ingress->free = passage.entry + rules->link_ns;
  if (passage.delivery > ingress->last[kind])
    ingress->last[kind] = passage.delivery;
  return passage;
}
