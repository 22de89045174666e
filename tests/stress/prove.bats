#!/usr/bin/env bats
# Whether the hunter sees: planted faults, each alone, and the same blocks without it.

load common

# killed N: the nth field of the lines of faults.
field() {
  awk -v n="$1" '!/^#/ { print $n }' <<<"$output"
}

@test "--prove: every fault is found in its class, none without it, and the chance to miss one is at most 1e-5" {
  [[ ${SANITIZER-} != TSAN ]] || skip 'the rarest fault takes more tries than ThreadSanitizer makes in the time'
  TIME_LIMIT=250 stress --prove --seed 1
  exits 0
  local faults count
  faults=$("$STRESS" --list | sed '1,/^faults:/d' | awk '{ print $1 }')
  count=$(wc -l <<<"$faults")
  [[ $count -ge 14 ]]
  equals "$faults" "$(field 1)"
  equals "$count killed" "$(field 2 | sort | uniq -c | xargs)"
  equals "$count 0" "$(field 8 | sort | uniq -c | xargs)" # without it
  says "# killed $count of $count"
  awk '!/^#/ && ($4 < 1 || $4 > $5 || $6 < 12 || $7 + 0 > 1e-5) { print; bad = 1 } END { exit bad }' <<<"$output"
  # What the end of a run shows of it: nothing of what heals.
  equals "early-completion no
late-read no
brief no
rare no" "$(awk '/^(brief|rare|early-completion|late-read) / { print $1, $9 }' <<<"$output")"
}

@test "--prove in an order that is broken without any fault: nothing is proved" {
  setup_shim # relaxes every window
  run --separate-stderr preloaded "$STRESS" --prove --seed 1
  exits 2
  # Found in the right class, and as well without the fault: no proof.
  [[ $(awk '$1 == "rare" && $2 == "MISSED" && $3 == "early" && $6 >= 12 && $8 > 0' <<<"$output") ]] || {
    show
    return 1
  }
}

@test "--mutant plants one in an ordinary run" {
  local fault class
  while read -r fault class; do
    WINORD_FABRIC_MODE=4 stress -b 64 -e 256 --blocks 6 --seed 2 --mutant "$fault" --scenario put+signal,source-reuse+completion,source-reuse+flush,signal-first
    exits 1
    grep -q "^  .*$class [1-9]" <<<"$output" || { echo "$fault: no $class"; show; false; }
  done <<'END'
relaxed-signal early
two-paths early
dropped-signal lost
duplicated-signal duplicate
late-read future
early-completion future
wrong-offset foreign
stale-slot stale
foreign-payload foreign
half-lines torn
END
}

@test "a signal that counts too much is there before the next put" {
  stress -b 64 --blocks 6 --seed 2 --mutant duplicated-signal --scenario put+signal,channel-tail
  exits 1
  grep -qE '^  .*(duplicate|early-signal) [1-9]' <<<"$output"
}
