#!/usr/bin/env bats
# errno is the program's: no wrapper changes what NCCL left in it.

load ../helpers
setup() { setup_shim; }

@test "registration keeps the program's errno" {
  shim "$CLIENT" plt errno=1234 reg=2 errno=1235 reg=2
  printed "register result=0 flags=0x0 win=set errno=1234" "register result=0 flags=0x0 win=set errno=1235"
}

@test "registration by a thunk keeps the program's errno" {
  shim "$CLIENT_DL" "handle:$NCCL" errno=1234 reg=2
  printed "register result=0 flags=0x0 win=set errno=1234"
}

@test "registration hands on the errno that NCCL left" {
  FAKE_NCCL_ERRNO=77 shim "$CLIENT" plt errno=1234 reg=2 reg=2
  printed "register result=0 flags=0x0 win=set errno=77" "register result=0 flags=0x0 win=set errno=77"
}

@test "deregistration keeps errno" {
  shim "$CLIENT" plt reg=2 errno=1234 dereg
  printed "register result=0 flags=0x0 win=set errno=0" "deregister result=0 errno=1234"
}

@test "deregistration hands on the errno that NCCL left" {
  FAKE_NCCL_ERRNO=77 shim "$CLIENT" plt dereg
  printed "deregister result=0 errno=77"
}

@test "creating a device communicator keeps errno" {
  shim "$CLIENT" plt errno=1234 devcomm=2
  printed "devcomm result=0 errno=1234"
}

@test "destroying a communicator keeps errno" {
  shim "$CLIENT" plt reg=2 errno=1234 destroy
  printed "register result=0 flags=0x0 win=set errno=0" "destroy result=0 errno=1234"
}

@test "aborting a communicator keeps errno" {
  shim "$CLIENT" plt reg=2 errno=1234 abort
  printed "register result=0 flags=0x0 win=set errno=0" "abort result=0 errno=1234"
}

@test "errno is kept when the journal cannot be written" {
  WINORD_LOG=/nonexistent/journal shim "$CLIENT" plt errno=1234 reg=2
  printed "register result=0 flags=0x0 win=set errno=1234"
}

@test "errno is kept when the policy is broken" {
  WINORD_CONF=/nonexistent shim "$CLIENT" plt errno=1234 reg=2
  printed "register result=0 flags=0x2 win=set errno=1234"
}

@test "errno is kept when nothing is behind" {
  preload_only "it defines the name itself"
  LD_LIBRARY_PATH=$FAKE/2.26.2 shim "$CLIENT" plt errno=1234 reg=2
  printed "register result=2 flags=0x0 win=untouched errno=1234"
}

@test "errno is 0 when main begins" {
  shim "$CLIENT" plt
  printed ""
}

@test "look-ups keep errno" {
  shim "$LOOKUP" errno=1234 default=malloc
  printed "default=malloc libc.so.6 error=no errno=1234"
}
