#!/usr/bin/env bats
# Captures of several outputs, and what a capture must not be believed.

load ../helpers

zero='PCI_ATOMIC_DISABLED_EXT_ATOMIC_ENABLED(0)'
four='PCI_ATOMICS_ENABLED_EXT_ATOMICS_ENABLED(4)'

# table DEFAULT CURRENT NEXT: what mlxconfig -e prints for 0000:81:00.0.
table() {
  printf '\nDevice #1:\n----------\n\nDevice type:        ConnectX7\nDevice:             0000:81:00.0\n\n'
  printf 'Configurations:     Default   Current   Next Boot\n        PCI_ATOMIC_MODE    %s %s %s\n' "$@"
}

# answer FILTER: the JSON answer about standard input through jq.
answer() {
  "$WINORD_BUILD/winord" facts --json --from - | jq -rc "$1"
}

modes='(.devices[] | [.device, .pci_atomic_mode.current, .pci_atomic_mode.next])'

@test "a device queried again after a reset: the last query counts" {
  run answer "$modes" < <(table $zero $four $zero; echo '$ mlxfwreset -d 81:00.0 reset'; table $zero $zero $zero)
  equals '["0000:81:00.0",0,0]' "$output"
}

@test "two different answers and nothing between them that changes it: a contradiction" {
  run answer "$modes" < <(table $zero $four $zero; table $zero $zero $zero)
  equals '["0000:81:00.0","unknown: contradiction: 4, then 0",0]' "$output"
}

@test "verbs refutes what mlxconfig says, by the address in mst status" {
  run answer "$modes, .host.worst" < <(
    table $zero $zero $zero
    printf 'PCI devices:\nConnectX7(rev:0)  /dev/mst/mt4129_pciconf0  81:00.0  mlx5_0  net-ib0  0\n'
    printf 'hca_id:\tmlx5_0\n\tvendor_id:\t0x02c9\n\tvendor_part_id:\t4129\n\tatomic_cap:\tATOMIC_GLOB (2)\n'
  )
  equals '["0000:81:00.0","unknown: contradiction: 0 (mlxconfig text) and not 0 (PCIe atomics in use) (ibv_devinfo)",0]
unknown' "$output"
}

@test "verbs agrees with a mode that is not 0" {
  run answer "$modes" < <(
    table $zero $four $zero
    echo 'NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 pciPath=/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0 ar=0'
    printf 'hca_id:\tmlx5_0\n\tvendor_id:\t0x02c9\n\tatomic_cap:\tATOMIC_GLOB (2)\n'
  )
  equals '["0000:81:00.0",4,0]' "$output"
}

@test "UCX's domain cpu refutes, its domain device proves nothing" {
  run answer "$modes" < <(printf '# Transport: rc_mlx5\n# Device: mlx5_%s:1\n# domain: %s\n' 0 cpu 1 device)
  local nothing='"unknown: UCX: domain \"device\" is no proof of mode 0"'
  equals '["mlx5_0","not 0 (PCIe atomics in use)","unknown: UCX"]
["mlx5_1",'"$nothing,$nothing]" "$output"
}

@test "a set that was carried out leaves next boot unknown" {
  run answer '.devices[].pci_atomic_mode.next | tojson' < <(
    printf 'Device: 81:00.0\nConfigurations:   Next Boot   New\n   PCI_ATOMIC_MODE %s %s\n' $four $zero
    printf ' Apply new Configuration? (y/n) [n] : y\nApplying... Done!\n'
  )
  equals '"unknown: changed by this set, not queried since"' "$output"
}

@test "one column called Current is next boot" {
  run answer "$modes" < <(printf 'Device: 81:00.0\nConfigurations:   Current\n   PCI_ATOMIC_MODE %s\n' $zero)
  equals '["81:00.0","unknown: plain q shows next boot only",0]' "$output"
}

@test "rows of a table with too few, too many, odd or impossible values" {
  for row in "$zero $zero" "$zero $zero $zero $zero" "$zero ${zero%0)}00000) $zero" "$zero 5 $zero" \
    "$zero $four(0) $zero" "$zero NONE(0) $zero" "$zero (0) $zero" "$zero -0 $zero" "$zero 0x0 $zero"; do
    # shellcheck disable=SC2086
    run answer '.devices[].pci_atomic_mode.current | type' < <(table "$row" "" "")
    equals string "$output"
  done
}

@test "a row behind a heading or another host's prompt is not this device's" {
  for between in 'node2:' '=== node2 ===' '----- node2' 'root@node2:~# grep ATOMIC saved' '$ ssh node2 grep X f'; do
    run answer '.devices[] | [.device, .pci_atomic_mode.current]' < <(
      printf 'Device: 81:00.0\nConfigurations:   Default Current Next Boot\n   UCTX_EN 1 1 1\n%s\n' "$between"
      printf '   PCI_ATOMIC_MODE %s %s %s\n' $zero $zero $zero
    )
    [[ $output != *,0]* ]] || { show; return 1; }
    [[ $output == '["81:00.0","unknown: '* ]] || { show; return 1; }
  done
}

@test "a device that could not be read makes the host unknown" {
  run answer .host.worst < <(table $zero $zero $zero; echo '-E- Failed to open the device')
  equals unknown "$output"
  run answer .host.worst < <(
    echo '[root@a ~]# mstconfig -d 0000:81:00.0 -e q'
    table $zero $zero $zero
    printf '[root@b ~]# mstconfig -d 0000:81:00.0 -e q\n-E- Failed to open the device\n'
  )
  equals unknown "$output"
}

@test "force_relax and contradictions are alarms in the text" {
  run "$WINORD_BUILD/winord" facts --from - < <(
    table $zero $four $zero
    printf '        PCI_WR_ORDERING per_mkey(0) per_mkey(0) force_relax(1)\n'
    table $zero $zero $zero
  )
  equals 0 "$status"
  [[ $output == *"ALARM: force_relax"* ]] || { show; return 1; }
  [[ $output == *"ALARM: pci-atomic-mode-current: unknown: contradiction: 4, then 0"* ]] || { show; return 1; }
}

@test "no input, no text, no file" {
  run answer .host.note </dev/null
  equals "unknown: no device in the file" "$output"
  run answer .host.note < <(head -c 100000 /dev/zero)
  equals "unknown: no device in the file" "$output"
  run "$WINORD_BUILD/winord" facts --from /nonexistent
  equals 1 "$status"
  [[ $output == *"cannot open /nonexistent"* ]] || { show; return 1; }
}

# lines NAME: standard input as `NAME` sees it: behind a host's name, as a list's elements, as one JSON string.
lines() {
  case $1 in
  pdsh) sed 's/^/node01: /' ;;
  ansible) printf 'ok: [node01] => {\n    "out.stdout_lines": [\n' && sed 's/.*/        "&",/' && printf '    ]\n}\n' ;;
  escaped)
    text=$(sed 's/ *$//; s/$/\\n/' | tr -d '\n')
    printf 'ok: [node01] => {"changed": true, "stdout": "%s", "rc": 0}\n' "${text%\\n}"
    ;;
  numbered) cat -n ;;
  esac
}

@test "tables behind a host's name, in a list of lines, in one string" {
  for kind in pdsh ansible escaped; do
    run answer "$modes" < <(table $zero $four $zero | lines $kind)
    equals '["0000:81:00.0",4,0]' "$output"
  done
}

@test "hosts that pdsh mixes, and numbered lines, are not believed" {
  run answer "$modes" < <(
    table $zero $zero $zero | lines pdsh
    table $zero $four $zero | lines pdsh | sed 's/node01/node02/'
  )
  equals '' "$output"
  run answer "$modes" < <(table $zero $zero $zero | lines numbered)
  equals '' "$output"
}

@test "lines of 80 characters that were not folded" {
  run answer '[.devices[].device] | join(" ")' < <(
    for bus in 0c 12 d4; do
      echo "$bus:00.0 Infiniband controller: Mellanox Technologies MT28908 Family [ConnectX-6]"
    done
  )
  equals '0c:00.0 12:00.0 d4:00.0' "$output"
}

@test "NCCL 2.19 to 2.22: devices of several, each of them is one" {
  run answer '.host.nccl | [.devices, .ro]' < <(
    printf 'n:1:2 [0] NCCL INFO NET/IB : Using [0]={[0] mlx5_2:1/RoCE, [1] mlx5_3:1/RoCE} '
    printf '[1]={[2] mlx5_0:1/RoCE, [3] mlx5_1:1/RoCE} [2]mlx5_4:1/IB [RO]; OOB bond0:192.0.2.1<0>\n'
  )
  equals '[["mlx5_2","mlx5_3","mlx5_0","mlx5_1","mlx5_4"],true]' "$output"
}

@test "NCCL's version and network, and what only looks like them" {
  run answer '.host.nccl | [.version, .network]' < <(
    echo 'Warning: NCCL version mismatch'
    echo 'worker.py:12] Using network interface eth0'
    echo 'NCCL version 2.18.3+cuda12.1node1:123:456 [1] NCCL INFO cudaDriverVersion 12010'
    echo 'node1:123:456 [1] NCCL INFO Using network AWS Libfabric'
  )
  equals '["2.18.3+cuda12.1","AWS Libfabric"]' "$output"
}

@test "a device of two hosts has no address" {
  run answer .host.nccl.bdf.mlx5_0 < <(
    for bus in 17 87; do
      echo "h: NET/IB: [0] mlx5_0:uverbs0:1/RoCE pciPath=/sys/devices/pci0000:$bus/0000:$bus:00.0 ar=0"
    done
  )
  equals 'unknown: two addresses' "$output"
}

@test "an mst path of two hosts has no name" {
  run answer '.host.mst_status["/dev/mst/mt4129_pciconf0"]' < <(
    for device in mlx5_0 mlx5_1; do
      echo "ConnectX7(rev:0)  /dev/mst/mt4129_pciconf0  81:00.0  $device  net-ib0  0"
    done
  )
  equals 81:00.0 "$output"
}

@test "a topology whose NICs are columns by their kernel names" {
  run answer '.host.gpu_nic | to_entries[] | "\(.key) \(.value)"' < <(
    printf '\tGPU0\tGPU1\tmlx5_0\trocep65s0f0\tibp12s0\tCPU Affinity\n'
    printf 'GPU0\t X \tNV6\tPIX\tNODE\tSYS\t0-23\nGPU1\tNV6\t X \tPXB\tSYS\tNODE\t0-23\n'
  )
  equals 'GPU0-mlx5_0 PIX
GPU0-rocep65s0f0 NODE
GPU0-ibp12s0 SYS
GPU1-mlx5_0 PXB
GPU1-rocep65s0f0 SYS
GPU1-ibp12s0 NODE' "$output"
}

@test "a label that all lines have is no host's name" {
  run answer '[.devices[].device] | join(" ")' < <(printf 'hca_id:\tmlx5_%s\n' 0 1 2 3 4 5)
  equals 'mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5' "$output"
  run answer '[.devices[].device] | join(" ")' < <(printf 'Device:             0000:8%s:00.0\n' 0 1 2 3 4 5)
  equals '0000:80:00.0 0000:81:00.0 0000:82:00.0 0000:83:00.0 0000:84:00.0 0000:85:00.0' "$output"
}
