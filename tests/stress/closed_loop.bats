#!/usr/bin/env bats
# Policy -> flag -> registration -> ordering -> what the hunter saw: the table of `make demo`.

load common

setup() {
  ROOT=$BATS_TEST_DIRNAME/../..
  ROWS=$BATS_TEST_TMPDIR/rows
  mkdir "$ROWS"
}

# closed_loop [BUILD]
closed_loop() {
  run --separate-stderr "$ROOT/scripts/closed-loop" "${1:-$WINORD_BUILD}" "$ROWS"
}

# broken_build NAME: a build folder all of whose parts are the real ones, but this.
broken_build() {
  BROKEN=$BATS_TEST_TMPDIR/broken
  mkdir "$BROKEN"
  local part
  for part in winord winord-stress libwinord.so libwinord-nodlsym.so sim; do
    [[ $part == "$1" ]] || ln -s "$WINORD_BUILD/$part" "$BROKEN/"
  done
  # Both find their libraries beside themselves, through no link.
  rm "$BROKEN/winord"
  cp "$WINORD_BUILD/winord" "$BROKEN/"
}

# fields N...: of the rows, blanks between.
fields() {
  awk -F '\t' -v list="$*" 'BEGIN { n = split(list, at, " ") } { for (i = 1; i <= n; i++) printf "%s%s", $at[i], i < n ? " " : "\n" }' <<<"$output"
}

@test "asks x policy x mode -> verdict, flags, registration, violations" {
  closed_loop
  exits 0
  local safe=proved refused=mode_not_zero
  [[ $(id -u) -eq 0 ]] || refused=facts_untrusted
  [[ $(fields 3) == *attested* ]] && safe=attested
  # row asked mode verdict why guard windows flags_in flags_out registered status told
  equals "plain strict 4 passed no_policy null 4 2 2 strict 0 yes
safe strict 0 rewritten rule $safe 4 2 0 relaxed 0 yes
refused strict 4 refused $refused null 4 2 2 strict 0 yes
accepted strict 4 rewritten rule accepted 4 2 0 relaxed 1 yes
exposed default 4 passed no_policy null 4 0 0 relaxed 1 yes
protected default 4 rewritten rule null 4 0 2 strict 0 yes" "$(fields 1 2 4 5 6 7 8 9 10 11 16 17 | sed 's/ default null/ no_policy null/')"
  # Where the window was relaxed and the NIC sends AtomicOps, and there alone; by the flag and not by who set it.
  equals "0 0
0 0
0 0
some some
some some
0 0" "$(fields 12 14 | sed 's/[1-9][0-9]*/some/g')"
  equals "$(fields 1 12 14 | sed -n 's/^accepted //p')" "$(fields 1 12 14 | sed -n 's/^exposed //p')"
  equals 1 "$(fields 13 15 | sort -u | wc -l)"
}

@test "twice the same" {
  closed_loop
  local first=$output
  rm "$ROWS"/*.jsonl # which are appended to
  closed_loop
  equals "$first" "$output"
}

@test "it notices a shim that does nothing" {
  broken_build libwinord.so
  gcc -shared -o "$BROKEN/libwinord.so" -x c /dev/null
  closed_loop "$BROKEN"
  exits 1
  [[ $(fields 1 17) == *'safe no'* && $(fields 1 17) == *'protected no'* ]]
}

@test "it notices an ordering that is broken in spite of strict windows" {
  broken_build winord-stress
  printf '#!/bin/sh\nWINORD_FABRIC_FAULT=relaxed-signal exec "%s" "$@"\n' "$STRESS" >"$BROKEN/winord-stress"
  chmod +x "$BROKEN/winord-stress"
  closed_loop "$BROKEN"
  exits 1
  [[ $(fields 1 17) == *'plain no'* && $(fields 1 17) == *'accepted yes'* ]]
}

@test "it notices a hunter that sees nothing" {
  broken_build winord-stress
  printf '#!/bin/sh\nWINORD_FABRIC_MODE=0 exec "%s" "$@"\n' "$STRESS" >"$BROKEN/winord-stress"
  chmod +x "$BROKEN/winord-stress"
  closed_loop "$BROKEN"
  exits 1
  equals "plain yes
safe yes
refused yes
accepted no
exposed no
protected yes" "$(fields 1 17)"
}

@test "the demo ends well, from a path with blanks, whatever the caller's environment says" {
  mkdir -p "$BATS_TEST_TMPDIR/a b/tests"
  cp -r "$ROOT/scripts" "$BATS_TEST_TMPDIR/a b/"
  cp -rL "$WINORD_BUILD/winord" "$WINORD_BUILD/winord-stress" "$WINORD_BUILD/libwinord.so" "$WINORD_BUILD/libwinord-nodlsym.so" \
    "$WINORD_BUILD/sim" "$BATS_TEST_TMPDIR/a b/tests/"
  run --separate-stderr env BUILD=tests WINORD_FABRIC_FAULT=brief WINORD_FABRIC_MODE=0 WINORD_DISABLE=1 RANK=0 WORLD_SIZE=2 \
    NCCL_IB_HCA=none "$BATS_TEST_TMPDIR/a b/scripts/demo"
  exits 0
  equals "" "$stderr"
  says $'\nAll as told.'
  says 'healed after'
  says 'verdict   refused: '
  [[ $(wc -l <<<"$output") -le 60 && $(wc -L <<<"$output") -le 120 ]]
  rm "$BATS_TEST_TMPDIR/a b/tests/sim/libnccl.so.2"
  run --separate-stderr env BUILD=tests "$BATS_TEST_TMPDIR/a b/scripts/demo"
  exits 1
  [[ $stderr == *'demo: not as told'* ]]
}
