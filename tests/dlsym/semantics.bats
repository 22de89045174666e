#!/usr/bin/env bats
# dlsym under the shim answers as it does without, but for NCCL's functions that are really there.
# Every test runs the programs compiled with -O0 and -O2: a hook that is a plain wrapper breaks at -O0.

load ../helpers
setup() { setup_shim; }

CHAIN=$WINORD_BUILD/tests/dlsym/chain

# same STEP...: both look-up programs find the same with and without the shim, and something.
same() {
  local program plain
  for program in "$LOOKUP" "$LOOKUP-O0"; do
    run "$program" "$@"
    plain=$output
    [[ -n $plain ]]
    shim "$program" "$@"
    equals "$plain" "$output"
    equals 0 "$status"
    equals "" "$stderr"
  done
}

# ours STEP...: the last step finds something of ours where it was NCCL's without the shim, with a clean dlerror.
ours() {
  local program last
  for program in "$LOOKUP" "$LOOKUP-O0"; do
    run "$program" "$@"
    last=${lines[-1]}
    [[ $last == *" libnccl"*" error=no" || $last == *" libbig"*" error=no" ]] || { show; return 1; }
    shim "$program" "$@"
    [[ ${lines[-1]} == *" libwinord"*".so error=no" ]] || { show; return 1; }
  done
}

@test "unrelated names of RTLD_DEFAULT" {
  same default=malloc default=printf default=dlopen default=environ default=ncclCommInitRank default=no_such_name
}

@test "unrelated names of RTLD_NEXT" {
  same next=malloc next=pthread_create next=no_such_name
}

@test "unrelated names of a handle" {
  same local=libm.so.6 handle=cos handle=no_such_name "local=$NCCL" handle=ncclGetVersion handle=fakeLastFlags
}

@test "names that only look like ours" {
  same "global=$NCCL" default=ncclCommWindowRegisterX default=ncclCommWindowRegiste default=ncclCommWindow \
    handle=ncclDevCommCreat handle=ncclDevCommDestroy handle=ncclCommWindowDeregister_ default=dlsymm
}

@test "pncclX is NCCL's own: the way round us" {
  same "local=$NCCL" handle=pncclCommWindowRegister handle=pncclCommWindowDeregister handle=pncclDevCommCreate
}

@test "a name that nobody has stays NULL, with dlerror set" {
  same default=ncclCommWindowRegister default=ncclCommWindowDeregister default=ncclDevCommCreate \
    default=ncclCommDestroy default=ncclCommAbort
}

@test "a name that nobody has stays NULL by the program's own handle" {
  same self=ncclCommWindowRegister self=ncclDevCommCreate
}

@test "a name that this library has not stays NULL, with dlerror set" {
  same local=libm.so.6 handle=ncclCommWindowRegister "local=$FAKE/2.26.2/libnccl.so.2" handle=ncclCommWindowRegister
}

@test "RTLD_DEFAULT stays NULL when the only NCCL is RTLD_LOCAL" {
  same "local=$NCCL" default=ncclCommWindowRegister default=ncclCommDestroy
}

@test "RTLD_DEFAULT stays NULL after NCCL was unloaded" {
  same "local=$NCCL" handle=ncclGetVersion close default=ncclCommWindowRegister
}

@test "RTLD_DEFAULT gives our function when NCCL is in the global scope" {
  ours "global=$NCCL" default=ncclCommWindowRegister
  ours "global=$NCCL" default=ncclDevCommCreate
}

@test "RTLD_DEFAULT from a library that alone sees its RTLD_LOCAL NCCL gives our function, which reaches that copy" {
  run "$LOADER" "default:$FAKE/libplugin.so"
  printed "libplugin.so flags=2 registrations=1 deregistrations=1"
  shim "$LOADER" "default:$FAKE/libplugin.so" "default:$FAKE/libplugin-x.so"
  printed "libplugin.so flags=0 registrations=1 deregistrations=1" "libplugin-x.so flags=0 registrations=1 deregistrations=1"
}

@test "a handle of NCCL gives our function for each name that we wrap" {
  for name in ncclCommWindowRegister ncclCommWindowDeregister ncclDevCommCreate ncclCommDestroy ncclCommAbort; do
    ours "local=$NCCL" "handle=$name"
  done
}

@test "a handle of a library that holds NCCL gives our function" {
  ours "local=$FAKE/libbig.so" handle=ncclCommWindowRegister
}

@test "a handle of a library that needs NCCL gives our function" {
  ours "local=$FAKE/libplugin.so" handle=ncclCommWindowRegister
}

@test "the program's own handle gives our function when NCCL is in the global scope" {
  ours "global=$NCCL" self=ncclCommWindowRegister
}

@test "the same look-up twice gives the same answer" {
  for name in ncclCommWindowRegister ncclCommDestroy; do
    shim "$LOOKUP" "local=$NCCL" "handle=$name" "handle=$name" "handle=$name"
    equals 1 "$(sort -u <<<"$output" | wc -l)"
    [[ $output == *libwinord* ]] || { show; false; }
  done
}

@test "the same look-up of a missing name twice is NULL twice" {
  same default=ncclCommWindowRegister default=ncclCommWindowRegister
}

@test "dlerror is clean after a successful look-up" {
  same "local=$NCCL" handle=ncclGetVersion error
  shim "$LOOKUP" "local=$NCCL" handle=ncclCommWindowRegister error
  equals "error=no" "${lines[-1]}"
}

@test "dlerror has one word after a failed look-up, then none" {
  same default=ncclCommWindowRegister error error
}

@test "dlvsym is untouched" {
  same "local=$NCCL" version=ncclCommWindowRegister version=ncclGetVersion
}

@test "RTLD_NEXT in other libraries finds what follows them" {
  for program in "$CHAIN" "$CHAIN-O0"; do
    shim "$program"
    printed "value=11 value=11 missing=1"
  done
}

@test "RTLD_NEXT of NCCL's name in another interposer finds the shim or NCCL, never itself" {
  for other in libother.so libother-O0.so; do
    for order in "$SHIM $BESIDE/$other" "$BESIDE/$other $SHIM"; do
      rm -f "$LOG"
      PRELOAD=$order TIME_LIMIT=10 shim "$CLIENT" plt reg=2 reg=2
      printed "register result=0 flags=0x0 win=set errno=0" "register result=0 flags=0x0 win=set errno=0" "other: 2 calls"
      equals 2 "$(records register | wc -l)"
    done
  done
}

@test "a look-up in a destructor of a library works" {
  shim "$FAKE/late"
  equals "late result=0 flags=0" "$output"
}

@test "the library without the hook leaves dlsym alone, and wraps calls by name" {
  preload_only "a library of its own"
  local nodlsym
  nodlsym=$(shim_path libwinord-nodlsym.so)
  PRELOAD=$nodlsym shim "$LOOKUP" "local=$NCCL" handle=ncclCommWindowRegister
  equals "handle=ncclCommWindowRegister libnccl.so.2 error=no" "$output"
  PRELOAD=$nodlsym shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x0 win=set errno=0"
}
