#!/usr/bin/env bats
# The RMA plugin, driven without NCCL: what it moves, in which order, what it logs, what it refuses; on host memory, and on a
# device's as a libcuda.so.1 of our own has it.

load ../helpers

PLUGIN=$WINORD_BUILD/libwinord-fabric.so
DIRECT=$WINORD_BUILD/tests/plugin/direct

setup() {
  export LD_LIBRARY_PATH=$WINORD_BUILD/tests/fake/cuda
  LOG=$BATS_TEST_TMPDIR/log
}

# direct SCENARIO threads|processes [TRIES [PAYLOAD_FLAGS [SIGNAL_FLAGS [host|cuda]]]]: bats' run of it.
direct() { run --separate-stderr timeout -s KILL 60 "$DIRECT" "$PLUGIN" "$@"; }

# seen NAME: the number that was printed.
seen() { awk -v name="$1" '$1 == name { print $2 }' <<<"$output"; }

# held: what is held is held for longer than a busy machine keeps the program from looking.
held() { export WINORD_FABRIC_HOLD_US=5000; }

# until_seen NAME ARGUMENT...: direct. What is to be seen races with the program, which on a busy machine may come too late each
# time: ten runs are enough for what can be seen at all.
until_seen() {
  for _ in {1..10}; do
    direct "${@:2}"
    [[ $status == 0 && $(seen "$1") == 0 ]] || return 0
  done
}

# all TRIES NAME...: the run is complete, and each of these was seen at least once; nothing else was.
all() {
  equals 0 "$status"
  equals "$1" "$(seen tries)"
  local name
  for name in early wrong short long; do
    if [[ " ${*:2} " == *" $name "* ]]; then
      [[ $(seen $name) -gt 0 ]] || {
        echo "not seen: $name"
        show
        return 1
      }
    else
      equals "$name 0" "$name $(seen $name)"
    fi
  done
}

@test "exports the tables of three versions and nothing else" {
  equals $'ncclRmaPlugin_v14\nncclRmaPlugin_v15\nncclRmaPlugin_v16' \
    "$(nm -D --defined-only "$PLUGIN" | awk '{ print $3 }' | sort)"
  equals libwinord-fabric.so "$(objdump -p "$PLUGIN" | awk '$1 == "SONAME" { print $2 }')"
  equals "" "$(objdump -p "$PLUGIN" | grep -E 'NEEDED.*(cuda|nccl)')"
}

@test "every byte lands in its place, of all sizes and from all ranks, and is there after a flush and for a get" {
  local ranks memory
  for ranks in threads processes; do
    for memory in host cuda; do
      direct sizes $ranks 1 0 0 $memory
      equals "0 3" "$status $(grep -c '^bytes 3145728$' <<<"$output")"
    done
  done
}

@test "signals from all ranks and contexts add up exactly, in every mode, with a shadow and without" {
  local ranks memory mode
  for mode in 0 1; do
    for flags in 0 1 3; do
      WINORD_FABRIC_MODE=$mode direct sum threads 100 0 $flags cuda
      equals "0 4" "$status $(grep -c '^sum 6320$' <<<"$output")"
    done
    WINORD_FABRIC_MODE=$mode direct sum processes 100 0 0 host
    equals "0 4" "$status $(grep -c '^sum 6320$' <<<"$output")"
  done
}

@test "a signal in relaxed memory overtakes its payload in modes 1 to 4, whatever the payload's memory" {
  held
  local memory mode payload
  for memory in host cuda; do
    for mode in 1 4; do
      for payload in 0 1; do
        WINORD_FABRIC_MODE=$mode until_seen early order threads 150 $payload 0 $memory
        all 150 early
      done
    done
  done
}

@test "a signal in relaxed memory never overtakes in mode 0, nor one in strict memory in any" {
  local memory mode
  for memory in host cuda; do
    WINORD_FABRIC_MODE=0 direct order processes 150 0 0 $memory
    all 150
    for mode in 0 1 4; do
      for flags in 1 3; do
        WINORD_FABRIC_MODE=$mode direct order threads 150 0 $flags $memory
        all 150
      done
    done
  done
}

@test "nothing overtakes with a probability of 0" {
  WINORD_FABRIC_REORDER=0 direct order threads 300 0 0
  all 300
}

@test "a strong signal is behind all earlier puts of its context, a weak one behind its own" {
  held
  direct strong-second threads 300 0 1
  all 300
  until_seen early weak-second threads 300 0 1
  all 300 early
  direct weak threads 300 0 1
  all 300
}

@test "a signal that was posted by itself is behind the put before it, weak or not" {
  held
  local scenario
  for scenario in separate separate-weak; do
    direct $scenario threads 300 0 1
    all 300
    until_seen early $scenario threads 300 0 0
    all 300 early
  done
}

@test "contexts are not ordered among each other" {
  held
  until_seen early cross threads 300 0 1
  all 300 early
}

@test "a strict put to itself is behind all that has arrived" {
  local memory
  for memory in host cuda; do
    direct flushed threads 300 0 0 $memory
    all 300
  done
}

# fault NAME MODE FLAGS TRIES CLASS...: it is seen, and only as this.
fault() {
  WINORD_FABRIC_FAULT=$1 WINORD_FABRIC_MODE=$2 WINORD_FABRIC_LOG=$LOG.$1 until_seen "$5" order threads "$4" "$3" "$3"
  all "$4" "${@:5}"
  [[ $(jq -s 'map(select(.event == "counts").struck) | add' "$LOG.$1") -gt 0 || $1 == completer-read-passes ]]
}

@test "each planted fault is seen, as what it is" {
  fault relaxed-signal 4 1 300 early
  fault other-context 4 1 600 early
  fault two-paths 4 1 300 early
  fault half-lines 4 1 600 early
  [[ $(seen torn) -gt 0 ]]
  fault dropped-signal 4 1 400 short
  fault duplicated-signal 4 1 600 long
  fault reset-signal 4 1 600 short
  WINORD_FABRIC_HOLD_US=20000 fault early-completion 4 1 60 wrong
  WINORD_FABRIC_HOLD_US=20000 fault late-read 4 1 60 wrong
  fault wrong-offset 4 1 400 wrong
  fault stale-slot 4 1 400 wrong
  fault counter-wrap 4 1 1100 short
  fault brief 4 1 1500 early
  fault rare 4 1 2500 early
  fault payload-lost 4 1 400 wrong
  fault foreign-payload 4 1 400 wrong
  fault completer-read-passes 0 0 300 early
}

@test "a completer that lets relaxed reads pass is harmless to strict signals, and in mode 1 it is never asked" {
  WINORD_FABRIC_FAULT=completer-read-passes WINORD_FABRIC_MODE=0 direct order threads 300 0 1
  all 300
  WINORD_FABRIC_FAULT=completer-read-passes WINORD_FABRIC_MODE=1 direct order threads 300 0 1
  all 300
}

@test "the log tells registrations, their ends, and what was reordered" {
  WINORD_FABRIC_LOG=$LOG.%p direct order processes 200 0 1
  all 200
  equals 2 "$(find "$BATS_TEST_TMPDIR" -name 'log.*' | wc -l)"
  cat "$LOG".* >"$LOG"
  equals "$(printf '%s\n' '[0,"host",65536,0,true]' '[1,"host",65536,0,true]' '[2,"host",8,1,false]' \
    '[3,"host",8,0,true]' '[4,"host",8,0,true]' '[5,"host",8,1,false]')" \
    "$(records register 'select(.rank == 1) | [.seq, .type, .size, .mr_flags, .relaxed]')"
  equals "$(records register '[.rank, .seq, .address]' | sort)" "$(records deregister '[.rank, .seq, .address]' | sort)"
  equals "$(printf '%s\n' '[0,2,1,"gin",200,200]' '[1,2,1,"gin",200,0]')" \
    "$(records counts '[.rank, .nranks, .comm, .user, .puts, .signals]' | sort)"
  equals '[true,true,{}]' "$(records counts 'select(.rank == 1) | [.tlps == 400, .held > 50, .passed]')"
  WINORD_FABRIC_LOG=$LOG.relaxed direct order threads 200 0 0
  equals '["atomic_over_write"]' "$(jq -c 'select(.event == "counts" and .rank == 1) | .passed | keys' "$LOG.relaxed")"
}

@test "what lies outside, or is nothing of ours, is refused, and the plugin goes on" {
  direct refusals threads
  equals "0 2" "$status $(grep -c '^refused 1$' <<<"$output")"
}

@test "the older tables do the same" {
  direct versions processes
  equals "0 2" "$status $(grep -c '^versions 1$' <<<"$output")"
}

@test "a rank that does not come, or whose handle is none, is named" {
  WINORD_FABRIC_TIMEOUT=1 direct absent threads
  equals 4 "$status"
  [[ $stderr == *"rank 0 of 2: no connection to rank 1: "* ]]
  WINORD_FABRIC_TIMEOUT=1 direct absent processes
  equals 4 "$status"
  [[ $stderr == *"rank 0 of 2: no connection to rank 1: "* ]]
  WINORD_FABRIC_TIMEOUT=1 direct handle threads
  [[ $stderr == *"rank 1 of 2: no connection to rank 0: its handle is not this plugin's"* ]]
}

@test "a rank that dies leaves nothing behind and holds nobody up" {
  local memory
  [[ $(nm -D "$PLUGIN") != *shm_open* ]] # memory without a name: there is nothing to be left
  for memory in host cuda; do
    direct death processes 1 0 0 $memory
    equals "0 1" "$status $(seen alive)"
  done
}

@test "all memory is given back" {
  direct sizes threads
  equals "0 0" "$status $(seen left)"
}

@test "without CUDA's library host memory works, and device memory is refused with the reason" {
  LD_LIBRARY_PATH='' direct nothing threads 1 0 0 host
  equals 0 "$status"
  [[ -e $(ldconfig -p | awk '$1 == "libcuda.so.1" { print $NF; exit }') ]] && skip "this machine has one"
  LD_LIBRARY_PATH='' direct order threads 1 0 0 cuda
  equals 1 "$status"
  [[ $stderr == *"cannot be registered: libcuda.so.1 cannot be loaded"* ]]
}

@test "a wrong setting is one line, and the plugin does not start" {
  local setting
  for setting in MODE=5 MODE=x MODE=0.5 REORDER=1.5 REORDER=nan SEED=-3 SEED=9z HOLD_US=0 TIMEOUT=1000 FAULT=nonsense; do
    run --separate-stderr env "WINORD_FABRIC_$setting" timeout -s KILL 60 "$DIRECT" "$PLUGIN" nothing threads
    equals "2 2" "$status $(grep -c "^winord fabric: WINORD_FABRIC_${setting%%=*}=\"${setting#*=}\" is not " <<<"$stderr")"
  done
}
