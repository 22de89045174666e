#!/usr/bin/env bats
# winord explain shows what is decided for one registration, and why.

# shellcheck disable=SC2154 # set by bats
load common
setup() {
  setup_cli
  fleet
}

# decision FILTER: of the JSON of the last run
decision() {
  jq -c "$1" <<<"$output"
}

@test "a guest whose pool is attested is relaxed" {
  winord explain --host guest-17 fleet.conf
  exits 0
  silent
  says 'host      guest-17'
  says 'pool      guests (hosts), fleet.conf:4'
  says 'PCI_ATOMIC_MODE 0 (attested by fleet-ops ticket 4711, until 2999-03-31)'
  says 'rule      protect, fleet.conf:13: no, pci-atomic-mode = 1,2,3,4, but here it is 0'
  says 'rule      relax, fleet.conf:17: matches, ordering = relaxed'
  says 'guard     attested  holds, and allows it'
  says 'guard     proved    no: '
  says 'guard     asserted  no: not_asserted'
  says 'guard     accepted  no: not_accepted'
  says 'flags     in 0x02 STRICT_ORDERING, out 0x00'
  says 'verdict   rewritten'
  says 'exposure  none'
  [[ $output != *direct* ]]
}

@test "what was assumed is said, and what was given is not" {
  winord explain --host guest-17 fleet.conf
  says 'asks strict (assumed)'
  says 'NCCL 2.30.7 (assumed)'
  says 'size 1GiB (assumed)'
  says 'caller unknown (assumed)'
  says 'exe unknown (assumed)'
  says 'gin-connection unknown (assumed)'
  winord explain --host guest-17 --asked strict --nccl 2.29.7 --size 64MiB --caller /x/y.so --exe /usr/bin/python3 \
    --gin-connection rail fleet.conf
  exits 0
  says 'NCCL 2.29.7'
  says 'size 64MiB'
  says 'caller /x/y.so'
  says 'exe python3'
  says 'gin-connection rail'
  [[ $output != *assumed* ]]
}

@test "each key on which a rule fails is named with both values" {
  while read -r options; do
    local key asks here
    IFS='|' read -r options key asks here <<<"$options"
    # shellcheck disable=SC2086
    winord explain --host guest-17 $options fleet.conf
    exits 0
    says "relax, fleet.conf:17: no, $key = $asks, but here it is $here"
  done <<'END'
--asked default|asked|strict|default
--nccl 2.28.9|nccl|>=2.29.7|2.28.9
--size 1KiB|min-size|64KiB|1KiB
--flags GIN_ONLY|flags|!GIN_ONLY|0x06 STRICT_ORDERING GIN_ONLY
END
  winord explain --host metal-3 --caller /opt/deep_ep/_C.so fleet.conf
  says 'relax, fleet.conf:17: no, pool = guests, but here it is metal'
  says 'direct, fleet.conf:25: no, gin-connection = full, but here it is unknown'
  says 'default   keep (not written in the policy): no rule matches'
  says 'verdict   passed'
}

@test "an asserted rule holds from NCCL 2.30.7 on" {
  winord explain --host metal-3 --caller /opt/deep_ep/_C.so --gin-connection full fleet.conf
  exits 0
  says 'guard     asserted  holds, and allows it'
  says 'out 0x00'
  says 'exposure  possible'
  winord explain --host metal-3 --caller /opt/deep_ep/_C.so --gin-connection full --nccl 2.30.4 fleet.conf
  exits 0
  says 'verdict   refused'
  says 'guard     asserted  no: nccl_before_2_30_7'
  says 'out 0x02'
}

@test "a mode that is given counts as if the facts proved it" {
  sed -i '/^pci-atomic-mode/d; s/^pool = metal/host = */; s/^va-signals.*//; s/^gin.*//; s/^caller.*//; s/^pool = guests/pool = x/' fleet.conf
  sed -i 's/^ordering = strict/ordering = strict\nhost = nowhere/' fleet.conf
  winord explain --host metal-3 --pci-atomic-mode 0 fleet.conf
  exits 0
  says 'PCI_ATOMIC_MODE 0 (given)'
  says 'guard     proved    holds, and allows it'
  winord explain --host metal-3 --pci-atomic-mode 3 fleet.conf
  exits 0
  says 'guard     proved    no: mode_not_zero'
  says 'verdict   refused'
  winord explain --host metal-3 --pci-atomic-mode unknown fleet.conf
  exits 0
  says 'guard     proved    no: mode_unknown'
  says 'verdict   refused'
}

@test "a given mode that is not 0 contradicts an attestation" {
  winord explain --host guest-17 --pci-atomic-mode 2 fleet.conf
  exits 0
  says 'protect, fleet.conf:13: matches'
  says 'guard     attested  no: contradicted'
}

@test "a pool that is named but does not hold the host is said to be ignored" {
  winord explain --host metal-3 --pool guests fleet.conf
  exits 0
  says 'pool      none: guests was named, but its hosts do not hold metal-3'
  says 'warnings  pool_mismatch'
}

@test "this host's pool is found by WINORD_POOL and SLURM_JOB_PARTITION, another host's is not" {
  sed -i 's/^hosts = metal.*/hosts = */' fleet.conf
  WINORD_POOL=metal winord explain fleet.conf
  says 'pool      metal (WINORD_POOL)'
  says '(this host)'
  SLURM_JOB_PARTITION=metal winord explain fleet.conf
  says 'pool      metal (SLURM_JOB_PARTITION)'
  WINORD_POOL=metal winord explain --host guest-1 fleet.conf
  says 'pool      guests (hosts)'
  winord explain --pool metal fleet.conf
  says 'pool      metal (given)'
}

@test "this host's facts are used, another host's are unknown" {
  printf '[facts]\nversion = 1\nhostname = metal-9\nboot-id = %s\n[nic 0000:81:00.0]\ndevice = mlx5_77\n' \
    "$(cat /proc/sys/kernel/random/boot_id)" >"$WINORD_FACTS"
  printf 'pci-atomic-mode-current = 4\npci-atomic-mode-next = 4\npci-atomic-source = mstconfig\n' >>"$WINORD_FACTS"
  winord explain fleet.conf
  exits 0
  says 'host      metal-9 (this host)'
  says 'PCI_ATOMIC_MODE 4 (mstconfig); facts: current'
  says 'pool      metal'
  winord explain --host metal-9.example.com fleet.conf
  says 'PCI_ATOMIC_MODE 4 (mstconfig)'
  winord explain --host metal-8 fleet.conf
  says 'PCI_ATOMIC_MODE unknown; facts: those of another host'
}

@test "flags by name, by number, with and without the prefix" {
  for flags in COLL_SYMMETRIC,CFT_COUNTED NCCL_WIN_COLL_SYMMETRIC,NCCL_WIN_CFT_COUNTED 0x9 COLL_SYMMETRIC,0x8; do
    winord explain --host guest-1 --flags "$flags" fleet.conf
    exits 0
    says 'flags     in 0x0b COLL_SYMMETRIC STRICT_ORDERING CFT_COUNTED, out 0x09 COLL_SYMMETRIC CFT_COUNTED'
  done
  winord explain --host guest-1 --asked default --flags 0x40 fleet.conf
  says 'flags     in 0x40 0x40, out 0x40 0x40'
}

@test "--json says the same" {
  winord explain --json --host guest-17 --flags COLL_SYMMETRIC fleet.conf
  exits 0
  silent
  equals '["rewritten","relax","fleet.conf:17","attested",1,"none",null]' \
    "$(decision '.decision | [.verdict, .rule, .where, .guard, .flags_out, .exposure, .warning]')"
  equals '["guest-17","guests","hosts",0,"attested"]' \
    "$(decision '.host | [.name, .pool, .pool_source, .pci_atomic_mode, .pci_atomic_source]')"
  equals '[["protect",false,"pci-atomic-mode","1,2,3,4","0"],["relax",true,null,null,null]]' \
    "$(decision '[.rules[] | [.rule, .matches, .key, .asks, .here]]')"
  equals '[["asserted",false],["proved",false],["attested",true],["accepted",false]]' \
    "$(decision '[.guard[] | [.guard, .holds]]')"
  equals '["nccl","asked","gin-connection","caller","exe","size"]' "$(decision .assumed)"
  equals '[3,["COLL_SYMMETRIC","STRICT_ORDERING"]]' "$(decision '.request | [.flags_in, .flag_names_in]')"
}

@test "a policy with errors: they are shown, status 1" {
  echo 'frobnicate = 1' >>fleet.conf
  winord explain fleet.conf
  exits 1
  complains 'fleet.conf:31: error: '
  equals '' "$output"
  winord explain missing.conf
  exits 1
  complains missing.conf
}

@test "values that are none" {
  for words in '--nccl two' '--size 1GB' '--size -1' '--pci-atomic-mode 5' '--pci-atomic-mode 00' '--asked relaxed' \
    '--flags NONSENSE' '--flags 0x' '--flags 0x123456789' '--gin-connection star' '--asked default --flags 0x2'; do
    # shellcheck disable=SC2086
    winord explain $words fleet.conf
    usage_error explain
  done
}

@test "the example policies can be explained" {
  for example in "$BATS_TEST_DIRNAME"/../../policy/examples/*.conf; do
    [[ -e $example ]] || skip 'no examples yet'
    winord explain "$example"
    exits 0
    says 'verdict   '
    winord explain --json "$example"
    exits 0
    [[ $(decision '.decision.verdict') == '"'* ]]
  done
}
