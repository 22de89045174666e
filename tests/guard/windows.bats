#!/usr/bin/env bats
# The table of strict windows that the row `asserted` compares with, end to end.

load ../helpers
setup() {
  setup_shim
  # Symmetric windows stay strict; of the others somebody says that no signal lies in them.
  cat >"$WINORD_CONF" <<'END'
[winord]
version = 1
[rule symmetric]
flags = COLL_SYMMETRIC
ordering = strict
[rule rest]
ordering = relaxed
va-signals = none
END
}

@test "a window in memory of its own is relaxed" {
  shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x0 win=set errno=0"
}

@test "a window in memory that a strict one has is refused" {
  shim "$CLIENT" plt reg=3 reg=2
  printed "register result=0 flags=0x3 win=set errno=0" "register result=0 flags=0x2 win=set errno=0"
  equals '"shared_memory"' "$(records register .why | tail -1)"
}

@test "more grouped registrations than the table has room for: other memory is not taken for shared" {
  WINORD_LOG='' shim "$CLIENT" plt grouped=4100 reg=2
  printed "register result=0 flags=0x0 win=set errno=0"
}
