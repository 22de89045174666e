#!/usr/bin/env bats
# A program whose dynamic section has no DT_DEBUG: the dynamic linker's list of objects cannot be found by it.

load ../helpers
setup() {
  setup_shim
  PROGRAM=$BATS_TEST_TMPDIR/program
}

untagged() {
  python3 "$BATS_TEST_DIRNAME/strip_debug.py" "$1" "$PROGRAM"
  equals 0 "$(readelf -d "$PROGRAM" | grep -c '(DEBUG)')"
}

@test "look-ups of other names work" {
  untagged "$LOOKUP"
  shim "$PROGRAM" default=getpid next=getpid self=getpid default=no_such_name "local=$NCCL" handle=fakeLastFlags
  printed "default=getpid libc.so.6 error=no" "next=getpid libc.so.6 error=no" "self=getpid libc.so.6 error=no" \
    "default=no_such_name NULL error=yes" "handle=fakeLastFlags libnccl.so.2 error=no"
}

@test "NCCL's names are found, and decided" {
  untagged "$CLIENT_DL"
  shim "$PROGRAM" "handle:$NCCL" reg=2 dereg
  printed "register result=0 flags=0x0 win=set errno=0" "deregister result=0 errno=0"
  shim "$PROGRAM" "global:$NCCL" reg=2 dereg
  printed "register result=0 flags=0x0 win=set errno=0" "deregister result=0 errno=0"
}

@test "calls by name are decided" {
  untagged "$CLIENT"
  LD_LIBRARY_PATH=$FAKE shim "$PROGRAM" plt reg=2 dereg destroy
  printed "register result=0 flags=0x0 win=set errno=0" "deregister result=0 errno=0" "destroy result=0 errno=0"
}
