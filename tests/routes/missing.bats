#!/usr/bin/env bats
# NCCL without the window functions, NCCL that is not there, and calls that NCCL refuses.

load ../helpers
setup() { setup_shim; }

@test "dlsym of an NCCL before windows gives NULL, as without us" {
  shim "$CLIENT_DL" "handle:$FAKE/2.26.2/libnccl.so.2" reg=2
  printed "register missing"
}

@test "RTLD_DEFAULT with an NCCL before windows gives NULL" {
  LD_LIBRARY_PATH=$FAKE/2.26.2 shim "$CLIENT" default reg=2
  printed "register missing"
}

@test "a registration by name with nothing behind fails with ncclSystemError, and says so" {
  preload_only "it defines the name itself"
  LD_LIBRARY_PATH=$FAKE/2.26.2 shim "$CLIENT" plt reg=2
  [[ $output == "register result=2 "*"win=untouched"* ]] || { show; false; }
  equals '["no_nccl",2]' "$(records register '[.verdict, .flags_in]')"
}

@test "a device communicator by name with nothing behind fails with ncclSystemError" {
  preload_only "it defines the name itself"
  LD_LIBRARY_PATH=$FAKE/2.26.2 shim "$CLIENT" plt devcomm=1
  [[ $output == "devcomm result=2 "* ]] || { show; false; }
}

@test "a deregistration with nothing behind succeeds" {
  preload_only "it defines the name itself"
  LD_LIBRARY_PATH=$FAKE/2.26.2 shim "$CLIENT" plt dereg
  [[ $output == "deregister result=0 "* ]] || { show; false; }
}

@test "a call with nothing behind and no journal: one line on stderr names it" {
  preload_only "it defines the name itself"
  unset WINORD_LOG
  LD_LIBRARY_PATH=$FAKE/2.26.2 shim "$CLIENT" plt reg=2 reg=2
  [[ $stderr == "winord: no NCCL"*" ncclCommWindowRegister;"* ]] || { show; false; }
  equals 1 "$(grep -c . <<<"$stderr")"
}

@test "a deregistration and a device communicator with nothing behind are recorded as such" {
  preload_only "it defines the name itself"
  LD_LIBRARY_PATH=$FAKE/2.26.2 shim "$CLIENT" plt dereg devcomm=1
  equals '["no_nccl","no_nccl"]' "$(journal 'select(.event == "deregister" or .event == "devcomm") | .verdict' | jq -sc .)"
}

@test "with WINORD_DISABLE=1 and nothing behind: ncclSystemError, and success for a deregistration" {
  preload_only "it defines the name itself"
  LD_LIBRARY_PATH=$FAKE/2.26.2 WINORD_DISABLE=1 shim "$CLIENT" plt reg=2 dereg devcomm=1
  equals "register result=2 flags=0x0 win=untouched errno=0
deregister result=0 errno=0
devcomm result=2 errno=0" "$output"
}

@test "a NULL communicator is passed on untouched" {
  shim "$CLIENT" plt nullcomm
  printed "register result=4"
  equals '[4,null,null,null,null]' "$(records register '[.result, .rank, .nranks, .device, .comm_seq]')"
}

@test "a NULL communicator is never asked for its rank, even if NCCL takes it" {
  FAKE_NCCL_RESULT=0 shim "$CLIENT" plt nullcomm
  printed "register result=0"
  equals '[null,null,null,null]' "$(records register '[.rank, .nranks, .device, .comm_seq]')"
}

@test "a NULL window pointer is passed on untouched" {
  shim "$CLIENT" plt nullwin
  printed "register result=4"
  equals '4' "$(records register .result)"
}

@test "NULL requirements of a device communicator are passed on untouched" {
  shim "$CLIENT" plt nulldevcomm
  printed "devcomm result=4"
}

@test "NCCL's error is passed on and recorded" {
  FAKE_NCCL_RESULT=3 shim "$CLIENT" plt reg=2
  [[ $output == "register result=3 flags=0x0 win=untouched"* ]] || { show; false; }
  equals '3' "$(records register .result)"
}

@test "ncclInProgress of a non-blocking communicator is passed on" {
  FAKE_NCCL_RESULT=7 shim "$CLIENT" plt reg=2
  [[ $output == "register result=7 "* ]] || { show; false; }
  equals '[7,1]' "$(records register '[.result, .comm_seq]')"
}

@test "a window that comes at the end of the group: win_null, and the program gets it" {
  shim "$CLIENT" plt group reg=2 groupend
  printed "register result=0 flags=0x0 win=null errno=0" "groupend win=set"
  equals '[0,true]' "$(records register '[.result, .win_null]')"
}

@test "a window that came at once: win_null is false" {
  shim "$CLIENT" plt reg=2
  equals 'false' "$(records register .win_null)"
}

@test "success without a window, as without symmetric support: win_null" {
  FAKE_NCCL_NULL_WIN=1 shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x0 win=null errno=0"
  equals 'true' "$(records register .win_null)"
}

@test "bits that we do not know pass untouched, relaxed" {
  shim "$CLIENT" plt reg=0x7fffffff
  printed "register result=0 flags=0x7ffffffd win=set errno=0"
  equals '[2147483647,2147483645]' "$(records register '[.flags_in, .flags_out]')"
}

@test "bits that we do not know pass untouched, made strict" {
  policy strict
  shim "$CLIENT" plt reg=0x44
  printed "register result=0 flags=0x46 win=set errno=0"
}

@test "the sign bit of the flags passes untouched" {
  shim "$CLIENT" plt reg=-1
  printed "register result=0 flags=0xfffffffd win=set errno=0"
}

@test "NCCL_WIN_GIN_ONLY and NCCL_WIN_CFT_COUNTED pass untouched" {
  shim "$CLIENT" plt reg=0xf
  printed "register result=0 flags=0xd win=set errno=0"
}
