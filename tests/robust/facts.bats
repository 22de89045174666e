#!/usr/bin/env bats
# Bad facts end to end: unknown, and the start record says so; unknown is never proof.

load ../helpers
setup() {
  setup_shim
  printf '[winord]\nversion = 1\n[rule proved]\nordering = relaxed\n' >"$WINORD_CONF"
}

# facts_with TEXT: a facts file of this boot, with TEXT after it.
facts_with() {
  printf '[facts]\nversion = 1\nhostname = %s\nboot-id = %s\n%s\n' "$(uname -n)" "$(cat /proc/sys/kernel/random/boot_id)" \
    "$1" >"$WINORD_FACTS"
}

nic="[nic 0000:81:00.0]
device = mlx5_0
driver = mlx5_core
node-guid = 9c63:c003:0012:3456
firmware = 28.43.2026
pci-atomic-mode-default = 0
pci-atomic-mode-current = 0
pci-atomic-mode-next = 0
pci-atomic-source = mstconfig
pci-wr-ordering = per_mkey"

# unproved STATUS: the rule's relaxed is refused, the program's flags pass, and the start record has the facts' status.
unproved() {
  TIME_LIMIT=20 shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x2 win=set errno=0"
  equals '["refused",2]' "$(records register '[.verdict, .flags_out]')"
  [[ $(records start) == *"\"$1\""* ]] || { show; return 1; }
  equals "" "$stderr"
}

@test "missing" {
  rm "$WINORD_FACTS"
  unproved missing
}

@test "of another boot" {
  facts_with "$nic"
  sed -i 's/^boot-id = .*/boot-id = 00000000-0000-0000-0000-000000000000/' "$WINORD_FACTS"
  unproved stale
  equals null "$(records register .pci_atomic_mode)"
}

@test "without a boot id" {
  facts_with "$nic"
  sed -i '/^boot-id/d' "$WINORD_FACTS"
  unproved stale
}

@test "half-written" {
  facts_with "$nic"
  truncate -s -40 "$WINORD_FACTS"
  truncate -s 90 "$WINORD_FACTS"
  TIME_LIMIT=20 shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x2 win=set errno=0"
  equals '"refused"' "$(records register .verdict)"
}

@test "empty" {
  : >"$WINORD_FACTS"
  unproved damaged
}

@test "binary" {
  head -c 4096 "$CLIENT" >"$WINORD_FACTS"
  unproved damaged
}

@test "a folder" {
  rm "$WINORD_FACTS"
  mkdir "$WINORD_FACTS"
  shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x2 win=set errno=0"
  equals '"refused"' "$(records register .verdict)"
}

@test "a FIFO does not block" {
  rm "$WINORD_FACTS"
  mkfifo "$WINORD_FACTS"
  TIME_LIMIT=10 shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x2 win=set errno=0"
}

@test "writable by others: no proof" {
  facts_with "$nic"
  chmod 666 "$WINORD_FACTS"
  TIME_LIMIT=20 shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x2 win=set errno=0"
  equals '"refused"' "$(records register .verdict)"
}

@test "no NIC in them: no proof" {
  facts_with ""
  unproved current
}

@test "of this boot, a mode that is not 0: the mode stands in the record, and the guard refuses" {
  facts_with "${nic//current = 0/current = 2}"
  unproved current
  equals '[2,"mstconfig"]' "$(records register '[.pci_atomic_mode, .pci_atomic_source]')"
}

@test "a damaged file says where" {
  printf '[facts]\nversion = 1\nnonsense\n' >"$WINORD_FACTS"
  unproved damaged
  [[ $(records start) == *"$WINORD_FACTS:3"* ]] || { show; false; }
}
