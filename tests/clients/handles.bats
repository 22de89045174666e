#!/usr/bin/env bats
# Beside an interposer whose communicators are not NCCL's (as those of NCCL's checkpoint shim), in either order in LD_PRELOAD.

load ../helpers

setup() { setup_shim; }

# beside PRELOAD CMD...: prints what it prints without us but for the flags, and the journal has what NCCL says of the communicator.
beside() {
  local plain
  run env LD_PRELOAD="${1/"$SHIM"/}" timeout -k 2 20 "${@:2}" reg=2 devcomm=1 dereg destroy
  plain=$output
  equals 0 "$status"
  PRELOAD=$1 TIME_LIMIT=20 shim "${@:2}" reg=2 devcomm=1 dereg destroy
  equals 0 "$status"
  equals "${plain/flags=0x2/flags=0x0}" "$output"
  equals '["rewritten",2,0,3,16,3,0]' \
    "$(records register '[.verdict, .flags_in, .flags_out, .rank, .nranks, .device, .result]')"
  equals '[3,16,3,0]' "$(records devcomm '[.rank, .nranks, .device, .result]')"
}

@test "first, a call bound at link time" { beside "$SHIM $BESIDE/libhandles.so" "$CLIENT" plt; }
@test "last, a call bound at link time" { beside "$BESIDE/libhandles.so $SHIM" "$CLIENT" plt; }
@test "first, dlsym of RTLD_DEFAULT" { beside "$SHIM $BESIDE/libhandles.so" "$CLIENT" default; }
@test "last, dlsym of RTLD_DEFAULT" { beside "$BESIDE/libhandles.so $SHIM" "$CLIENT" default; }
@test "first, and then one that only passes on" { beside "$SHIM $BESIDE/libother.so $BESIDE/libhandles.so" "$CLIENT" plt; }
@test "between the two" { beside "$BESIDE/libhandles.so $SHIM $BESIDE/libother.so" "$CLIENT" plt; }
