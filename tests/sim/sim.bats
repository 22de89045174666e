#!/usr/bin/env bats
# The simulated NCCL: its exports, its ranks as processes and threads, and its windows under the shim.

load ../helpers

SIM=$WINORD_BUILD/sim/libnccl.so.2
RANK=$WINORD_BUILD/tests/sim/rank

# Nothing of these tests is left in shared memory.
setup() { left_before=$(shared); }
teardown() { equals "$left_before" "$(shared)"; }

shared() { find /dev/shm -maxdepth 1 -name 'winord-sim-*' 2>/dev/null | sort; }

# ranks [OPTION...] ACTION: bats' run of it, lines sorted.
ranks() {
  run --separate-stderr timeout -k 2 60 "$RANK" "$@"
  output=$(sort <<<"$output")
}

@test "exports NCCL's functions with their second names, the fabric's, and nothing else" {
  local names
  names=$(nm -D --defined-only "$SIM" | awk '{ print $3 }')
  equals "" "$(grep -vE '^(nccl|pnccl|fabric)[A-Z]' <<<"$names")"
  equals "$(grep '^nccl' <<<"$names" | sort)" "$(sed -n 's/^pnccl/nccl/p' <<<"$names" | sort)"
  equals libnccl.so.2 "$(objdump -p "$SIM" | awk '$1 == "SONAME" { print $2 }')"
}

@test "a window is relaxed unless its strict bit reached NCCL" {
  run --separate-stderr "$RANK" window 0x02
  printed "23007 strict strict 0 4"
  run --separate-stderr "$RANK" window 0x01
  printed "23007 relaxed relaxed 0 4"
}

@test "the preloaded shim decides the ordering" {
  setup_shim
  shim "$RANK" window 0x02
  printed "23007 relaxed relaxed 0 4"
  equals '["rewritten",0,"2.30.7"]' "$(records register '[.verdict, .flags_out, .nccl]' | sort -u)"
  policy strict
  shim "$RANK" window 0x01
  printed "23007 strict strict 0 4"
}

@test "ranks meet, as processes and as threads" {
  for how in "" -t; do
    # shellcheck disable=SC2086 # an option or none
    ranks $how barrier
    printed "rank 0: met" "rank 1: met" "rank 2: met" "rank 3: met"
    # shellcheck disable=SC2086
    ranks $how shared
    printed "rank 0: shared" "rank 1: shared" "rank 2: shared" "rank 3: shared"
  done
}

@test "many ranks" {
  ranks -n 32 barrier
  equals 32 "$(grep -c ': met$' <<<"$output")"
}

@test "a killed rank ends the others within ten seconds" {
  SECONDS=0
  ranks -k barrier
  printed "rank 0: 4, rank 3 of 4 has ended" "rank 1: 4, rank 3 of 4 has ended" "rank 2: 4, rank 3 of 4 has ended"
  ((SECONDS < 5))
}

@test "a rank that leaves, and one that comes late" {
  ranks leave
  printed "rank 0: 4, rank 3 of 4 has ended" "rank 1: 4, rank 3 of 4 has ended" "rank 2: 4, rank 3 of 4 has ended"
  ranks -t late
  [[ $output == *"rank 0: 4, rank 3 of 4 did not come in time"* ]] || { show; false; }
}

@test "a rank that never starts" {
  export WINORD_FABRIC_TIMEOUT=1
  local text="timeout: 3 of 4 ranks have come within 1 s: rank 3 is missing"
  ranks -m barrier
  # the first to give up is seen by the others
  equals 3 "$(grep -cE "timeout: 3 of 4|ended before all ranks had come" <<<"$output")"
  [[ $output == *"$text"* ]] || { show; false; }
}

@test "the same rank twice, and ranks that disagree on their number" {
  export WINORD_FABRIC_TIMEOUT=2
  ranks -d barrier
  equals 4 "$(grep -c ': met$' <<<"$output")"
  [[ $output == *"rank 0: invalid usage: rank 0 of 4 is there twice: process "* ]] || { show; false; }
  ranks -o barrier
  [[ $output == *"rank 3: invalid argument: rank 3 was started for 5 ranks, others "* ||
    $output == *"invalid argument: rank 0 was started for 4 ranks, others "* ]] || { show; false; }
}

@test "out of shared memory is an error" {
  ln -sfn "$FAKE" "$BATS_TEST_TMPDIR/fake"
  run --separate-stderr env LD_PRELOAD="$BATS_TEST_TMPDIR/fake/libno-memory.so" timeout 20 "$RANK" -n 2 barrier
  equals 2 "$(grep -c 'unhandled system error: no shared memory for the ranks (1.* bytes in /dev/shm): No space left' <<<"$output")"
}

@test "what a crash left behind goes when it is old" {
  local old=/dev/shm/winord-sim-old-$$ young=/dev/shm/winord-sim-young-$$
  touch -d '10 minutes ago' "$old"
  touch "$young"
  "$RANK" -n 1 barrier
  [[ ! -e $old && -e $young ]]
  rm "$young"
}
