#!/usr/bin/env bats
# winord qualify: facts, bandwidth and the hunter on the simulated fabric, around a launcher that stands for two hosts.

# shellcheck disable=SC2154,SC2016,SC2030,SC2031 # set by bats; shells' own variables; a test is a subshell
load ../cli/common
setup() {
  setup_cli
  unset SLURM_PROCID SLURM_NTASKS SLURM_JOB_ID WINORD_FABRIC_FAULT
  export WINORD_FABRIC_MODE=0 WINORD_CONF=$PWD/fleet.conf
  # guests, whose modes nobody can read; somebody answers for them
  printf '[winord]\nversion = 1\n[pool guests]\nhosts = guest-*\nattest-pci-atomic-mode = 0\nattested-by = ticket 4711\nattested-until = 2999-03-31\n' >fleet.conf
  facts 0 unknown
  facts 1 unknown
  cat >launch <<'END'
#!/bin/bash
for rank in 0 1; do
  SLURM_PROCID=$rank SLURM_NTASKS=2 SLURM_JOB_ID=$$ WINORD_FACTS=$PWD/facts.$rank "$@" &
  ranks+=($!)
done
trap 'kill "${ranks[@]}"; stopped=1' TERM
status=0
for rank in "${ranks[@]}"; do
  wait "$rank" || status=$?
  [[ -z ${stopped:-} ]] || wait "$rank"
done
exit $status
END
  cat >bench <<END
#!/bin/bash
flags=\$("$CLIENT" plt comm=\$SLURM_PROCID/2 reg=2)
[[ \$flags != *flags=0x0* ]] && rate=100 || rate=\${FAST:-500}
echo run >>runs
echo "rate \$rate GB/s"
END
  chmod +x launch bench
  HUNT='--backend fabric -b 64 -n 8 --blocks 1000 --seed 3'
}

# facts RANK MODE: what is known of host guest-RANK.
facts() {
  printf '[facts]\nversion = 1\nhostname = guest-%s\nboot-id = %s\n[nic 0000:81:00.0]\ndevice = mlx5_0\ndriver = mlx5_core\npci-atomic-mode-current = %s\npci-atomic-mode-next = %s\npci-atomic-source = mstconfig\n' \
    "$1" "$(cat /proc/sys/kernel/random/boot_id)" "$2" "$2" >"facts.$1"
}

# qualify ARGUMENT...
qualify() {
  rm -rf out
  winord qualify -o out --launcher ./launch --stress "$HUNT" "$@"
}

# evidence FILTER
evidence() {
  jq -c "$1" out/evidence.json
}

# proposes ORDERING: the rule says so, and is a good policy. That of a rehearsal has another name.
proposes() {
  local rule=out/rule.conf
  [[ $(evidence .rehearsal) == null ]] || rule=out/rehearsal.conf
  grep -qx "ordering = $1" "$rule"
  "$WINORD" check "$rule"
  equals 1 "$(find out -name rule.conf -o -name rehearsal.conf | wc -l)"
}

# lacks TEXT: unknown, for this reason; strict stays.
lacks() {
  exits 3
  equals '"unknown"' "$(evidence .verdict)"
  [[ $(evidence '.lacks[]') == *"$1"* ]] || {
    evidence .lacks
    return 1
  }
  proposes strict
}

@test "attested, a clean hunt with its controls seen: relaxed, with bound, seed and what was not seen" {
  qualify
  exits 3 # what is rehearsed is nothing that a script may go by
  equals 'unknown (rehearsal: relaxed)' "${lines[-1]}"
  equals '["unknown",true,"relaxed",[],[]]' "$(evidence '[.verdict, .finished, .rehearsal, .refutes, .lacks]')"
  equals '[["guest-0","guest-1"],["attested","attested"],3,"fabric"]' "$(evidence '[[.hosts[].host], [.hosts[].grounds], .hunt.seed, .hunt.backend]')"
  equals '[true,0]' "$(evidence '[(.hunt.rows | map(select(.scenario == "put+va-signal"))[0] | .blocks >= 1000 and .block_bound < 0.01), ([.hunt.rows[] | select(.asked != "default")] | length)]')"
  for text in 'a rehearsal' 'mode 0 is attested by ticket 4711' 'no command and --metric' 'did not reach'; do
    [[ $(evidence '.not_seen[]') == *"$text"* ]]
    grep -q '^# not seen' out/rehearsal.conf
  done
  grep -q '^# .*seed 3: 0 violations in [0-9]* tries' out/rehearsal.conf
  tr -s '\n# ' ' ' <out/rehearsal.conf | grep -q 'of [0-9]* blocks, probability below 0.00[0-9]* (95 % confidence)'
  grep -qx '# *Zero of N bounds .*' out/rehearsal.conf
  proposes relaxed
  for host in guest-0 guest-1; do compgen -G "out/journals/hunt.$host.*.jsonl"; done
}

@test "the same by another backend is no rehearsal: relaxed, with status 0" {
  cat >launch2 <<'END'
#!/bin/bash
./launch "$@"
[[ " $* " == *' --look='* ]] || { jq '.backend = "gin"' out/hunt.json >real && cat real >out/hunt.json; }
END
  chmod +x launch2
  winord qualify -o out --launcher ./launch2 --stress "$HUNT"
  exits 0
  equals relaxed "${lines[-1]}"
  equals '["relaxed",null]' "$(evidence '[.verdict, .rehearsal]')"
  proposes relaxed
}

@test "the rule that is proposed relaxes those hosts, and no host whose mode is known not to be 0" {
  qualify
  WINORD_FACTS=$PWD/facts.1 winord explain out/rehearsal.conf
  says 'rewritten: rule'
  facts 1 4
  WINORD_FACTS=$PWD/facts.1 winord explain out/rehearsal.conf
  [[ $output != *rewritten* ]]
}

@test "proved by root's facts: relaxed without an attestation" {
  [[ $(id -u) == 0 ]] || skip 'only the facts of root prove'
  export WINORD_CONF=$PWD/none.conf
  printf '[winord]\nversion = 1\n' >none.conf
  facts 0 0
  facts 1 0
  qualify --pool metal
  exits 3
  equals '["proved","proved"]' "$(evidence '[.hosts[].grounds]')"
  grep -qx 'pool = metal' out/rehearsal.conf
  proposes relaxed
  chmod 666 facts.1
  qualify
  lacks 'guest-1: the guard has no grounds: facts_untrusted'
}

@test "a violation: strict, although somebody vouched" {
  WINORD_FABRIC_MODE=4 qualify
  exits 1
  equals strict "$(cut -d' ' -f1 <<<"${lines[-1]}")"
  [[ $(evidence '.refutes[]') == *'hunter, put+va-signal: '*' violations in '* ]]
  proposes strict
}

@test "a planted fault is a violation, too" {
  HUNT+=' --mutant stale-slot'
  qualify
  exits 1
  equals 'true' "$(evidence '.hunt.fabric_fault != null')"
}

@test "facts refute: strict, and nothing is measured or hunted" {
  facts 1 3
  qualify --metric 'rate ([0-9]+)' -- ./bench
  exits 1
  equals '["guest-1: the facts file: PCI_ATOMIC_MODE 3 (mstconfig)"]' "$(evidence .refutes)"
  equals 'null null' "$(evidence .hunt) $(evidence .bandwidth)"
  [[ ! -e runs ]]
  proposes strict
}

@test "what winord facts sees now refutes what the facts file says, and never grants" {
  # shellcheck disable=SC2034 # for hosts.bash
  ROOT=$PWD/root
  mkdir -p out/hosts root/outputs
  load ../facts-live/hosts
  forced # mode 0 by firmware, and every write relaxed
  WINORD_FACTS=$PWD/facts.0 WINORD_CONF=$PWD/none.conf winord qualify --look=out --root=root
  exits 0
  equals '["guest-0",null,"0",true,null,"28.43.2026"]' \
    "$(jq -c '[.host, .grounds, .seen_now, .force_relax, .refuted, .all.nics[0].firmware.value]' out/hosts/*.json)"
  firmware 0000:81:00.0 ConnectX7 0 4 0
  rm out/hosts/*
  WINORD_FACTS=$PWD/facts.0 winord qualify --look=out --root=root
  equals '["attested","seen now: PCI_ATOMIC_MODE 4 (mstconfig)"]' "$(jq -c '[.grounds, .refuted]' out/hosts/*.json)"
}

@test "no grounds of the guard: unknown, but hunted all the same" {
  sed -i /attest/d fleet.conf
  qualify
  lacks 'guest-0: the guard has no grounds: '
  equals '"ok"' "$(evidence .hunt.verdict)"
  sed -i 's/^\[pool guests\]/&\nattest-pci-atomic-mode = 0\nattested-by = x\nattested-until = 2020-01-01/' fleet.conf
  qualify
  lacks 'guest-0: the guard has no grounds: '
}

@test "controls that were not run, no VA signal, a short run: unknown" {
  HUNT+=' --scenario put+va-signal' qualify
  lacks '0 of 0 detector controls were seen'
  HUNT+=' --scenario signal-first,put+signal' qualify
  lacks 'no scenario with a VA signal'
  HUNT+=' --blocks 2' qualify
  lacks 'have fewer than 1000 blocks'
}

@test "a control that is not seen: unknown, whatever the hunter ends with" {
  cat >launch <<END
#!/bin/bash
case " \$* " in
*' --look='*) exec env SLURM_PROCID=0 SLURM_NTASKS=1 WINORD_FACTS=\$PWD/facts.0 "\$@" ;;
esac
WINORD_FACTS=\$PWD/facts.0 "\$@"
jq '(.rows[] | select(.expected == "seen") | .violations) = 0' out/hunt.json >blind && cat blind >out/hunt.json
END
  qualify
  lacks '0 of 1 detector controls were seen: it may be blind'
}

@test "a hunter that is not there, hangs up or leaves rubbish: unknown" {
  HUNT='--backend gin' qualify # no library for GPUs here
  lacks 'the hunter left no result'
  HUNT='--frobnicate' qualify
  lacks 'the hunter left no result (status 2)'
  HUNT='--list; #' qualify
  lacks 'the hunter left no result'
  for rubbish in '' '[]' '{"rows":7}' '{"rows":[7,{"expected":"never","violations":"x"}],"backend":[]}'; do
    printf '%s' "$rubbish" >rubbish
    HUNT="--list >/dev/null; cat rubbish >out/hunt.json; #"
    cat >quiet <<'END'
#!/bin/bash
[[ " $* " == *' --look='* ]] && exec ./launch "$@"
cat rubbish >out/hunt.json
END
    chmod +x quiet
    rm -rf out
    winord qualify -o out --launcher ./quiet
    exits 3
    proposes strict
  done
}

@test "the options of the hunt cannot ask for strict windows, or for another backend's" {
  HUNT+=' --flags strict' qualify
  exits 3
  equals '["default"]' "$(evidence '[.hunt.rows[].asked] | unique')"
}

@test "ranks that left nothing, or do not know each other: unknown" {
  cat >some <<'END'
#!/bin/bash
SLURM_PROCID=0 SLURM_NTASKS=2 WINORD_FACTS=$PWD/facts.0 exec "$@"
END
  cat >strangers <<'END'
#!/bin/bash
WINORD_FACTS=$PWD/facts.0 "$@" && WINORD_FACTS=$PWD/facts.1 "$@"
END
  chmod +x some strangers
  rm -rf out
  WINORD_FABRIC_TIMEOUT=1 winord qualify -o out --launcher ./some --stress "$HUNT"
  lacks '1 processes left a record'
  rm -rf out
  winord qualify -o out --launcher ./strangers --stress "$HUNT"
  lacks '2 processes left a record'
  rm -rf out
  winord qualify -o out --launcher true --stress "$HUNT"
  exits 3
  equals '[]' "$(evidence .hosts)"
  [[ ! -e out/rule.conf ]]
}

@test "damaged records of hosts are neither believed nor fatal" {
  cat >damages <<'END'
#!/bin/bash
./launch "$@"
[[ " $* " == *' --look='* ]] || exit 0
cp "$(ls out/hosts/0000*.json)" good
for change in '.host = "x, *"' '.host = 7' '.rank = -1' '.pool = "a*"' '.grounds = ["proved"]'; do
  n=$((n + 1))
  jq "$change" good >"out/hosts/$n.json"
done
head -c 3000 /dev/urandom >out/hosts/6.json
mkfifo out/hosts/7.json
ln -s /dev/zero out/hosts/8.json
END
  chmod +x damages
  TIME_LIMIT=30 winord qualify -o out --launcher ./damages --stress "$HUNT"
  lacks 'no record of a host'
  equals 2 "$(evidence '.hosts | length')"
  equals 8 "$(evidence '[.lacks[] | select(test("no record of a host"))] | length')"
}

@test "bandwidth in pairs: a gain, strict against the rule that is proposed" {
  qualify --metric 'rate ([0-9.]+) GB/s' -- ./bench
  exits 3
  equals '["better","strict",5,[100,100,100,100,100]]' "$(evidence '.bandwidth | [.verdict, .a.policy, .ratio.median, .a.values]')"
  equals 24 "$(wc -l <runs)"
  grep -q '^# bandwidth  B is 5.00x \[5.00, 5.00\] (93.75 % interval of the median of 5 pairs' out/rehearsal.conf
  compgen -G 'out/bandwidth/B5.guest-1.*.jsonl'
}

@test "bandwidth: no gain, failing runs, or refused by the guard: unknown" {
  FAST=100 qualify --metric 'rate ([0-9.]+) GB/s' -- ./bench
  lacks 'bandwidth: no gain shown: no difference shown'
  qualify --metric 'rate ([0-9.]+) GB/s' -- false
  lacks 'bandwidth: no gain shown: no verdict'
  qualify --metric 'rate ([0-9.]+) GB/s' -- no-such-program
  lacks 'bandwidth: no gain shown: no verdict'
  sed -i /attest/d fleet.conf
  qualify --metric 'rate ([0-9.]+) GB/s' -- ./bench
  lacks 'bandwidth: no gain shown: not compared'
  printf '[winord]\nversion = 1\n[rule measure]\nordering = relaxed\naccept-hazard = yes\n' >measure.conf
  qualify --b measure.conf --metric 'rate ([0-9.]+) GB/s' -- ./bench
  lacks 'guest-0: the guard has no grounds: '
  equals '"better"' "$(evidence .bandwidth.verdict)"
}

# ended_after CONDITION PROCESS: sends it SIGTERM then; it ends by that.
ended_after() {
  local status=0 _
  for _ in {1..300}; do
    ! eval "$1" || break
    sleep 0.05
  done
  kill -TERM "$2"
  wait "$2" || status=$?
  equals 143 "$status"
}

@test "SIGTERM in the bandwidth and in the hunt: what was measured is kept, and strict stays" {
  cat >slow <<'END'
#!/bin/bash
./bench
[[ $(wc -l <runs) -lt 14 ]] || exec sleep 60
END
  chmod +x slow
  "$WINORD" qualify -o out --launcher ./launch --stress "$HUNT" --metric 'rate ([0-9]+)' -n 900 -- ./slow >text 2>errors &
  ended_after '[[ -s runs && $(wc -l <runs) -ge 14 ]]' $!
  equals '["unknown",true,2,2,null]' "$(evidence '[.verdict, .finished, (.hosts | length), .bandwidth.pairs, .hunt]')"
  [[ $(evidence '.lacks[]') == *'ended by signal 15'* ]]
  proposes strict
  rm -rf out
  "$WINORD" qualify -o out --launcher ./launch --stress '--backend fabric -b 64 -n 8' --minutes 2 >text 2>errors &
  ended_after 'compgen -G "out/journals/*.jsonl" && sleep 1' $!
  equals '["unknown",true,2,true]' "$(evidence '[.verdict, .finished, (.hosts | length), .hunt.interrupted]')"
  proposes strict
}

@test "options: what is wrong is said before anything runs" {
  for words in '' '-o' '-o out -- true' '-o out --metric (x)' '-o out --metric x -- true' '-o out --minutes 0' '-o out --minutes x' '-o out --pairs 0' \
    '-o out --root /' '--look out -o out' '--frobnicate'; do
    # shellcheck disable=SC2086
    winord qualify $words
    usage_error qualify
  done
  WINORD_DISABLE=1 winord qualify -o out
  usage_error qualify
  [[ ! -e out ]]
  mkdir out
  touch out/file
  winord qualify -o out
  exits 3
  complains 'is not empty'
  winord qualify -o no/such/folder
  exits 3
  winord qualify --look=no/such
  exits 3
}
