#!/usr/bin/env bats
# Ranks of the hunter as processes of their own, started as launchers start them.

load ../helpers

setup() {
  STRESS=$WINORD_BUILD/winord-stress
  # shellcheck disable=SC2054 # the comma is the list's
  HUNT=(-b 64 --scenario put+signal,signal-first --blocks 20 --seed 7)
  cd "$BATS_TEST_TMPDIR" || return
}

# ranks N STYLE ARGUMENT...: starts N ranks as STYLE does; their output and status go to rank.R and status.R.
ranks() {
  local count=$1 style=$2 rank pids=()
  shift 2
  for ((rank = 0; rank < count; rank++)); do
    case $style in
    torchrun) set -- RANK="$rank" WORLD_SIZE="$count" LOCAL_RANK="$rank" MASTER_PORT="$BATS_TEST_NUMBER" -- "$@" ;;
    slurm) set -- SLURM_PROCID="$rank" SLURM_NTASKS="$count" SLURM_JOB_ID="$$" SLURM_STEP_ID="$BATS_TEST_NUMBER" -- "$@" ;;
    esac
    start_rank "$rank" "$@" &
    pids+=("$!")
    while [[ $1 != -- ]]; do shift; done
    shift
  done
  wait "${pids[@]}"
}

start_rank() {
  local rank=$1 variables=() status=0
  shift
  while [[ $1 != -- ]]; do
    variables+=("$1")
    shift
  done
  shift
  # Its own program, so that a test can kill it by number.
  # shellcheck disable=SC2016 # that shell expands it
  env "${variables[@]}" bash -c 'echo $$ >"pid.$0"; exec timeout -s KILL 60 "$@"' "$rank" "$STRESS" "$@" \
    >"rank.$rank" 2>&1 || status=$?
  echo "$status" >"status.$rank"
}

statuses() { cat status.* | tr '\n' ' '; }

@test "four ranks by torchrun's variables: one report, by rank 0, of all" {
  ranks 4 torchrun "${HUNT[@]}"
  equals "0 0 0 0 " "$(statuses)"
  [[ ! -s rank.1 && ! -s rank.2 && ! -s rank.3 ]]
  grep -q 'ranks 4' rank.0
  grep -q '^Observation put+signal Never 0 ' rank.0
  grep -q '^# verdict: no violation seen' rank.0
}

@test "four ranks by Slurm's variables" {
  ranks 4 slurm "${HUNT[@]}"
  equals "0 0 0 0 " "$(statuses)"
  grep -q 'ranks 4' rank.0
}

@test "the same seed in four processes and in one finds the same" {
  ranks 4 torchrun "${HUNT[@]}" --pattern all
  run "$STRESS" "${HUNT[@]}" --pattern all --ranks 4
  equals "$(grep '^Observation' rank.0)" "$(grep '^Observation' <<<"$output")"
}

@test "mpirun -np 8, as on a cluster" {
  type -P mpirun >/dev/null || lacking "mpirun"
  run --separate-stderr timeout 60 env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    mpirun --oversubscribe -np 8 "$STRESS" "${HUNT[@]}"
  equals 0 "$status"
  [[ $output == *"ranks 8"*"# verdict: no violation seen"* ]]
}

@test "each rank's window goes through the shim preloaded in it" {
  printf '[winord]\nversion = 1\n[rule all]\nordering = relaxed\naccept-hazard = yes\n' >policy.conf
  export WINORD_CONF=$PWD/policy.conf WINORD_LOG=$PWD/journal.%p WINORD_FACTS=$PWD/none LD_PRELOAD
  LD_PRELOAD=$(shim_path)
  ranks 3 torchrun "${HUNT[@]}"
  unset LD_PRELOAD
  equals "0 0 0 " "$(statuses)"
  grep -Eq '^ *put\+signal +strict +relaxed ' rank.0
  equals 3 "$(cat journal.* | grep -c '"event":"register".*"flags_in":2,"flags_out":0')"
}

@test "ranks that disagree on options: all end with status 2 and say so" {
  start_rank 0 RANK=0 WORLD_SIZE=2 MASTER_PORT=disagree -- --blocks 20 --seed 1 -b 64 &
  start_rank 1 RANK=1 WORLD_SIZE=2 MASTER_PORT=disagree -- --blocks 30 --seed 1 -b 64 &
  wait
  equals "2 2 " "$(statuses)"
  grep -q 'rank 1 was given other options than rank 0' rank.0
  grep -q 'rank 1 was given other options than rank 0' rank.1
}

# until_working RANK: until it has used half a second of a processor, 40 s at most: starting takes a few milliseconds of it.
until_working() {
  local worker
  for _ in {1..400}; do
    worker=$(pgrep -P "$(cat "pid.$1" 2>/dev/null)" 2>/dev/null) || worker=
    [[ -z $worker || $(awk '{ print $14 + $15 }' "/proc/$worker/stat") -lt 50 ]] || return 0
    sleep 0.1
  done
  return 1
}

@test "a rank killed in mid-run: the others say which and end with status 2 within 10 seconds" {
  ranks 3 torchrun -b 64 --scenario put+signal --seconds 50 --seed 1 &
  local all=$!
  until_working 1
  kill -KILL "$(pgrep -P "$(cat pid.1)")"
  local killed=$SECONDS
  wait "$all"
  [[ $((SECONDS - killed)) -le 10 ]]
  equals "2 137 2 " "$(statuses)"
  grep -q 'rank 1 is missing' rank.0
  grep -q 'rank 1 is missing' rank.2
}

@test "a rank that never comes: the others give up with status 2" {
  start_rank 0 RANK=0 WORLD_SIZE=2 MASTER_PORT=alone WINORD_FABRIC_TIMEOUT=2 -- "${HUNT[@]}"
  equals "2 " "$(statuses)"
  grep -q 'ncclCommInitRank' rank.0
}

@test "numbers of a launcher that make no sense: status 2 and which" {
  run env RANK=5 WORLD_SIZE=4 MASTER_PORT=1 "$STRESS" "${HUNT[@]}"
  equals 2 "$status"
  [[ $output == *"RANK=5: expected a number below 4"* ]]
  run env RANK=0 WORLD_SIZE=none MASTER_PORT=1 "$STRESS" "${HUNT[@]}"
  equals 2 "$status"
  [[ $output == *"WORLD_SIZE=none: expected a number"* ]]
}
