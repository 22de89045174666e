#!/usr/bin/env bats
# winord ab: one command under two policies, and what may be said of the difference.

# shellcheck disable=SC2154,SC2016 # set by bats; shells' own variables
load ../cli/common
setup() {
  setup_cli
  printf '[winord]\nversion = 1\n[rule all]\nordering = relaxed\naccept-hazard = yes\n' >relax.conf
  printf '[winord]\nversion = 1\n[rule all]\nordering = relaxed\n' >refuse.conf
  # bench: registers a window, asked strict unless ASK says otherwise; the rate is FAST where NCCL got it relaxed, else 100,
  # with up to NOISE added, the same in each call of this number.
  cat >bench <<END
#!/bin/bash
calls=\$(cat calls 2>/dev/null || echo 0)
echo \$((calls + 1)) >calls
flags=\$("$CLIENT" plt comm=0/\${RANKS:-1} reg=\${ASK:-2})
rate=100
[[ \$flags != *flags=0x0* ]] || rate=\${FAST:-500}
noise=(0 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2)
rate=\$((rate + \${NOISE:-0} * noise[calls % 30] / 9))
sleep "\${SLEEP:-0}"
echo "rate \$rate GB/s"
END
  chmod +x bench
  METRIC='rate ([0-9.]+) GB/s'
}

# ab ARGUMENT...: with the metric of bench.
ab() {
  winord ab --metric="$METRIC" "$@"
}

# nothing_left: no folder of ours, no process of the test's.
nothing_left() {
  local left
  left=$(compgen -G "$TMPDIR/winord-ab-*" || true)
  equals '' "$left"
}

@test "five times as fast: measured, and told apart from what each side registered" {
  NOISE=9 ab --b relax.conf -- ./bench
  exits 0
  equals 12 "$(cat calls)"
  says 'policy A   none: windows 5 strict, 0 default; 0 rewritten, 0 refused'
  says 'policy B   relax.conf: windows 0 strict, 5 default; 5 rewritten, 0 refused'
  [[ ${lines[-1]} =~ ^B\ is\ 4\.[0-9]+x\ \[4\.[0-9]+,\ 5\.[0-9]+\]\ \(93\.75\ %\ interval\ of\ the\ median\ of\ 5\ pairs ]] || {
    show
    false
  }
  complains 'run A0 (warm-up): 100'
  nothing_left
}

@test "the command's output reaches the user: standard output and errors, in turn" {
  ab -n 1 --b relax.conf -- sh -c './bench; echo oops >&2'
  equals 4 "$(grep -c '^rate ' <<<"$output")"
  equals 4 "$(grep -c '^oops$' <<<"$stderr")"
}

@test "the metric may stand on standard error; the last match counts" {
  METRIC='t=([0-9]+)' ab -n 1 --json --b relax.conf -- sh -c './bench >&2; echo t=7; sleep 0.01; echo t=8 t=9 >&2'
  equals '9 9 3' "$(jq -r '"\(.a.values[0]) \(.b.values[0]) \(.matches_in_a_run)"' <<<"$output")"
}

@test "a time: lower is better" {
  FAST=50 ab --lower-is-better --b relax.conf -- ./bench
  exits 0
  says 'B is 2.00x [2.00, 2.00]'
  rm calls
  FAST=500 ab --lower-is-better --b relax.conf --json -- ./bench
  equals '"worse"' "$(jq .verdict <<<"$output")"
}

@test "noise alone: no difference shown" {
  FAST=100 NOISE=20 ab -n 8 --b relax.conf -- ./bench
  exits 0
  says 'no difference shown: B is '
  says '(99.22 % interval of the median of 8 pairs'
}

@test "JSON holds all of it, and nothing else is on standard output" {
  ab --json --b relax.conf -- ./bench
  exits 0
  complains 'rate 500 GB/s'
  equals '[1,5,"better",5,5,5,0.9375,null,[]]' \
    "$(jq -c '[.v, .pairs, .verdict, .ratio.median, .ratio.low, .ratio.high, .ratio.coverage, .signal, .failures]' <<<"$output")"
  equals '["none",[100,100,100,100,100],100,5,0,"relax.conf",[500,500,500,500,500],500,0,5]' \
    "$(jq -c '[(.a, .b) | .policy, .values, .median, .strict, .default]' <<<"$output")"
}

@test "built-in policies, and B from the environment" {
  ASK=0 ab -n 1 --json --a none --b strict -- ./bench
  equals '[0,1,1,0]' "$(jq -c '[(.a, .b) | .strict, .default]' <<<"$output")"
  WINORD_CONF=$PWD/relax.conf ab -n 1 --json -- ./bench
  equals '[1,0,0,1]' "$(jq -c '[(.a, .b) | .strict, .default]' <<<"$output")"
  cp relax.conf strict # a file of that name has a slash
  ab -n 1 --json --b ./strict -- ./bench
  equals '[1,0,0,1]' "$(jq -c '[(.a, .b) | .strict, .default]' <<<"$output")"
}

@test "both sides registered alike: refused after the warm-up" {
  printf '[winord]\nversion = 1\n' >keep.conf
  ab --b keep.conf -- ./bench
  exits 1
  equals 2 "$(cat calls)"
  complains 'runs A0 and B0 registered alike: 1 strict and 0 default windows in A, 1 and 0 in B'
  equals 'not compared: the two sides did not register differently' "${lines[-1]}"
}

@test "a refused guard made them alike: said, with the rule and why" {
  ab --b refuse.conf -- ./bench
  exits 1
  says "refused in the latest run: rule 'all' ($PWD/refuse.conf:3): "
  says ': 1 windows stayed strict'
  says "not compared: the guard refused what would have told the two sides apart"
  ab --b relaxed --json -- ./bench
  exits 1
  equals '["registered_alike",1,null,1]' "$(jq -c '[.verdict, .b.refused, .b.refusals[0].rule, .b.refusals[0].windows]' <<<"$output")"
}

@test "nothing was registered, or past the shim: no comparison" {
  ab --b relax.conf -- echo 'rate 7 GB/s'
  exits 1
  complains 'run A0 journalled no window registration'
  complains 'was the shim loaded?'
  ab --b relax.conf -- env -u LD_PRELOAD ./bench
  exits 1
  complains 'run A0 journalled no window registration'
}

@test "one pair registered alike: it does not count" {
  # the third B run loses the policy
  cat >loses <<'END'
#!/bin/bash
[[ $(cat calls 2>/dev/null) != 7 ]] || export WINORD_CONF=$PWD/keep.conf
exec ./bench
END
  chmod +x loses
  printf '[winord]\nversion = 1\n' >keep.conf
  ab --b relax.conf -n 6 -- ./loses
  exits 0
  says 'not counted: runs A3 and B3 registered alike'
  says 'of the median of 5 pairs'
}

@test "registrations of other hosts or sizes have nothing in common" {
  cat >grows <<END
#!/bin/bash
calls=\$(cat calls 2>/dev/null || echo 0)
echo \$((calls + 1)) >calls
"$CLIENT" plt comm=0/1 reg=2,\$((4096 * (calls + 1))) >/dev/null
echo "rate 5 GB/s"
END
  chmod +x grows
  ab --b relax.conf -- ./grows
  exits 1
  complains 'have no registration of the same host, size and request in common'
}

@test "failing runs: the warm-up ends it, one is lost, a second ends it" {
  ab --b relax.conf -- sh -c './bench; exit 3'
  exits 1
  equals 1 "$(cat calls)"
  says 'not counted: run A0 failed with status 3'
  says 'no verdict: 0 of the 5 pairs that it takes were measured'
  rm calls
  ab --b relax.conf -n 6 -- sh -c './bench; [ "$(cat calls)" != 6 ]'
  exits 0
  says 'not counted: run B2 failed with status 1'
  says 'of the median of 5 pairs'
  rm calls
  ab --b relax.conf -n 20 --json -- sh -c './bench; [ "$(cat calls)" -lt 6 ] || kill -SEGV $$'
  exits 1
  equals '["too_few_pairs",1,["run B2 failed with status 139","run A3 failed with status 139"]]' \
    "$(jq -c '[.verdict, .pairs, .failures]' <<<"$output")"
}

@test "no metric, or none that is a number" {
  METRIC='latency ([0-9]+)' ab --b relax.conf -- ./bench
  exits 1
  complains 'run A0 printed no metric'
  METRIC='rate (.*)' ab --b relax.conf -- ./bench
  exits 1
  complains "run A0 printed '100 GB/s' for the metric, which is no positive number"
}

@test "fewer than five pairs: measured, without a verdict" {
  ab -n 2 --b relax.conf --json -- ./bench
  exits 1
  complains 'fewer than 5 pairs give no verdict'
  equals '["too_few_pairs",2,5,0.5]' "$(jq -c '[.verdict, .pairs, .ratio.median, .ratio.coverage]' <<<"$output")"
}

@test "SIGTERM and a terminal's Ctrl-C: what was measured is printed" {
  # a shell would start it in the background with SIGINT ignored
  cat >start.py <<'END'
import os, signal, subprocess, sys, time
name, group, wanted = sys.argv[1], sys.argv[2] == "group", int(sys.argv[3])
def begin():
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
with open("out", "w") as out, open("err", "w") as err:
    it = subprocess.Popen(sys.argv[4:], stdout=out, stderr=err, preexec_fn=begin)
    for _ in range(400):
        if os.path.exists("calls") and (open("calls").read().strip() or "0").isdigit() and int(open("calls").read() or 0) >= 14:
            break
        time.sleep(0.05)
    number = getattr(signal, name)
    os.killpg(it.pid, number) if group else os.kill(it.pid, number)
    sys.exit(0 if it.wait(30) == wanted else 1)
END
  local how
  for how in 'SIGTERM alone 143' 'SIGINT alone 130' 'SIGINT group 130' 'SIGHUP alone 129'; do
    rm -f calls
    # shellcheck disable=SC2086 # three words
    timeout -k 2 60 python3 start.py $how "$WINORD" ab --metric="$METRIC" -n 900 --b relax.conf --json -- \
      sh -c './bench; [ "$(cat calls)" -lt 14 ] || exec sleep 60'
    grep -q 'ended by signal' err
    equals '["better",true,[]]' "$(jq -c '[.verdict, .pairs >= 5, .failures]' out)"
    equals "$(cut -d' ' -f3 <<<"$how")" "$((128 + $(jq .signal out)))"
    nothing_left
  done
}

@test "ignored signals stay ignored" {
  run --separate-stderr bash -c "trap '' INT; exec '$WINORD' ab --metric='$METRIC' -n 5 --b relax.conf -- sh -c './bench; kill -INT \$PPID'"
  equals 0 "$status"
}

@test "-o keeps the journals, one of each process, in a new or empty folder" {
  ab -n 1 -o 'my 100%p' --b relax.conf -- ./bench
  equals '2 2' "$(cat 'my 100%p'/A?.*.jsonl | jq -c 'select(.event == "register").flags_out' | xargs)"
  equals '0 0' "$(cat 'my 100%p'/B?.*.jsonl | jq -c 'select(.event == "register").flags_out' | xargs)"
  equals 4 "$(cat 'my 100%p'/*.jsonl | jq -r 'select(.event == "register").run' | sort -u | wc -l)"
  ab -n 1 -o 'my 100%p' --b relax.conf -- ./bench
  exits 1
  complains 'is not empty'
  ab -n 1 -o no/such/folder --b relax.conf -- ./bench
  exits 1
  complains 'cannot be made or read'
}

@test "damaged journals are neither believed nor fatal" {
  cat >damages <<'END'
#!/bin/bash
folder=$(dirname "$WINORD_LOG") name=$(basename "${WINORD_LOG%%.*}")
head -c 3000 /dev/urandom >"$folder/$name.x.1.jsonl"
printf '%s\n' 17 '{"event":"register"}' '{"event":"register","flags_out":"0","size":[]}' '{"event":"register","flags_out":0,"nranks":-5,"rank":9e99' \
  '{"event":"register","flags_out":2,"nranks":99999999999,"rank":-1,"size":5,"host":null,"flags_in":2}' >"$folder/$name.x.2.jsonl"
ln -s /dev/zero "$folder/$name.x.3.jsonl"
mkfifo "$folder/$name.x.4.jsonl"
mkdir "$folder/$name.x.5.jsonl"
exec ./bench
END
  chmod +x damages
  TIME_LIMIT=20 ab --b relax.conf --json -- ./damages
  exits 0
  equals '"better"' "$(jq .verdict <<<"$output")"
}

@test "ranks whose journals are missing are said" {
  RANKS=4 ab -n 1 --b relax.conf -- ./bench
  complains 'the journals hold 1 of 4 ranks'
}

@test "a policy that was not used on a host is said" {
  ab -n 1 --b relax.conf --a ./keep.conf -- ./bench
  exits 1
  complains 'keep.conf'
  printf '[winord]\nversion = 1\n' >keep.conf
  ab -n 1 --b relax.conf --a keep.conf -- sh -c '[ "${WINORD_CONF##*/}" = relax.conf ] || export WINORD_CONF=/no/such/file; ./bench'
  complains 'run A0: the policy was not used on '
}

@test "no input is shared between the runs; what outlives a run is not waited for" {
  run --separate-stderr timeout -k 2 30 "$WINORD" ab --metric="$METRIC" -n 1 --b relax.conf -- sh -c 'cat; ./bench' <<<'from stdin'
  [[ $output != *'from stdin'* ]]
  TIME_LIMIT=40 ab -n 1 --b relax.conf -- sh -c './bench; sleep 60 3>&- &'
  exits 1
  complains 'run B1: 500'
}

@test "a reader that goes away does not end the runs, and is a failure" {
  run bash -c "'$WINORD' ab --metric='$METRIC' --b relax.conf -- ./bench 2>/dev/null | head -c 1; exit \${PIPESTATUS[0]}"
  equals 1 "$status"
  equals 12 "$(cat calls)"
  nothing_left
}

@test "options: what is wrong is said before anything runs" {
  for words in '' '--b relax.conf' '--metric (x) --b relax.conf' '-n 0 -m (x) true' '-n 1001 -m (x) true' '-n x -m (x) true' '-m x --b relax.conf true' \
    '-m ( --b relax.conf true' '-m (x) true' '--frobnicate' '-n'; do
    # shellcheck disable=SC2086
    winord ab $words
    usage_error ab
  done
  WINORD_DISABLE=1 ab --b relax.conf -- ./bench
  usage_error ab
  WINORD_DRY_RUN=1 ab --b relax.conf -- ./bench
  usage_error ab
  run -127 "$WINORD" ab --metric="$METRIC" --b relax.conf -- no-such-program
  echo junk >bad.conf
  ab --b bad.conf -- ./bench
  exits 1
  complains 'bad.conf:1: error: '
  [[ ! -e calls ]]
  nothing_left
}

@test "around winord run: the inner one keeps policy and journal" {
  ab --b relax.conf -- "$WINORD" run -- ./bench
  exits 0
  says 'B is 5.00x [5.00, 5.00]'
}

@test "around mpirun: the environment travels to the ranks of this host" {
  command -v mpirun >/dev/null || lacking mpirun
  local as_root=()
  [[ $(id -u) != 0 ]] || as_root=(--allow-run-as-root)
  cat >rank <<END
#!/bin/bash
flags=\$("$CLIENT" plt comm=\$OMPI_COMM_WORLD_RANK/\$OMPI_COMM_WORLD_SIZE reg=2)
[[ \$flags != *flags=0x0* ]] && rate=100 || rate=500
[[ \$OMPI_COMM_WORLD_RANK != 0 ]] || echo "rate \$rate GB/s"
END
  chmod +x rank
  ab -n 5 --b relax.conf --json -- mpirun "${as_root[@]}" --oversubscribe -np 2 \
    -x LD_PRELOAD -x WINORD_CONF -x WINORD_LOG -x WINORD_RUN ./rank
  exits 0
  equals '["better",5,10,2,2]' "$(jq -c '[.verdict, .ratio.median, .b.default, .b.ranks, .b.ranks_journalled]' <<<"$output")"
  [[ $stderr != *warning* ]]
}

@test "around the hunter on the simulated NCCL: registered differently, and the same number of tries" {
  METRIC='^Observation put[+]signal [A-Za-z]+ [0-9]+ ([0-9]+)' ab --b relax.conf --json -- \
    "$WINORD_BUILD/winord-stress" -b 64 --scenario put+signal --blocks 2 --seed 7
  exits 0
  equals '["no_difference_shown",1,1,1]' "$(jq -c '[.verdict, .ratio.low, .ratio.high, (.a.strict == .b.default and .a.strict > 0 | if . then 1 else 0 end)]' <<<"$output")"
  equals '[4,4]' "$(jq -c '[.b.ranks, .b.ranks_journalled]' <<<"$output")"
}
