# Recorded hosts: small copies of /sys and /proc, and outputs of tools, below $ROOT.
# shellcheck shell=bash disable=SC2153,SC2154 # ROOT is set by the files that load this one; set by bats

# pci PARENT ADDRESS KIND NUMA WORD...: a device below a path of /sys/devices; config.py has the words. Prints its path.
pci() {
  local path=$1/$2 device=$ROOT/sys/devices/$1/$2 word vendor=8086 id=0000 class=060400
  for word in "${@:5}"; do
    case $word in
    id=*) vendor=${word#id=} id=${vendor#*:} vendor=${vendor%:*} ;;
    class=*) class=${word#class=} ;;
    esac
  done
  mkdir -p "$device" "$ROOT/sys/bus/pci/devices"
  ln -s "../../../devices/$path" "$ROOT/sys/bus/pci/devices/$2"
  echo "0x$vendor" >"$device/vendor"
  echo "0x$id" >"$device/device"
  echo "0x$class" >"$device/class"
  echo "$4" >"$device/numa_node"
  echo "$(($4 * 4))-$(($4 * 4 + 3))" >"$device/local_cpulist"
  printf '%x\n' $((15 << ($4 * 4))) >"$device/local_cpus"
  echo "$device/config $3 ${*:5}" >>"$ROOT/outputs/config.list"
  echo "$path"
}

# configured HOST: builds it, and then the configuration spaces of its devices.
configured() {
  mkdir -p "$ROOT/outputs"
  "$1"
  configs
}

configs() {
  "$BATS_TEST_DIRNAME/config.py" <"$ROOT/outputs/config.list"
  rm "$ROOT/outputs/config.list"
}

# rdma PATH NAME GUID FIRMWARE HCA_TYPE: the RDMA device of a PCI device.
rdma() {
  local device=$ROOT/sys/devices/$1/infiniband/$2
  mkdir -p "$device" "$ROOT/sys/class/infiniband" "$ROOT/sys/bus/pci/drivers/mlx5_core"
  ln -s "../../devices/$1/infiniband/$2" "$ROOT/sys/class/infiniband/$2"
  ln -s "../../../${1##*/}" "$device/device"
  echo "$3" >"$device/node_guid"
  echo "$4" >"$device/fw_ver"
  echo "$5" >"$device/hca_type"
  driver "$1"
}

driver() {
  mkdir -p "$ROOT/sys/bus/pci/drivers/mlx5_core"
  ln -sfn ../../../../bus/pci/drivers/mlx5_core "$ROOT/sys/devices/$1/driver"
}

# group PATH NUMBER TYPE: its IOMMU group.
group() {
  mkdir -p "$ROOT/sys/kernel/iommu_groups/$2"
  echo "$3" >"$ROOT/sys/kernel/iommu_groups/$2/type"
  ln -s "$ROOT/sys/kernel/iommu_groups/$2" "$ROOT/sys/devices/$1/iommu_group"
}

# gpu ADDRESS MODEL
gpu() {
  mkdir -p "$ROOT/proc/driver/nvidia/gpus/$1"
  printf 'Model: \t\t %s\nIRQ:   \t\t 18\n' "$2" >"$ROOT/proc/driver/nvidia/gpus/$1/information"
}

# system HOST KERNEL VENDOR PRODUCT VIRT [FLAG]: two nodes of four processors.
system() {
  local cpu node
  mkdir -p "$ROOT"/{outputs,proc/sys/kernel/random,sys/class/dmi/id,sys/devices/system/{cpu,node}}
  echo "$1" >"$ROOT/proc/sys/kernel/hostname"
  echo "$2" >"$ROOT/proc/sys/kernel/osrelease"
  cat /proc/sys/kernel/random/boot_id >"$ROOT/proc/sys/kernel/random/boot_id"
  echo "$3" >"$ROOT/sys/class/dmi/id/sys_vendor"
  echo "$4" >"$ROOT/sys/class/dmi/id/product_name"
  [[ -z $5 ]] || echo "$5" >"$ROOT/outputs/systemd-detect-virt.txt"
  for cpu in 0 1 2 3 4 5 6 7; do
    printf 'processor\t: %s\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n' "$cpu"
    printf 'model name\t: Xeon\nflags\t\t: fpu %s\n\n' "${6:-vmx}"
    mkdir -p "$ROOT/sys/devices/system/cpu/cpu$cpu/topology"
    printf '%x\n' $((15 << (cpu / 4 * 4))) >"$ROOT/sys/devices/system/cpu/cpu$cpu/topology/core_siblings"
    printf '%x\n' $((1 << cpu)) >"$ROOT/sys/devices/system/cpu/cpu$cpu/topology/thread_siblings"
    echo $((cpu / 4)) >"$ROOT/sys/devices/system/cpu/cpu$cpu/topology/physical_package_id"
    echo $((cpu % 4)) >"$ROOT/sys/devices/system/cpu/cpu$cpu/topology/core_id"
  done >"$ROOT/proc/cpuinfo"
  echo 0-7 >"$ROOT/sys/devices/system/cpu/online"
  echo 0-1 >"$ROOT/sys/devices/system/node/online"
  for node in 0 1; do
    mkdir -p "$ROOT/sys/devices/system/node/node$node"
    printf '%x\n' $((15 << (node * 4))) >"$ROOT/sys/devices/system/node/node$node/cpumap"
    printf 'Node %s MemTotal: 1048576 kB\n' "$node" >"$ROOT/sys/devices/system/node/node$node/meminfo"
  done
}

# firmware ADDRESS TYPE DEFAULT CURRENT NEXT [WR_CURRENT WR_NEXT]: what `mstconfig -d ADDRESS -e q ...` printed.
modes=(PCI_ATOMIC_DISABLED_EXT_ATOMIC_ENABLED PCI_ATOMICS_ENABLED_EXT_ATOMICS_ENABLED_SERIALIZED
  PCI_ATOMICS_ENABLED_EXT_ATOMICS_DISABLED PCI_ATOMICS_ENABLED_EXT_ATOMICS_ENABLED_NONCOHERENT
  PCI_ATOMICS_ENABLED_EXT_ATOMICS_ENABLED)
firmware() {
  {
    printf '\nDevice #1:\n----------\n\nDevice type:        %-20s\nName:               %-20s\n' "$2" N/A
    printf 'Description:        %s\nDevice:             %-20s\n\n' N/A "$1"
    printf 'Configurations:                                          Default             Current         Next Boot\n'
    printf '        %-43s %s(%s) %s(%s) %s(%s)\n' PCI_ATOMIC_MODE \
      "${modes[$3]}" "$3" "${modes[$4]}" "$4" "${modes[$5]}" "$5"
    printf '        %-43s %-20s %-20s %-20s\n' PCI_WR_ORDERING 'per_mkey(0)' "${6:-per_mkey(0)}" "${7:-per_mkey(0)}"
  } >"$ROOT/outputs/mstconfig-$1.txt"
}

# Bare metal: on each processor a switch with a GPU and a ConnectX-7 in mode 0.
metal() {
  local bus port root switch down device node=0
  system h200-17 6.8.0-40-generic 'Dell Inc.' 'PowerEdge XE9680' none
  for bus in 80 c0; do
    root=pci0000:$bus
    port=$(pci "$root" "0000:$bus:01.0" bridge $node "buses=$bus,${bus%0}1,${bus%0}9")
    switch=$(pci "$port" "0000:${bus%0}1:00.0" bridge $node "buses=${bus%0}1,${bus%0}2,${bus%0}9")
    down=$(pci "$switch" "0000:${bus%0}2:00.0" bridge $node "buses=${bus%0}2,${bus%0}3,${bus%0}3")
    pci "$down" "0000:${bus%0}3:00.0" endpoint $node id=10de:2335 class=030200 >/dev/null
    gpu "0000:${bus%0}3:00.0" 'NVIDIA H200'
    down=$(pci "$switch" "0000:${bus%0}2:01.0" bridge $node "buses=${bus%0}2,${bus%0}4,${bus%0}4")
    device=$(pci "$down" "0000:${bus%0}4:00.0" endpoint $node id=15b3:1021 class=020700 relaxed)
    rdma "$device" mlx5_$node "9c63:c003:0012:345$node" 28.43.2026 MT4129
    group "$device" $node identity
    firmware "0000:${bus%0}4:00.0" ConnectX7 0 0 0
    node=1
  done
}

# A KVM guest: two virtual functions, each GPU and NIC behind a port of its own; firmware answers nobody here.
guest() {
  local n port device
  system guest-3 5.15.0-113-generic QEMU 'Standard PC (Q35 + ICH9, 2009)' kvm hypervisor
  for n in 1 2 3 4; do
    port=$(pci pci0000:00 "0000:00:0$n.0" bridge 0 "buses=00,0$n,0$n" user)
    if ((n < 3)); then
      pci "$port" "0000:0$n:00.0" endpoint 0 id=10de:2335 class=030200 user >/dev/null
    else
      device=$(pci "$port" "0000:0$n:00.0" endpoint 0 id=15b3:101e class=020700 user)
      rdma "$device" mlx5_$((n - 3)) "0000:0000:0000:000$n" 28.39.3560 MT4126
      printf 'write counter to semaphore: Operation not permitted\n-E- Failed to open the device\n' \
        >"$ROOT/outputs/mstconfig-0000:0$n:00.0.txt"
    fi
  done
}

# Bare metal with one NIC that is in mode 0 and relaxes every write; systemd-detect-virt is not installed.
forced() {
  local port device
  system forced-1 6.1.0-25-amd64 Supermicro SYS-821GE-TNHR ''
  port=$(pci pci0000:80 0000:80:01.0 bridge 0 buses=80,81,81 acs)
  device=$(pci "$port" 0000:81:00.0 endpoint 0 id=15b3:1021 class=020700 relaxed requester)
  rdma "$device" mlx5_0 9c63:c003:0012:3456 28.43.2026 MT4129
  group "$device" 7 DMA-FQ
  firmware 0000:81:00.0 ConnectX7 0 0 0 'force_relax(1)' 'per_mkey(0)'
}

# EC2 bare metal by name; one ConnectX-6 Dx with both its functions in a bond, and so one RDMA device.
bond() {
  local port device n
  system bond-1 6.5.0 'Amazon EC2' m6g.metal amazon
  port=$(pci pci0000:40 0000:40:03.0 bridge 0 buses=40,41,41)
  mkdir -p "$ROOT/sys/class/net" "$ROOT/sys/devices/virtual/net/bond0/bonding"
  ln -s ../../devices/virtual/net/bond0 "$ROOT/sys/class/net/bond0"
  echo 'eth0 eth1' >"$ROOT/sys/devices/virtual/net/bond0/bonding/slaves"
  for n in 0 1; do
    device=$(pci "$port" "0000:41:00.$n" endpoint 0 id=15b3:101d class=020000 relaxed)
    mkdir -p "$ROOT/sys/devices/$device/net/eth$n"
    ln -s "../../devices/$device/net/eth$n" "$ROOT/sys/class/net/eth$n"
    ln -s "../../../0000:41:00.$n" "$ROOT/sys/devices/$device/net/eth$n/device"
    ln -s ../../../../../virtual/net/bond0 "$ROOT/sys/devices/$device/net/eth$n/master"
    [[ $n == 1 ]] || rdma "$device" mlx5_bond_0 b8ce:f603:00aa:bb00 22.41.1000 MT4125
    driver "$device"
    firmware "0000:41:00.$n" ConnectX6DX 0 0 0
  done
}
