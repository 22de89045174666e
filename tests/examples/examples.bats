#!/usr/bin/env bats
# The policy files that people start from: each is right, and decides what its comments say.
load ../helpers

EXAMPLES=$BATS_TEST_DIRNAME/../../policy/examples

setup() {
  unset WINORD_CONF WINORD_POOL SLURM_JOB_PARTITION
  conf=
}

# example NAME: the file, with attestations that hold for a year from today.
example() {
  conf=$BATS_TEST_TMPDIR/$1.conf
  sed "s/^attested-until = .*/attested-until = $(date -u -d '+1 year' +%F)/" "$EXAMPLES/$1.conf" >"$conf"
}

# decides WANTED OPTION...: explain's verdict, why, rule, guard, flags out and exposure, for a host that is not this one.
decides() {
  local wanted=$1
  shift
  run --separate-stderr "$WINORD_BUILD/winord" explain --json --host=h200-17 "$@" "$conf"
  equals 0 "$status" || return
  equals "$wanted" \
    "$(jq -r '.decision | [.verdict, .why, .rule, .guard, .flags_out, .exposure] | map(. // "-") | join(" ")' <<<"$output")"
}

DEEP_EP=--caller=/usr/lib/python3/site-packages/deep_ep/_C.cpython-312-x86_64-linux-gnu.so
TORCH=--caller=/usr/lib/python3/site-packages/torch/lib/libtorch_cuda.so
NCCL_EP=--caller=/opt/nccl/lib/libnccl_ep.so.0.1.0

@test "every example is without error, and warns at most of an attestation that runs out" {
  for file in "$EXAMPLES"/*.conf; do
    run --separate-stderr "$WINORD_BUILD/winord" check "$file"
    equals 0 "$status"
    equals "" "$(grep -v 'attestation of \[pool .*\] \(has lapsed\|lapses in\)' <<<"${stderr:-}" || true)"
  done
}

@test "every example says for whom it is, its proof and what makes it unsafe" {
  for file in "$EXAMPLES"/*.conf; do
    for word in 'For whom' Proof Unsafe; do
      grep -q "^; $word " "$file" || {
        echo "$file: no '$word'"
        return 1
      }
    done
  done
}

@test "no example has a warning while its attestations hold" {
  for file in "$EXAMPLES"/*.conf; do
    example "$(basename "$file" .conf)"
    run --separate-stderr "$WINORD_BUILD/winord" check "$conf"
    equals 0 "$status"
    equals "" "${stderr:-}"
  done
}

@test "deepep-hybrid relaxes in mode 0 only" {
  example deepep-hybrid
  decides "rewritten rule deepep-hybrid proved 0 none" --pci-atomic-mode=0 "$DEEP_EP"
  decides "rewritten rule deepep-hybrid proved 0 none" --pci-atomic-mode=0 "$DEEP_EP" --gin-connection=rail
  for mode in 1 2 3 4 unknown; do
    decides "passed default - - 2 none" --pci-atomic-mode=$mode "$DEEP_EP"
  done
  decides "passed default - - 2 none" "$DEEP_EP" # no facts of that host
}

@test "deepep-hybrid leaves other programs, default windows and old NCCL alone" {
  example deepep-hybrid
  decides "passed default - - 2 none" --pci-atomic-mode=0 "$TORCH"
  decides "passed default - - 2 none" --pci-atomic-mode=0
  decides "passed default - - 0 none" --pci-atomic-mode=0 "$DEEP_EP" --asked=default
  decides "passed default - - 2 none" --pci-atomic-mode=0 "$DEEP_EP" --nccl=2.28.9
}

@test "deepep-hybrid, without its key for the mode, refuses and says why" {
  example deepep-hybrid
  sed -i '/^pci-atomic-mode/d' "$conf"
  decides "refused mode_not_zero deepep-hybrid - 2 none" --pci-atomic-mode=4 "$DEEP_EP"
  decides "refused mode_unknown deepep-hybrid - 2 none" --pci-atomic-mode=unknown "$DEEP_EP"
}

@test "deepep-direct relaxes in every mode, but only while the connection is full" {
  example deepep-direct
  decides "rewritten rule deepep-direct asserted 0 none" --pci-atomic-mode=0 "$DEEP_EP" --gin-connection=full
  decides "rewritten rule deepep-direct asserted 0 possible" --pci-atomic-mode=4 "$DEEP_EP" --gin-connection=full
  decides "rewritten rule deepep-direct asserted 0 possible" "$DEEP_EP" --gin-connection=full
  for connection in none rail custom unknown; do
    decides "passed default - - 2 none" --pci-atomic-mode=4 "$DEEP_EP" --gin-connection=$connection
  done
}

@test "deepep-direct leaves NCCL before 2.30.7 and other programs alone" {
  example deepep-direct
  decides "passed default - - 2 none" "$DEEP_EP" --gin-connection=full --nccl=2.30.4
  decides "passed default - - 2 none" "$TORCH" --gin-connection=full
  sed -i '/^nccl/d' "$conf"
  decides "refused nccl_before_2_30_7 deepep-direct - 2 none" "$DEEP_EP" --gin-connection=full --nccl=2.30.4
}

@test "nccl-ep keeps default windows and relaxes strict ones" {
  example nccl-ep
  decides "passed rule nccl-ep - 0 possible" "$NCCL_EP" --asked=default
  decides "passed rule nccl-ep - 1 possible" "$NCCL_EP" --asked=default --flags=COLL_SYMMETRIC
  decides "rewritten rule nccl-ep-strict asserted 1 possible" "$NCCL_EP" --flags=COLL_SYMMETRIC
  decides "passed rule nccl-ep - 2 none" "$NCCL_EP" --nccl=2.29.7
  decides "passed default - - 2 none" "$DEEP_EP"
}

@test "nccl-ep in front of protection spares NCCL EP alone" {
  example protection
  sed -n '/^\[rule protect\]/,$p' "$conf" >"$BATS_TEST_TMPDIR/protect"
  example nccl-ep
  cat "$BATS_TEST_TMPDIR/protect" >>"$conf"
  decides "passed rule nccl-ep - 0 possible" "$NCCL_EP" --asked=default --pci-atomic-mode=4
  decides "rewritten rule protect - 2 none" "$DEEP_EP" --asked=default --pci-atomic-mode=4
}

@test "registry relaxes guests by attestation, metal by facts, and protects where NICs do PCIe atomics" {
  example registry
  decides "rewritten rule b300-guest attested 0 none" "$DEEP_EP" --host=b300-vm-9
  decides "rewritten rule b300-guest attested 0 none" "$DEEP_EP" --host=b300-vm-9 --pci-atomic-mode=unknown
  decides "rewritten rule h200-metal proved 0 none" "$DEEP_EP" --pci-atomic-mode=0
  decides "passed default - - 2 none" "$DEEP_EP" --pci-atomic-mode=4
  decides "passed default - - 2 none" "$DEEP_EP"
  decides "rewritten rule b200-metal - 2 none" "$DEEP_EP" --host=b200-1 --pci-atomic-mode=4 --asked=default
  decides "passed default - - 2 none" "$DEEP_EP" --host=b200-1 --pci-atomic-mode=4
  decides "passed default - - 2 none" "$DEEP_EP" --host=elsewhere --pci-atomic-mode=0
}

@test "registry: no attestation holds against a NIC that is known, a lapsed day, or for a host of another pool" {
  example registry
  decides "passed default - - 2 none" "$DEEP_EP" --host=b300-vm-9 --pci-atomic-mode=4
  decides "passed default - - 2 none" "$DEEP_EP" --pool=b300-guest
  equals true "$(jq .host.pool_mismatch <<<"$output")"
  sed -i 's/^attested-until = .*/attested-until = 2026-01-31/' "$conf"
  decides "passed default - - 2 none" "$DEEP_EP" --host=b300-vm-9
}

@test "protection makes default windows strict wherever mode 0 is not known" {
  example protection
  for mode in 1 2 3 4 unknown; do
    decides "rewritten rule protect - 2 none" --asked=default --pci-atomic-mode=$mode "$DEEP_EP"
    decides "rewritten rule protect - 3 none" --asked=default --pci-atomic-mode=$mode --flags=COLL_SYMMETRIC
  done
  decides "rewritten rule protect - 2 none" --asked=default # no facts of that host
  decides "passed default - - 0 none" --asked=default --pci-atomic-mode=0
  decides "passed default - - 2 none" --asked=strict --pci-atomic-mode=4
}

@test "protection warns where NCCL does not know the bit" {
  example protection
  decides "rewritten rule protect - 2 none" --asked=default --pci-atomic-mode=4 --nccl=2.28.9
  equals '"strict_no_effect"' "$(jq .decision.warning <<<"$output")"
}

@test "protection, broken, makes windows strict with WINORD_ON_ERROR=strict" {
  setup_shim
  example protection
  echo 'ordering = strikt' >>"$conf"
  export WINORD_CONF=$conf
  shim "$CLIENT" plt reg=0
  printed "register result=0 flags=0x0 win=set errno=0"
  WINORD_ON_ERROR=strict shim "$CLIENT" plt reg=0
  printed "register result=0 flags=0x2 win=set errno=0"
}
