#!/usr/bin/env bats
# winord check --hosts: what each host of a fleet would get from a policy.

# shellcheck disable=SC2154 # set by bats
load common
setup() {
  setup_cli
  fleet
}

# hosts LINE...: writes the list.
hosts() {
  printf '%s\n' "$@" >hosts
}

# check ARGUMENT...
check() {
  winord check --hosts hosts "$@" fleet.conf
}

# folded LIST: how the names of one outcome are written back.
folded() {
  hosts "$1"
  check --json
  equals "$2" "$(jq -r '.outcomes[].folded' <<<"$output")"
}

@test "a fleet in one screen: outcomes with their hosts, then what matches nothing" {
  hosts '# the fleet' 'guest-[001-480]' '' 'metal-[1-9,10,12]  pci-atomic-mode=4 # by facts' 'metal-20 pci-atomic-mode=0' 'cpu-[01-02],login'
  check
  exits 0
  silent
  equals "$(
    cat <<'END'
fleet.conf: 3 rules, 2 pools: ok
495 hosts, 4 outcomes; assumed: NCCL 2.30.7, 1GiB, other keys of programs unknown

480 hosts: guest-[001-480]
  pool      guests (hosts), fleet.conf:4
  mode      0 (attested); the pool attests 0 until 2999-03-31, fleet-ops ticket 4711
  strict    becomes default: rule relax, fleet.conf:17 (nccl, min-size, flags as assumed); guard attested
  default   stays default: no rule

11 hosts: metal-[1-10,12]
  pool      metal (hosts), fleet.conf:10
  mode      4 (given)
  strict    stays strict: rule protect, fleet.conf:13
  default   becomes strict: rule protect, fleet.conf:13

1 host: metal-20
  pool      metal (hosts), fleet.conf:10
  mode      0 (given)
  strict    stays strict: no rule
  default   stays default: no rule
  or        relaxed, where caller, gin-connection fit: rule direct, fleet.conf:25

3 hosts: cpu-[01-02],login
  pool      none
  mode      unknown
  strict    stays strict: no rule
  default   stays default: no rule; exposure possible

no pool: 3 hosts: cpu-[01-02],login
no rule: 3 hosts: cpu-[01-02],login
END
  )" "$output"
}

@test "it decides as winord explain does" {
  hosts 'guest-7' 'guest-8 pci-atomic-mode=4' 'metal-1 pci-atomic-mode=1' 'metal-2' 'x pool=guests' 'y pool=guests-2'
  check --json
  local fleet_json=$output host mode pool options
  while read -r host pool mode; do
    options=()
    [[ $pool == - ]] || options+=("--pool=$pool")
    [[ $mode == - ]] || options+=("--pci-atomic-mode=$mode")
    for asked in strict default; do
      winord explain --json --host "$host" --asked "$asked" "${options[@]}" fleet.conf
      equals "$(jq -c '.decision | [.verdict, .why, .ordering, .rule, .where, .guard, .flags_out, .exposure]' <<<"$output")" \
        "$(jq -c --arg host "$host" --arg asked "$asked" \
          '.outcomes[] | select(.hosts | index($host)) | .[$asked] | [.verdict, .why, .ordering, .rule, .where, .guard, .flags_out, .exposure]' <<<"$fleet_json")"
      equals "$(jq -c '.host | [.pool, .pool_where, .pci_atomic_mode, .pci_atomic_source]' <<<"$output")" \
        "$(jq -c --arg host "$host" \
          '.outcomes[] | select(.hosts | index($host)) | [.pool, .pool_where, .pci_atomic_mode, .pci_atomic_source]' <<<"$fleet_json")"
    done
  done <<'END'
guest-7 - -
guest-8 - 4
metal-1 - 1
metal-2 - -
x guests -
y guests-2 -
END
}

@test "ranges are read as Slurm writes them, and written back" {
  folded 'h[8-11]' 'h[8-11]'
  folded 'h[08-11]' 'h[08-11]'
  folded 'h[008,9,10,099-101]' 'h[9-10,008,099-101]'
  folded 'h-[1-3].dc1.example,h-5.dc1.example,h-4.dc2.example' 'h-[1-3,5].dc1.example,h-4.dc2.example'
  folded 'r[1-2]n[3-4]' 'r1n[3-4],r2n[3-4]'
  folded 'b,a,c2' 'a,b,c2'
  folded 'h1234567890,h1234567891' 'h1234567890,h1234567891'
  folded '7,[8-9]' '[7-9]'
  folded 'h[1-3],h10' 'h[1-3,10]'
}

@test "folded names, read again, are the same hosts" {
  local i names=()
  for ((i = 0; i < 300; i++)); do names+=("n$((i * i % 1009))" "p0$((i * 7 % 211)).x"); done
  printf '%s\n' "${names[@]}" | sort -u >hosts
  check --json
  jq -r '.outcomes[].hosts[]' <<<"$output" | sort >first
  jq -r '.outcomes[].folded' <<<"$output" >hosts
  check --json
  equals "$(sort first)" "$(jq -r '.outcomes[].hosts[]' <<<"$output" | sort)"
  equals "$(wc -l <first)" "$(jq .hosts <<<"$output")"
}

@test "columns: pool, mode and facts, as the policy's rules match them" {
  printf '[winord]\nversion = 1\n[pool a]\nhosts = a*\n[rule kvm]\nhypervisor = kvm\npath = PHB\ngpu = H200\nnic-type = ConnectX7\nordering = strict\n' >fleet.conf
  hosts 'a1 hypervisor=kvm path=PHB gpu=H200 nic-type=ConnectX7' 'a2 hypervisor=kvm path=PHB,PIX gpu=H200 nic-type=ConnectX7' 'a3' 'b pool=a' 'c pool=z'
  check --json
  exits 0
  equals '["kvm",null,null,null,null]' "$(jq -c '[("a1","a2","a3","b","c") as $h | .outcomes[] | select(.hosts | index($h)).strict.rule]' <<<"$output")"
  equals '["a",null]' "$(jq -c '.outcomes[] | select(.hosts | index("b")) | [.pool_mismatch, .pool]' <<<"$output")"
  equals '[null,"z","given",null]' "$(jq -c '.outcomes[] | select(.hosts | index("c")) | [.pool_mismatch, .pool, .pool_source, .pool_where]' <<<"$output")"
  equals '["b"]' "$(jq -c .no_pool <<<"$output")"
  equals '["a2","a3","b","c"]' "$(jq -c '.no_rule | sort' <<<"$output")"
}

@test "a refused guard, a lapsed attestation" {
  sed -i s/2999/1999/ fleet.conf
  hosts 'guest-1'
  check
  exits 0
  says 'mode      unknown; the pool attests 0 until 1999-03-31'
  says 'strict    stays strict: rule relax, fleet.conf:17 (nccl, min-size, flags as assumed); relaxed refused: attestation_lapsed'
  complains ': warning: '
}

@test "hosts in different modes are told apart, also where the same is decided" {
  hosts 'metal-1 pci-atomic-mode=1' 'metal-2 pci-atomic-mode=2' 'metal-3 pci-atomic-mode=1'
  check --json
  equals '[["metal-1","metal-3"],["metal-2"]]' "$(jq -c '[.outcomes[].hosts]' <<<"$output")"
}

@test "default = strict" {
  printf '[winord]\nversion = 1\ndefault = strict\n' >fleet.conf
  hosts a
  check
  says 'default   becomes strict: default = strict, fleet.conf:3'
  says 'no rule: 1 host: a'
}

@test "standard input, CRLF, a byte order mark, no last newline" {
  printf '\xef\xbb\xbfguest-1\r\nguest-2 # x' >input
  run --separate-stderr bash -c "'$WINORD' check --hosts - --json fleet.conf <input"
  equals 0 "$status"
  equals '["guest-1","guest-2"]' "$(jq -c '.outcomes[0].hosts' <<<"$output")"
}

@test "every mistake with file and line; nothing is shown then" {
  hosts 'a[1-' 'b[3-1]' 'c d' 'e pol=3' 'f pci-atomic-mode=9' 'g,,h' 'i/j' 'k[x]' 'l[1-2' 'm[1]]' 'n pool=' 'o[1-2-3]' 'p[]' $'q\e' 'r[0000000001]' 's é' \
    "$(printf 'x%.0s' {1..254})" 'ok'
  check
  exits 1
  equals 'fleet.conf: 3 rules, 2 pools: ok' "$output"
  local line
  for line in {1..17}; do complains "hosts:$line: error: "; done
  equals 17 "$(grep -c ': error: ' <<<"$stderr")"
  complains "hosts:4: error: unknown key 'pol'; did you mean 'pool'?"
  complains 'hosts:2: error: the range 3-1 runs backwards'
  complains 'hosts:14: error: control character 0x1b'
  equals '' "$(tr -d '\n\t' <<<"$stderr" | grep '[[:cntrl:]]' || true)"
}

@test "a host twice is a warning, and its first line counts" {
  hosts 'guest-[1-3]' 'guest-2 pci-atomic-mode=4'
  check --json
  exits 0
  complains "hosts:2: warning: host 'guest-2' stands in line 1 already"
  equals 3 "$(jq .hosts <<<"$output")"
  equals 1 "$(jq '.outcomes | length' <<<"$output")"
}

@test "no list, an empty one, a folder, a pipe, a device, rubbish, too many" {
  mkfifo pipe
  head -c 20000 /dev/urandom >rubbish
  head -c 300000 /dev/zero >zeros
  printf '#\n\n' >empty
  printf 'h[1-999999999]\n' >many
  { printf 'h'; printf '[1-2]%.0s' {1..3000}; } >deep
  { printf 'h['; printf '1,%.0s' {1..100000}; printf '1]x\n'; } >same
  for path in missing . pipe /dev/zero rubbish zeros empty many deep; do
    TIME_LIMIT=20 winord check --hosts "$path" fleet.conf
    exits 1
    complains "$path"
    [[ $(wc -l <<<"$stderr") -le 102 ]]
  done
  TIME_LIMIT=20 winord check --hosts same fleet.conf
  exits 0
  complains 'more problems'
}

@test "a policy with errors decides nothing" {
  hosts guest-1
  echo junk >>fleet.conf
  check
  exits 1
  says ': 1 error'
  [[ $output != *guest-1* ]]
}

@test "wrong uses; 500 hosts stay readable" {
  winord check --hosts hosts fleet.conf fleet.conf
  usage_error check
  winord check --json fleet.conf
  usage_error check
  winord check --hosts
  usage_error check
  hosts 'guest-[1-500]'
  check
  [[ $(wc -l <<<"$output") -le 12 ]]
}
