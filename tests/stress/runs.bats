#!/usr/bin/env bats
# What a run says: verdicts and exit status, the same again for the same seed, replays, interruptions.

load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  VIOLATING=(-b 64 --blocks 4 --seed 3 --scenario put+va-signal --flags default)
}

# violating ARGUMENT...: a run that sees relaxed VA signals overtake.
violating() {
  WINORD_FABRIC_MODE=4 stress "${VIOLATING[@]}" "$@"
}

# The output without what depends on the clock of the wall.
timeless() {
  printf '%s\n' "$output" | sed 's/: about [0-9]* s of this row$//'
}

@test "status 0 and a bound: nothing seen" {
  stress -b 64 --blocks 4 --seed 3 --scenario put+va-signal,signal-first --flags strict
  exits 0
  equals "0 never ok" "$(table | awk '$1 == "put+va-signal" { print $6, $9, $10 }')"
  says "Observation put+va-signal Never 0 $(column 4 put+va-signal)"
  says "  blocks with a violation: 0 of $(column 5 put+va-signal), probability below 0.259 (95 % confidence); fewer than 1,000 blocks"
  says '  per try, if tries were independent: below 0.000'
  says '# verdict: no violation seen. That bounds how often'
}

@test "status 1: violations, witnesses and lateness" {
  violating
  exits 1
  local -i tries violations
  tries=$(column 4 put+va-signal)
  violations=$(column 6 put+va-signal)
  [[ $violations -gt 0 ]]
  equals VIOLATION "$(column 12 put+va-signal)"
  says "Observation put+va-signal (default) Sometimes $violations $((tries - violations))"
  says "  early $violations"
  [[ $(column 7 put+va-signal) -gt 0 && $(column 9 put+va-signal) -ge $(column 7 put+va-signal) ]]
  equals 3 "$(grep -cE '^  witness: early at .*, got .*, healed after [1-9][0-9]* ns$' <<<"$output")"
  equals "$violations" "$(awk '/ \.\. / { sum += $NF } END { print sum }' <<<"$output")" # of the histogram
  says '# verdict: VIOLATION'
}

@test "status 2: a detector control that is not seen" {
  # One round: nothing was there to be overtaken but what the ring held before; made certain by looking for a seed.
  local seed
  for seed in $(seq 40); do
    stress -b 8 -n 1 -w 0 --blocks 1 --ranks 1 --seed "$seed" --scenario put+signal,signal-first
    [[ $(column 6 signal-first) == 0 ]] && break
  done
  equals 0 "$(column 6 signal-first)"
  exits 2
  equals inconclusive "$(column 10 signal-first)"
  says '# verdict: inconclusive'
}

@test "what the rules allow is reported, and is no violation" {
  stress -b 64 -e 256 --blocks 6 --seed 3 --scenario source-reuse,2put+weak:first,put-as-flag,cross-context --flags default
  exits 0
  local scenario
  for scenario in source-reuse 2put+weak:first put-as-flag cross-context; do
    [[ $(column 6 "$scenario") -gt 0 ]] || { echo "$scenario: none seen"; show; false; }
    [[ $(table | awk -v s="$scenario" '$1 == s { print $NF }') == ok ]]
  done
  says '  future ' # the source was overwritten before the put read it
}

@test "in a good fabric nothing is seen that must not be, whatever is asked, in any mode, in any pattern" {
  local mode pattern
  for mode in 0 1 2 3 4; do
    WINORD_FABRIC_MODE=$mode stress -b 8 -e 512 --blocks 4 --seed "$mode"
    exits 0
  done
  for pattern in peer pairs ring fan-out fan-in bipartite all; do
    WINORD_FABRIC_MODE=4 stress -b 64 -e 4KiB -f 8 --blocks 3 --seed 5 --ranks 5 --pattern "$pattern" -n 500
    exits 0
  done
  stress -b 64 -e 512 --blocks 6 --seed 6 --flags default # mode 0
  exits 0
}

@test "modes 1 to 4: a relaxed VA signal may overtake; an indexed one, and a strict one, may not" {
  local mode
  for mode in 1 2 3 4; do
    WINORD_FABRIC_MODE=$mode stress -b 64 --blocks 3 --seed 1 --flags both \
      --scenario "put+va-signal,put;va-signal,channel-tail,put+signal,put;signal"
    exits 1
    equals "put+va-signal default
put;va-signal default
channel-tail default" "$(table | awk '$6 > 0 { print $1, $2 }')"
  done
}

@test "the classes add up, in the table and in JSON" {
  WINORD_FABRIC_MODE=4 stress -b 64 -e 4KiB -f 4 --blocks 6 --seed 2 --flags both -J results.json
  exits 1
  equals "" "$(jq -c '.rows[] | select(([.classes[]] | add) != .tries or .tries - .classes.ok != .violations)' results.json)"
  equals "" "$(jq -c '.rows[] | select(([.sizes[].tries] | add) != .tries or ([.sizes[].violations] | add) != .violations)' results.json)"
  equals "" "$(jq -c '.rows[] | select(([.lateness.log2_ns[]] | add) != .classes.early)' results.json)"
  equals "$(jq -r '.rows[] | [.scenario, .asked, .registered, .tries, .blocks, .violations, .expected, .verdict] | join(" ")' results.json)" \
    "$(table | awk '{ print $1, $2, $3, $4, $5, $6, $(NF - 1), $NF }')"
  equals '[1,"VIOLATION",2,4,"mixed",false,0.95]' \
    "$(jq -c '[.version, .verdict, .seed, .ranks, .pattern, .interrupted, (.confidence * 100 | round / 100)]' results.json)"
  equals 30 "$(jq '.rows | length' results.json)"
}

@test "the same seed: the same, byte for byte; another: another" {
  violating -J 1.json
  local first=$output # has no estimate of time, as there are violations
  violating -J 2.json
  equals "$first" "$output"
  equals "$(jq 'del(.rows[].seconds)' 1.json)" "$(jq 'del(.rows[].seconds)' 2.json)"
  violating --seed 4
  [[ $(column 6 put+va-signal) != "$(jq '.rows[0].violations' 1.json)" ]]
}

@test "every scenario repeats itself" {
  local all=(-b 8 -e 4KiB -f 8 --blocks 4 --seed 11 --flags both)
  WINORD_FABRIC_MODE=4 stress "${all[@]}"
  local first
  first=$(timeless)
  WINORD_FABRIC_MODE=4 stress "${all[@]}"
  equals "$first" "$(timeless)"
}

@test "a replay shows the violations again" {
  violating -J results.json
  equals '["4",null]' "$(jq -c '[.fabric_mode, .fabric_fault]' results.json)"
  equals 8 "$(jq '[.rows[].witnesses[] | [.block, .receiver]] | unique | length' results.json)"
  # The fabric is as it was then, whatever it is told now.
  WINORD_FABRIC_MODE=0 WINORD_FABRIC_FAULT=brief stress --replay results.json --seed 99
  exits 1
  [[ $output =~ ^'put+va-signal block '[0-9]+' rank '[0-9]+': again, ' ]]
  says "# 8 of 8 violations shown again"
  stress -b 64 --blocks 4 --seed 3 --scenario put+signal --mutant wrong-offset -J fault.json
  stress --replay fault.json
  exits 1
}

@test "a replay in a fabric that is in order shows none, and one of which some is gone is inconclusive" {
  violating -J results.json
  jq '.fabric_mode = "0"' results.json >repaired.json
  stress --replay repaired.json
  exits 0
  says "# 0 of 8 violations shown again"
  jq '.rows += [.rows[0] | .scenario = "put+signal"]' results.json >half.json
  stress --replay half.json
  exits 2
  says "# 8 of 16 violations shown again"
}

@test "a replay of a run without witnesses" {
  stress "${QUICK[@]}" --scenario put+signal -J results.json
  stress --replay results.json
  exits 0
  says '# 0 of 0 violations shown again'
}

@test "under a policy: the row says what was registered" {
  setup_shim
  run --separate-stderr preloaded "$STRESS" "${QUICK[@]}" --scenario put+signal --flags both
  exits 0
  equals "strict relaxed
default relaxed" "$(table | awk '{ print $2, $3 }')"
  equals 8 "$(records register .verdict | wc -l)"
  printf '[winord]\nversion = 1\n\n[rule small]\nasked = strict\nmax-size = 8\nordering = relaxed\n' >"$WINORD_CONF"
  run --separate-stderr preloaded "$STRESS" "${QUICK[@]}" --scenario put+signal
  equals strict "$(column 3 put+signal)"
}

# timeout --foreground: else it sends the signal twice, to the program and to its group.
@test "an interrupt ends the run with what is known so far" {
  local signal
  for signal in INT TERM; do
    TIME_LIMIT=30 run --separate-stderr timeout --foreground -k 20 --preserve-status -s "$signal" 1.5 \
      "$STRESS" -b 64 -e 512 --seconds 600 --scenario put+va-signal,signal-first -J "$signal.json"
    exits 0
    says "Observation put+va-signal Never 0 $(column 4 put+va-signal)"
    says $'\n# interrupted\n# verdict: no violation seen'
    equals true "$(jq .interrupted "$signal.json")"
  done
  WINORD_FABRIC_MODE=4 run --separate-stderr timeout --foreground -k 20 --preserve-status -s INT 1.5 \
    "$STRESS" -b 64 --seconds 600 --scenario put+va-signal --flags default
  exits 1
  says $'# interrupted\n# verdict: VIOLATION'
}

# until_caught PID: until the process has a handler for SIGINT, 20 s at most.
until_caught() {
  local caught
  for _ in {1..400}; do
    caught=$(awk '$1 == "SigCgt:" { print "0x" $2 }' "/proc/$1/status")
    [[ $((caught & 2)) -eq 0 ]] || return 0
    sleep 0.05
  done
  return 1
}

@test "a second interrupt ends it at once" {
  "$STRESS" -b 16MiB --ranks 1 -n 1000000 --seconds 600 --scenario put+signal >out 2>&1 &
  local pid=$! status=0
  until_caught "$pid"
  kill -INT "$pid"
  sleep 0.1
  kill -INT "$pid" 2>/dev/null || skip "the first one had ended it already"
  wait "$pid" || status=$?
  equals 130 "$status"
}

@test "output that cannot be written is no verdict" {
  [[ -w /dev/full ]] || skip "no /dev/full"
  run "$BASH" -c '"$@" >/dev/full' - "$STRESS" "${QUICK[@]}" --scenario put+signal
  exits 2
}

@test "a flag that never comes, or is another's word, ends its round as lost" {
  for fault in foreign-payload payload-lost; do
    run timeout 20 "$STRESS" --scenario put-as-flag --blocks 3 -w 0 -b 8 -e 8 --seed 1 --mutant "$fault"
    [[ $status -eq 0 ]]
    [[ $output == *" lost "* ]]
  done
}
