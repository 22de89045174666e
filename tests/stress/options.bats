#!/usr/bin/env bats
# The command line: every option does what it says, and every mistake is said in a line, with status 2 and no verdict.

load common

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# usage OPTION... -- TEXT: a mistake of the command line.
usage() {
  local arguments=()
  while [[ $1 != -- ]]; do
    arguments+=("$1")
    shift
  done
  stress "${arguments[@]}"
  exits 2
  equals "" "$output"
  equals 1 "$(wc -l <<<"$stderr")"
  [[ $stderr == *"$2"* && $stderr == "winord-stress: "*"; try 'winord-stress --help'" ]] || {
    show
    return 1
  }
}

@test "sizes" {
  usage -b 7 -- '-b 7: expected a multiple of 8'
  usage -b 0 -- '-b 0'
  usage -b 12 -- '-b 12'
  usage -b 8x -- '-b 8x'
  usage -b -8 -- '-b -8'
  usage -e 65MiB -- '-e 65MiB'
  usage -b 1KiB -e 8 -- '-b 1024 is larger than -e 8'
  usage -f 1 -- '-f 1'
  usage -f nan -- '-f nan'
  usage -f 0.5 -- '-f 0.5'
  usage -f x -- '-f x'
  usage -b 8 -e 64MiB -f 1.01 -- 'more than 64 sizes'
}

@test "numbers" {
  local option
  for option in -n --iters -w --warmup_iters --ranks --blocks --seed; do
    usage "$option" -1 -- '-1'
    usage "$option" 1x -- '1x'
    usage "$option" " -1" -- ' -1'
    usage "$option" "" -- 'expected'
    usage "$option" 99999999999999999999999 -- 'expected'
  done
  for option in --seconds --confidence; do
    usage "$option" 0 -- "$option 0: expected"
    usage "$option" nan -- "$option nan: expected"
    usage "$option" 1x -- '1x'
  done
  usage -n 0 -- 'expected'
  usage --ranks 0 -- 'expected 1 to 64'
  usage --ranks 65 -- 'expected 1 to 64'
  usage --blocks 0 -- '--blocks 0'
  usage --confidence 1 -- '--confidence 1'
  usage -c 0 -- '-c 0'
}

@test "names" {
  usage --scenario nosuch -- '--scenario nosuch: no such scenario'
  usage --scenario put+signal,nosuch -- 'nosuch'
  usage --scenario "" -- '--scenario: no name'
  usage --scenario , -- '--scenario: no name'
  usage --pattern nosuch -- '--pattern nosuch: no such pattern'
  usage --flags nosuch -- '--flags nosuch: expected strict, default or both'
  usage put+signal -- 'put+signal: not an option'
}

@test "an unknown option, an option without its value" {
  for option in --nosuch -z --html -J --seed; do
    stress "$option"
    exits 2
    equals "" "$output"
    [[ $stderr == *"$option"* || $stderr == *"${option#-}"* ]]
  done
}

@test "an unknown fault, a mode that is none, and a transport that is not there" {
  stress "${QUICK[@]}" --mutant nosuch
  mistake 'no fault "nosuch"'
  WINORD_FABRIC_FAULT=nosuch stress "${QUICK[@]}"
  mistake 'no fault "nosuch"'
  WINORD_FABRIC_MODE=5 stress "${QUICK[@]}"
  mistake 'is not 0 to 4'
  WINORD_SIM=$PWD/nosuch stress "${QUICK[@]}"
  mistake "$PWD/nosuch"
  WINORD_SIM=$WINORD_BUILD/libwinord.so stress "${QUICK[@]}"
  mistake 'not the simulated NCCL'
}

@test "sizes that do not fit into memory" {
  [[ -z ${ASAN_OPTIONS:-} ]] || skip "AddressSanitizer needs the address space"
  ulimit -v 2000000
  stress -b 64MiB --ranks 16 --blocks 1 --scenario put+signal
  mistake 'out of memory'
}

@test "results that cannot be written" {
  stress "${QUICK[@]}" --scenario put+signal -J /nonexistent/results.json
  exits 2
  equals "winord-stress: /nonexistent/results.json: No such file or directory" "$stderr"
  says '# verdict: no violation seen' # what was found is not lost
}

@test "-J to a full device" {
  [[ -w /dev/full ]] || skip "no /dev/full"
  stress "${QUICK[@]}" --scenario put+signal -J /dev/full
  exits 2
  equals "winord-stress: /dev/full: No space left on device" "$stderr"
}

@test "files that cannot be replayed" {
  printf '{"version": 99, "rows": []}' >other
  printf '{"version": 1' >broken
  printf '[]' >array
  printf '{"version": 1, "ranks": 4, "tries_per_block": 0, "pattern": "mixed", "rows": []}' >range
  printf '{"version": 1, "ranks": 4, "tries_per_block": 9, "pattern": "mixed", "rows": [{"scenario": "nosuch"}]}' >row
  while read -r file text; do
    stress --replay "$file"
    mistake "--replay $file: $text"
  done <<'END'
missing unable to open
other written by another version
broken 
array written by another version
range ranks, pattern or tries_per_block
row a row that this winord does not know
/dev/null 
END
}

@test "--help and --list" {
  stress --help
  exits 0
  says 'usage: winord-stress'
  stress --list
  exits 0
  says 'put+va-signal            never'
  says 'patterns: peer pairs ring'
  says 'relaxed-signal '
  # --prove plants every fault that the fabric has.
  equals "$(sed -n 's/^ *\[FAULT_[A-Z_]*\] = {"\([a-z-]\{1,\}\)".*/\1/p' "$BATS_TEST_DIRNAME/../../bench/fabric/faults.c" | sort)" \
    "$(sed -n '/^faults:/,$p' <<<"$output" | sed 1d | awk '{ print $1 }' | sort)"
}

@test "-b -e -f make the sizes" {
  sizes() { sed -n 's/^# payload of a round \(.*\) bytes;.*/\1/p' <<<"$output"; }
  stress "${QUICK[@]}" --scenario put+signal
  equals 64 "$(sizes)"
  stress -b 8 -e 1KiB -f 4 --blocks 1 --seed 1 --scenario put+signal
  equals "8 32 128 512" "$(sizes)"
  stress --minbytes 4088 --maxbytes 8KiB --stepfactor 1.5 --blocks 1 --seed 1 --scenario put+signal
  equals "4088 6128" "$(sizes)"
  stress -e 32 --blocks 1 --seed 1 --scenario put+signal
  equals "8 16 32" "$(sizes)"
}

@test "-n, -w, --ranks, --blocks: how much is run" {
  stress -b 64 --seed 1 --blocks 3 --scenario put+signal --pattern ring --ranks 3 -n 160 -c 1
  exits 0
  equals "9" "$(column 5 put+signal)" # a block of each receiver
  [[ $(column 4 put+signal) -ge 1440 && $(column 4 put+signal) -lt 1600 ]]
  says ' ranks 3, pattern ring, seed 1'
  stress -b 64 --seed 1 --blocks 3 --scenario put+signal --pattern peer --ranks 2 -n 160 -w 2
  local -i three
  three=$(column 4 put+signal)
  stress -b 64 --seed 1 --blocks 5 --scenario put+signal --pattern peer --ranks 2 -n 160 -w 0
  equals "$((three * 5 / 3))" "$(column 4 put+signal)"
  stress -b 64 --seed 1 --blocks 2 --scenario put+signal --ranks 1
  exits 0
  equals "2" "$(column 5 put+signal)" # to itself
}

@test "--scenario chooses, in its order, --flags asks" {
  stress "${QUICK[@]}" --scenario signal-first,put+signal --flags both
  exits 0
  equals "signal-first strict strict
put+signal strict strict
signal-first default relaxed
put+signal default relaxed" "$(table | awk '{ print $1, $2, $3 }')"
  stress "${QUICK[@]}"
  equals "$("$STRESS" --list | sed '/^$/,$d' | awk '{ print $1 }')" "$(table | awk '{ print $1 }')"
}

@test "--confidence moves the bounds" {
  bound() { sed -n 's/.*probability below \([0-9.e-]*\) (.*/\1/p' <<<"$output"; }
  stress -b 64 --blocks 10 --seed 1 --scenario put+signal --pattern peer --ranks 2
  equals 0.259 "$(bound)" # 1 - 0.05^(1/10)
  stress -b 64 --blocks 10 --seed 1 --scenario put+signal --pattern peer --ranks 2 --confidence 0.99
  equals 0.369 "$(bound)" # 1 - 0.01^(1/10)
  says '(99 % confidence)'
}

@test "--seconds is kept, and is the whole" {
  SECONDS=0
  stress -b 64 -e 512 --seconds 2
  exits 0
  [[ $SECONDS -ge 2 && $SECONDS -le 20 ]] # of each scenario it would be 30
  equals 15 "$(grep -c '^Observation ' <<<"$output")"
}

@test "no --seed: another one each time, and it is printed" {
  stress -b 64 --blocks 1 --scenario put+signal
  local first=$output
  sleep 0.01
  stress -b 64 --blocks 1 --scenario put+signal
  [[ ${first%%$'\n'*} =~ seed\ [0-9]+$ && ${first%%$'\n'*} != "${output%%$'\n'*}" ]]
}

@test "the progress line: on a terminal, and not with --quiet" {
  type -P script >/dev/null || lacking script
  script -qec "'$STRESS' -b 64 --blocks 40 --seed 1 --scenario put+signal" /dev/null >with </dev/null
  script -qec "'$STRESS' -b 64 --blocks 40 --seed 1 --scenario put+signal --quiet" /dev/null >without </dev/null
  grep -q $'\rput+signal.*block.*violations' with
  run ! grep -q $'\033' without
  stress "${QUICK[@]}" --scenario put+signal
  equals "" "$stderr"
}
