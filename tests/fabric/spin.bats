#!/usr/bin/env bats
# The ordering function against a Spin model written from the PCIe table, bench/fabric/mp.pml: each litmus program has the
# same verdict from Spin's exhaustive search as from our explorer, and no cell can be inverted without a difference.

load ../helpers

LITMUS=$WINORD_BUILD/tests/fabric/litmus
MODEL=$BATS_TEST_DIRNAME/../../bench/fabric/mp.pml

# search FOLDER OPTION...: Spin's search of the program that the options say; its report is left in FOLDER/report.
search() {
  mkdir -p "$1"
  cd "$1" || return
  spin -a "${@:2}" "$MODEL" >generated 2>&1
  "$COMPILER" -w -O0 -DSAFETY -DNOREDUCE -o pan pan.c >compiled 2>&1
  ./pan -w12 -m10000 >report 2>&1
}

# verdict FOLDER: what the report says; a search that was cut short, deadlocked, or never saw the signal says nothing.
verdict() {
  if grep -q 'assertion violated' "$1/report"; then
    echo Sometimes
  elif grep -q 'errors: 0$' "$1/report" && ! grep -qE 'not completed|too small|out of memory' "$1/report" &&
    grep -A1 'unreached in proctype receiver' "$1/report" | grep -q '(0 of'; then
    echo Never
  else
    echo "no verdict: $1/report"
  fi
}

# Every program once, two at a time, for all tests of this file.
setup_file() {
  command -v spin >/dev/null || return 0
  COMPILER=$(command -v clang || echo "${CC:-cc}") # clang takes half the time
  local folder options number=0
  while read -r _ options; do
    folder=$BATS_FILE_TMPDIR/$((number += 1))
    # shellcheck disable=SC2086
    search "$folder" $options &
    ((number % 2)) || wait
  done < <("$LITMUS")
  wait
  number=0
  while read -r _ options; do
    folder=$BATS_FILE_TMPDIR/$((number += 1))
    echo "$(verdict "$folder") $options"
  done < <("$LITMUS") >"$BATS_FILE_TMPDIR/spin"
}

setup() {
  command -v spin >/dev/null || lacking "spin, the model checker (Debian: spin)"
}

# programs ENGINE VERDICT: payload RO and signal RO of the programs without IDO whose payload is written, with these.
programs() {
  sed -n "s/^$2 -DPAYLOAD=WRITE -DPAYLOAD_RO=\(.\) -DENGINE=$1 -DSIGNAL_RO=\(.\) -DSIGNAL_IDO=0 .*/\1\2/p" \
    "$BATS_FILE_TMPDIR/spin" | xargs
}

@test "Spin and the explorer agree on every litmus program" {
  diff "$BATS_FILE_TMPDIR/spin" <("$LITMUS")
  equals 55 "$(wc -l <"$BATS_FILE_TMPDIR/spin")"
}

@test "payload and signal, strict and relaxed: only a relaxed signal comes early, and by no engine that reads first" {
  for engine in SIGNAL_WRITE SIGNAL_ATOMIC SIGNAL_COMPLETION; do
    equals "00 10" "$(programs $engine Never)"
    equals "01 11" "$(programs $engine Sometimes)"
  done
  for engine in SIGNAL_RMW SIGNAL_FLUSH_WRITE SIGNAL_FLUSH_ATOMIC SIGNAL_FLUSH; do
    equals "00 01 10 11" "$(programs $engine Never)"
  done
}

@test "every cell matters: inverted alone, it breaks the agreement with Spin" {
  local cell cells
  cells=$("$LITMUS" --cells)
  equals 25 "$(wc -w <<<"$cells")"
  for cell in $cells; do
    "$LITMUS" "$cell" >"$BATS_TEST_TMPDIR/inverted"
    equals 55 "$(wc -l <"$BATS_TEST_TMPDIR/inverted")"
    if diff -q "$BATS_FILE_TMPDIR/spin" "$BATS_TEST_TMPDIR/inverted" >/dev/null; then
      echo "$cell inverted, and nobody sees it"
      return 1
    fi
  done
}

@test "an unknown cell is an error" {
  run "$LITMUS" A6
  equals 2 "$status"
}
