#!/usr/bin/env bats
# Rules that match on facts: hypervisor, gpu, nic-type and path.

# shellcheck disable=SC2154 # set by bats
load ../cli/common
setup() {
  setup_cli
  printf '[winord]\nversion = 1\n[rule r]\nordering = strict\n' >rule.conf
  printf '[facts]\nversion = 1\nboot-id = %s\nhypervisor = kvm\ngpu = NVIDIA H200, NVIDIA H100\npath = PIX, PHB\n' \
    "$(cat /proc/sys/kernel/random/boot_id)" >"$WINORD_FACTS"
  printf '[nic 0000:01:00.%s]\ndevice = mlx5_%s\nnic-type = %s\n' 0 0 ConnectX7 1 1 BlueField3 2 2 ConnectX7 \
    >>"$WINORD_FACTS"
}

# matches KEYS / fails KEY: this host's facts against a rule with these keys.
matches() {
  printf '%b\n' "$1" >>rule.conf
  winord explain rule.conf
  says 'rule      r, rule.conf:3: matches'
  sed -i '5,$d' rule.conf
}
fails() {
  printf '%b\n' "$1" >>rule.conf
  winord explain rule.conf
  says "rule      r, rule.conf:3: no, $1, but here it is $2"
  sed -i '5,$d' rule.conf
}

@test "globs and lists; each of a host's values must match" {
  matches 'hypervisor = kvm'
  matches 'hypervisor = none, k*'
  matches 'gpu = NVIDIA H*'
  matches 'gpu = NVIDIA H200\ngpu = *H100'
  matches 'nic-type = ConnectX7, BlueField3'
  matches 'path = P*'
  matches 'hypervisor = kvm\ngpu = *\nnic-type = *\npath = *'
  fails 'hypervisor = none' kvm
  fails 'gpu = *H200' 'NVIDIA H200, NVIDIA H100'
  fails 'nic-type = ConnectX7' 'ConnectX7, BlueField3'
  fails 'path = PIX' 'PIX, PHB'
}

@test "only the NICs that NCCL_IB_HCA allows" {
  export NCCL_IB_HCA='^=mlx5_1'
  matches 'nic-type = ConnectX7'
  export NCCL_IB_HCA='=mlx5_1'
  fails 'nic-type = ConnectX7' BlueField3
}

@test "what is not known matches only an absent key" {
  sed -i 's/^hypervisor.*/hypervisor = unknown/; /^gpu/d; /^path/d; 0,/^nic-type/{/^nic-type/d}' "$WINORD_FACTS"
  for key in hypervisor gpu nic-type path; do
    fails "$key = *" unknown
  done
  matches ''
}

@test "stale facts steer nothing" {
  sed -i 's/^boot-id.*/boot-id = 00000000-0000-0000-0000-000000000000/' "$WINORD_FACTS"
  fails 'hypervisor = *' unknown
}

@test "more types than fit are unknown, not cut" {
  for n in $(seq 3 20); do
    printf '[nic 0000:02:00.%s]\ndevice = mlx5_%s\nnic-type = AQuiteLongName%s\n' "$n" "$n" "$n" >>"$WINORD_FACTS"
  done
  fails 'nic-type = *' unknown
}

@test "given on the command line, also for another host" {
  printf 'hypervisor = none\ngpu = *B300*\nnic-type = ConnectX8\npath = NODE, SYS\n' >>rule.conf
  winord explain --host other --hypervisor none --gpu 'NVIDIA B300' --nic-type ConnectX8 --path SYS rule.conf
  says 'rule      r, rule.conf:3: matches'
  winord explain --hypervisor none --gpu 'NVIDIA B300' --nic-type ConnectX8 --path SYS rule.conf
  says 'matches'
  winord explain --host other rule.conf
  says 'hypervisor = none, but here it is unknown'
  winord explain --json --hypervisor none rule.conf
  equals '["none","ConnectX7, BlueField3"]' "$(jq -c '.host | [.hypervisor, .nic_type]' <<<"$output")"
}

@test "a rule behind a wider one is never reached" {
  printf 'hypervisor = k*, none\ngpu = *\n' >>rule.conf
  printf '[rule s]\nordering = keep\nhypervisor = kvm\ngpu = NVIDIA H200\npath = PIX\n' >>rule.conf
  winord check rule.conf
  exits 1
  complains '[rule s] can never decide'
  sed -i 's/^hypervisor = kvm/hypervisor = xen/' rule.conf
  winord check rule.conf
  exits 0
}

@test "misspelt keys" {
  printf 'nic_type = x\n' >>rule.conf
  winord check rule.conf
  exits 1
  complains "did you mean 'nic-type'?"
}

@test "explain without a file takes the policy that the shim would" {
  WINORD_CONF=$PWD/rule.conf winord explain
  exits 0
  says "policy    $PWD/rule.conf"
  [[ ! -e /etc/winord.conf ]] || return 0
  winord explain
  usage_error explain
}
