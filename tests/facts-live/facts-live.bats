#!/usr/bin/env bats
# winord facts on recorded hosts: the facts file byte for byte, and what the shim's reader then makes of it.

# shellcheck disable=SC2154 # set by bats
load ../cli/common
load hosts
setup() {
  setup_cli
  ROOT=$BATS_TEST_TMPDIR/root
  PROOF=$WINORD_BUILD/tests/facts-live/proof
  unset NCCL_IB_HCA
}

# record HOST: builds it and finds its facts.
record() {
  configured "$1"
  winord facts --root "$ROOT"
  exits 0
  printf '%s\n' "$output" >"$WINORD_FACTS"
}

# as_expected HOST: the boot's own id aside.
as_expected() {
  sed "s/@BOOT@/$(cat /proc/sys/kernel/random/boot_id)/" "$BATS_TEST_DIRNAME/expected/$1.ini" >expected.ini
  diff -u expected.ini "$WINORD_FACTS"
}

# proof LINE...: what the reader says, its first line and its second.
proof() {
  run "$PROOF" "$WINORD_FACTS" "$ROOT"
  equals "$1" "${lines[0]}"
  equals "${2:-${lines[1]}}" "${lines[1]}"
}

# Only root's file proves anything.
root_only() {
  [[ $(id -u) == 0 ]] || skip "needs root"
}

relaxing() {
  printf '[winord]\nversion = 1\n[rule relax]\nasked = strict\nordering = relaxed\n%s\n' "$1" >relax.conf
}

@test "bare metal, two ConnectX-7 in mode 0: proved" {
  record metal
  silent
  as_expected metal
  root_only
  proof 'proved mode=0 source=mstconfig contradicts=0 force_relax=0' \
    'hypervisor=none gpu=NVIDIA H200 nic-type=ConnectX7 path=PIX'
  relaxing ''
  winord explain relax.conf
  says 'guard     proved    holds, and allows it'
  says 'hypervisor none, gpu NVIDIA H200, nic-type ConnectX7, path PIX'
  winord doctor
  says 'relaxed   would be carried out here, because it is proved: every NIC'
}

@test "a KVM guest whose firmware answers nobody: unknown" {
  record guest
  silent
  as_expected guest
  root_only
  proof 'mode_unknown mode=-1 source=- contradicts=0 force_relax=0' 'hypervisor=kvm gpu=10de:2335 nic-type=- path=PHB'
  relaxing ''
  winord explain relax.conf
  says 'verdict   refused: mode_unknown'
  winord doctor
  says "relaxed   would be refused here, because mode_unknown: a NIC's PCI_ATOMIC_MODE is not known"
  says 'to no effect, for this is a guest of Linux 5.15.0-113-generic, older than 6.4'
}

@test "force_relax: proved, and an alarm" {
  record forced
  complains '0000:81:00.0: alarm: force_relax'
  equals 1 "$(wc -l <<<"$stderr")"
  as_expected forced
  root_only
  proof 'proved mode=0 source=mstconfig contradicts=0 force_relax=1' 'hypervisor=none gpu=- nic-type=ConnectX7 path=-'
  winord doctor
  says 'alarm     PCI_WR_ORDERING is force_relax'
}

@test "a bond: both functions, and proof needs both" {
  record bond
  silent
  as_expected bond
  root_only
  proof 'proved mode=0 source=mstconfig contradicts=0 force_relax=0' 'hypervisor=none gpu=- nic-type=ConnectX6DX path=-'
  rm "$ROOT/outputs/mstconfig-0000:41:00.1.txt"
  winord facts --root "$ROOT"
  printf '%s\n' "$output" >"$WINORD_FACTS"
  proof 'mode_unknown mode=-1 source=- contradicts=0 force_relax=0'
}

@test "the other mode at the next reset is not 0" {
  configured metal
  firmware 0000:c4:00.0 ConnectX7 0 0 4
  winord facts --root "$ROOT" --write="$WINORD_FACTS"
  root_only
  proof 'mode_not_zero mode=4 source=mstconfig contradicts=1 force_relax=0'
}

@test "verbs that shows PCIe atomics refutes mode 0, loudly" {
  configured metal
  printf 'hca_id:\tmlx5_1\n\tvendor_id:\t0x02c9\n\tvendor_part_id:\t4129\n\tatomic_cap:\t\t\tATOMIC_GLOB (2)\n' \
    >"$ROOT/outputs/ibv_devinfo-mlx5_1.txt"
  winord facts --root "$ROOT" --write="$WINORD_FACTS"
  exits 0
  complains '0000:c4:00.0: pci-atomic-mode-current: contradiction: 0 (mstconfig) and not 0'
  equals 1 "$(grep -c '^pci-atomics = yes' "$WINORD_FACTS")"
  equals 1 "$(grep -c '^; pci-atomic-mode-current: unknown: contradiction' "$WINORD_FACTS")"
  root_only
  proof 'mode_unknown mode=-1 source=mstconfig contradicts=1 force_relax=0'
  printf '[winord]\nversion = 1\ndefault = relaxed\n[pool p]\nhosts = *\nattest-pci-atomic-mode = 0\n' >attested.conf
  printf 'attested-by = me\nattested-until = 2999-01-01\n' >>attested.conf
  winord explain attested.conf
  says 'verdict   refused: contradicted'
}

@test "verbs refutes where firmware says nothing, too" {
  configured guest
  printf 'hca_id:\tmlx5_0\n\tvendor_id:\t0x02c9\n\tvendor_part_id:\t4126\n\tatomic_cap:\t\t\tATOMIC_GLOB (2)\n' \
    >"$ROOT/outputs/ibv_devinfo-mlx5_0.txt"
  winord facts --root "$ROOT" --write="$WINORD_FACTS"
  silent
  equals 1 "$(grep -c '^; pci-atomic-mode-current: not 0' "$WINORD_FACTS")"
  root_only
  proof 'mode_unknown mode=-1 source=verbs contradicts=1 force_relax=0'
}

@test "a firmware that hides PCI_WR_ORDERING is asked for the mode alone" {
  configured forced
  grep -v PCI_WR_ORDERING "$ROOT/outputs/mstconfig-0000:81:00.0.txt" >"$ROOT/outputs/mstconfig-0000:81:00.0-mode.txt"
  echo "-E- The Device doesn't support PCI_WR_ORDERING parameter" >"$ROOT/outputs/mstconfig-0000:81:00.0.txt"
  winord facts --root "$ROOT" --write="$WINORD_FACTS"
  silent
  equals 'pci-atomic-mode-current = 0 ; mstconfig' "$(grep '^pci-atomic-mode-current' "$WINORD_FACTS")"
  equals '' "$(grep '^pci-wr-ordering = ' "$WINORD_FACTS")"
}

@test "a device too new for mstconfig is asked about by mlxconfig" {
  configured forced
  mv "$ROOT/outputs/mstconfig-0000:81:00.0.txt" "$ROOT/outputs/mlxconfig-0000:81:00.0.txt"
  echo '-E- Unsupported device' >"$ROOT/outputs/mstconfig-0000:81:00.0.txt"
  winord facts --root "$ROOT"
  says 'pci-atomic-mode-current = 0 ; mlxconfig'
}

@test "a bond whose interfaces are in another network namespace: the card's other function counts" {
  configured bond
  rm -r "$ROOT"/sys/class/net "$ROOT"/sys/devices/pci*/*/*/net
  mv "$ROOT/sys/class/infiniband/mlx5_bond_0" "$ROOT/sys/class/infiniband/rocep65s0"
  winord facts --root "$ROOT" --write="$WINORD_FACTS"
  equals 2 "$(grep -c '^device = rocep65s0 ; sysfs' "$WINORD_FACTS")"
  root_only
  proof 'proved mode=0 source=mstconfig contradicts=0 force_relax=0'
  firmware 0000:41:00.1 ConnectX6DX 0 0 4
  winord facts --root "$ROOT" --write="$WINORD_FACTS"
  proof 'mode_not_zero mode=4 source=mstconfig contradicts=1 force_relax=0'
}

@test "outputs that prove nothing: plain q, of another device, of none, cut, empty, garbage" {
  configured forced
  record=$ROOT/outputs/mstconfig-0000:81:00.0.txt
  cp "$record" good
  printf '%s\n' 'Device #1:' '----------' 'Device:             0000:81:00.0' '' \
    'Configurations:                                         Next Boot' \
    '        PCI_ATOMIC_MODE                             PCI_ATOMIC_DISABLED_EXT_ATOMIC_ENABLED(0)' >q
  sed 's/0000:81:00.0/0000:82:00.0/' good >other
  sed '/^Device: /d' good >unnamed
  sed '/PCI_ATOMIC_MODE/s/.\{20\}$//; /PCI_WR_ORDERING/d' good >'cut'
  : >empty
  head -c 9000 /dev/urandom >garbage
  for output in q other unnamed cut empty garbage; do
    cp "$output" "$record"
    winord facts --root "$ROOT" --write="$WINORD_FACTS"
    exits 0
    equals '' "$(grep '^pci-atomic-mode-current' "$WINORD_FACTS")"
    run "$PROOF" "$WINORD_FACTS" "$ROOT"
    [[ ${lines[0]} == mode_unknown\ * || ${lines[0]} == facts_untrusted\ * ]]
  done
}

@test "names that break a line do not break the file" {
  configured forced
  printf 'a ; b\n[nic x]\nversion = 2\n' >"$ROOT/proc/sys/kernel/hostname"
  head -c 100000 /dev/zero | tr '\0' x >"$ROOT/sys/class/infiniband/mlx5_0/fw_ver"
  winord facts --root "$ROOT" --write="$WINORD_FACTS"
  exits 0
  equals 0 "$(awk 'length > 199' "$WINORD_FACTS" | wc -l)"
  run "$PROOF" "$WINORD_FACTS" "$ROOT"
  [[ $output != *damaged* ]] || { cat "$WINORD_FACTS"; false; }
}

@test "no sysfs, no /proc: a file all the same, and no proof" {
  mkdir "$ROOT"
  winord facts --root "$ROOT" --write="$WINORD_FACTS"
  exits 0
  silent
  equals '; no RDMA device in /sys/class/infiniband' "$(grep RDMA "$WINORD_FACTS")"
  run "$PROOF" "$WINORD_FACTS" "$ROOT"
  equals 'facts_stale mode=-1 source=- contradicts=0 force_relax=0' "${lines[0]}"
}

@test "devices that are not mlx5, and devices without a PCI function, are listed" {
  configured forced
  mkdir "$ROOT/sys/class/infiniband/rxe0"
  echo 0000:0000:0000:0001 >"$ROOT/sys/class/infiniband/rxe0/node_guid"
  winord facts --root "$ROOT" --write="$WINORD_FACTS"
  exits 0
  equals 1 "$(grep -c '^\[nic rxe0\]$' "$WINORD_FACTS")"
  root_only
  proof 'mode_unknown mode=-1 source=- contradicts=0 force_relax=1'
  export NCCL_IB_HCA='=mlx5_0'
  proof 'proved mode=0 source=mstconfig contradicts=0 force_relax=1'
}

@test "a virtual function beside its physical one" {
  configured forced
  device=$(pci pci0000:80/0000:80:01.0 0000:81:00.1 endpoint 0 id=15b3:101e class=020700)
  configs
  rdma "$device" mlx5_1 9c63:c003:0012:3457 28.43.2026 MT4126
  ln -s ../0000:81:00.0 "$ROOT/sys/devices/$device/physfn"
  winord facts --root "$ROOT"
  says 'function = vf ; sysfs physfn'
  says '; relaxed-ordering: unknown: virtual function: reads as 0'
  firmware 0000:81:00.1 ConnectX7 0 0 0
  winord facts --root "$ROOT"
  says '; pci-atomic-mode-current: unknown: virtual function: its physical function has the settings'
}

@test "JSON: each fact has a source or a reason" {
  configured guest
  winord facts --root "$ROOT" --json
  exits 0
  without='[.host[], .nics[] | .. | objects | select(has("value")) | select((.value // .reason) == null)]'
  equals 0 "$(jq "$without | length" <<<"$output")"
  equals '"PHB"' "$(jq .host.path.value <<<"$output")"
  equals '["0000:03:00.0","0000:04:00.0"]' "$(jq -c '[.nics[].address]' <<<"$output")"
  equals 4 "$(jq '.paths | length' <<<"$output")"
}

@test "hwloc's XML in place of sysfs" {
  command -v lstopo-no-graphics || skip "no lstopo"
  configured metal
  HWLOC_FSROOT=$ROOT HWLOC_COMPONENTS=-pci,-x86 lstopo-no-graphics --whole-io --of xml "$ROOT/outputs/hwloc.xml"
  rm "$ROOT"/sys/devices/pci*/*/config
  winord facts --root "$ROOT"
  says 'path = PIX ; hwloc'
}

@test "hypervisors: what DMI and the processor say against systemd-detect-virt" {
  local vendor product tool bit value
  mkdir "$ROOT"
  while IFS='|' read -r vendor product tool bit value; do
    rm -rf "${ROOT:?}"/*
    system h 6.8 "$vendor" "$product" "$tool" "$bit"
    winord facts --root "$ROOT"
    [[ $'\n'$output == *$'\n'"$value"* ]] || { echo "$vendor $product $tool $bit: $value"; show; false; }
  done <<'END'
x|OpenStack Nova|none|vmx|hypervisor = kvm ; DMI
Nutanix|AHV|microsoft|hypervisor|hypervisor = kvm ; DMI
Amazon EC2|m6g.metal|amazon|vmx|hypervisor = none ; DMI
Amazon EC2|p5.48xlarge|amazon|hypervisor|hypervisor = amazon ; systemd-detect-virt
Amazon EC2|p5.48xlarge||hypervisor|hypervisor = amazon ; DMI
Dell Inc.|PowerEdge|none|vmx|hypervisor = none ; systemd-detect-virt
Dell Inc.|PowerEdge||vmx|hypervisor = none ; processor's hypervisor bit
Dell Inc.|PowerEdge||hypervisor|hypervisor = vm-other ; processor's hypervisor bit
Dell Inc.|PowerEdge|none|hypervisor|; hypervisor: unknown: contradiction: none
Google|Google Compute Engine|none|vmx|hypervisor = none ; systemd-detect-virt
Google|Google Compute Engine|google|hypervisor|hypervisor = google ; systemd-detect-virt
Microsoft Corporation|Virtual Machine||hypervisor|hypervisor = microsoft ; DMI
Dell Inc.|PowerEdge|$(reboot)|vmx|hypervisor = none ; processor's hypervisor bit
END
}

@test "this host: as it is, quickly, for any user" {
  winord facts
  exits 0
  says "boot-id = $(cat /proc/sys/kernel/random/boot_id)"
  root_only
  local folder
  folder=$(mktemp -d /tmp/winord-test-XXXXXX) # the build folder may be closed to others
  chmod 755 "$folder"
  cp "$WINORD" "$folder/"
  run setpriv --reuid=65534 --regid=65534 --clear-groups timeout 60 "$folder/winord" facts
  rm -rf "$folder"
  equals 0 "$status"
  [[ $output == *'[facts]'* ]]
}
