#!/usr/bin/env bats
# winord run --observe

# shellcheck disable=SC2154,SC2016 # set by bats; shells' own variables
load ../cli/common

setup() {
  setup_cli
  unset NCCL_IBVERBS_LIB
  LOG=$BATS_TEST_TMPDIR/journal
}

@test "NCCL_IBVERBS_LIB is the library's absolute path" {
  winord run --observe -o "$LOG" -- sh -c 'echo "$NCCL_IBVERBS_LIB"'
  exits 0
  silent
  equals "$WINORD_BUILD/libwinord-verbs.so" "$output"
  winord run -o "$LOG" -- sh -c 'echo "$NCCL_IBVERBS_LIB"'
  equals '' "$output"
}

@test "a run from end to end" {
  export LD_LIBRARY_PATH=$WINORD_BUILD/tests/observe/stub
  winord run --observe -o "$LOG" --expect any -- \
    "$CLIENT_DL" "handle:$WINORD_BUILD/tests/observe/2.30.7/libnccl.so.2" devcomm=1 reg=2
  exits 0
  equals '"strict"' "$(records register .effect)"
}

@test "a variable that is set already is refused in one line; the same value is not" {
  NCCL_IBVERBS_LIB=/opt/libibverbs.so winord run --observe -o "$LOG" -- true
  exits 69
  equals 'winord run: --observe needs NCCL_IBVERBS_LIB, which is set already: /opt/libibverbs.so' "$stderr"
  NCCL_IBVERBS_LIB=$WINORD_BUILD/libwinord-verbs.so winord run --observe -o "$LOG" -- true
  exits 0
  NCCL_IBVERBS_LIB='' winord run --observe -o "$LOG" -- true
  exits 0
}

@test "no journal, no observation" {
  winord run --observe -- true
  usage_error run
  complains 'give -o FILE'
  winord run --observe --expect any -- true
  usage_error run
  WINORD_LOG=$LOG winord run --observe -- true
  exits 0
}

@test "a library that is not there" {
  mkdir alone
  cp "$WINORD" "$WINORD_BUILD/libwinord.so" alone
  run --separate-stderr alone/winord run --observe -o "$LOG" -- true
  exits 69
  equals 1 "$(wc -l <<<"$stderr")"
  complains 'libwinord-verbs.so is neither in'
}
