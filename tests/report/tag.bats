#!/usr/bin/env bats
# winord tag: the word that keeps results apart, and when it is not known for sure.

# shellcheck disable=SC2154,SC2016 # set by bats; jq's variables
load ../cli/common

setup() {
  setup_cli
  LINE=$BATS_TEST_DIRNAME/line
}

# A journal of one process: made relaxed, kept strict, made strict, kept default, dry run, refused by NCCL.
relaxed() {
  local seq=$1
  shift
  "$LINE" register seq="$seq" "$@"
}
strict() { "$LINE" register seq="$1" flags_out=2 'verdict="refused"' 'why="mode_unknown"' guard=null; }
made_strict() { "$LINE" register seq="$1" flags_in=0 flags_out=2 guard=null; }
default() { "$LINE" register seq="$1" flags_in=0 'verdict="passed"' guard=null; }
dry_run() { "$LINE" register seq="$1" flags_out=2 flags_would=0 'verdict="dry_run"'; }

# tagged WANTED KIND...: a journal of one window of each kind gets this tag.
tagged() {
  local wanted=$1 seq=0 kind
  shift
  for kind in "$@"; do
    $kind $((++seq))
  done >log
  winord tag log
  exits 0
  silent
  equals "$wanted" "$output"
}

@test "each mixture of windows" {
  tagged relaxed-ordering relaxed
  tagged relaxed-ordering relaxed default relaxed
  tagged mixed-ordering relaxed strict
  tagged mixed-ordering made_strict relaxed
  tagged '' strict
  tagged '' default
  tagged '' made_strict default
  tagged '' dry_run
  tagged mixed-ordering relaxed dry_run
}

@test "nothing is nothing: no byte" {
  strict 1 >log
  equals 0 "$("$WINORD" tag log | wc -c)"
}

@test "a window that NCCL refused is not registered" {
  { relaxed 1 result=5; strict 2; } >log
  winord tag log
  equals '' "$output"
  exits 0
}

@test "--json: the grounds and the windows" {
  { relaxed 1; relaxed 2 'guard="attested"'; relaxed 3 'guard="accepted"'; relaxed 4 'guard="asserted"'; relaxed 5
    strict 6; default 7; made_strict 8; } >log
  winord tag --json log
  exits 0
  equals '{"tag":"mixed-ordering","sure":true,"doubt":null,"grounds":{"proved":2,"attested":1,"accepted":1,"asserted":1},"windows":{"made_relaxed":5,"made_strict":1,"kept_strict":1,"kept_default":1,"refused":1}}' \
    "$(jq -c . <<<"$output")"
}

# doubtful TAG TEXT: the journal of that name gets this tag, status 1 and this message; in JSON it is not sure.
doubtful() {
  winord tag log
  exits 1
  equals "$1" "$output"
  complains "$2"
  winord tag --json log
  exits 1
  equals "[\"$1\",false]" "$(jq -c '[.tag, .sure]' <<<"$output")"
}

@test "what is missing may have been relaxed: status 1" {
  { strict 1; strict 3; } >log
  doubtful '' 'missing'
  { relaxed 1; echo damaged; } >log
  doubtful relaxed-ordering 'damaged'
  { strict 1; relaxed 2 v=2; } >log
  doubtful '' 'another version'
  { strict 1; default 1 | jq -c '.pid = 43 | .lost = 1'; } >log
  doubtful '' 'missing'
  strict 1 | gzip | head -c 50 >log
  doubtful '' 'not all of the journals could be read'
  "$LINE" start >log
  doubtful '' 'no registration in the journals'
}

@test "a record that seems to be there already still counts for the word" {
  { strict 1; relaxed 1; } >log
  winord tag log
  equals mixed-ordering "$output"
}

@test "a run under the library, relaxed and not" {
  setup_shim
  preloaded "$CLIENT" plt reg=2 reg=2 >/dev/null
  winord tag "$LOG"
  exits 0
  equals relaxed-ordering "$output"
  export WINORD_LOG=$BATS_TEST_TMPDIR/other
  policy keep
  preloaded "$CLIENT" plt reg=2 reg=0 >/dev/null
  winord tag "$WINORD_LOG"
  exits 0
  equals '' "$output"
}

@test "usage" {
  winord tag
  usage_error tag
  winord tag --csv log
  usage_error tag
  winord tag --help
  exits 0
  says 'usage: winord tag'
}
