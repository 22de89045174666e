#!/usr/bin/env bats
# Every way in which a program reaches ncclCommWindowRegister is decided and journalled.

load ../helpers
setup() { setup_shim; }

# decided ROUTE: one registration, asked strict, made relaxed, journalled with this route.
decided() {
  printed "register result=0 flags=0x0 win=set errno=0"
  equals "[\"$1\",2,0,\"rewritten\",0]" "$(records register '[.route, .flags_in, .flags_out, .verdict, .result]')"
}

@test "a call bound at link time" {
  shim "$CLIENT" plt reg=2
  decided plt
}

@test "a call bound when the program starts (-z now)" {
  shim "$FAKE/client-now" plt reg=2
  decided plt
}

@test "a library linked to NCCL and loaded RTLD_LOCAL, as PyTorch is" {
  shim "$LOADER" "local:$FAKE/libplugin.so"
  printed "libplugin.so flags=0 registrations=1 deregistrations=1"
  equals '["plt","rewritten","2.30.7"]' "$(records register '[.route, .verdict, .nccl]')"
  equals "\"$FAKE/libplugin.so\"" "$(records register .caller)"
}

@test "a library linked to NCCL and loaded RTLD_GLOBAL" {
  shim "$LOADER" "global:$FAKE/libplugin.so"
  printed "libplugin.so flags=0 registrations=1 deregistrations=1"
}

@test "dlopen and dlsym of the handle, as XLA does" {
  shim "$CLIENT_DL" "handle:$NCCL" reg=2
  decided dlsym
}

@test "dlsym of RTLD_DEFAULT with NCCL linked" {
  shim "$CLIENT" default reg=2
  printed "register result=0 flags=0x0 win=set errno=0"
  equals '"rewritten"' "$(records register .verdict)"
}

@test "dlsym of RTLD_DEFAULT after dlopen with RTLD_GLOBAL" {
  shim "$CLIENT_DL" "global:$NCCL" reg=2
  printed "register result=0 flags=0x0 win=set errno=0"
  equals '"rewritten"' "$(records register .verdict)"
}

@test "Python's ctypes, as vLLM does" {
  shim python3 "$BATS_TEST_DIRNAME/client.py" "$NCCL"
  printed "register result=0 flags=0x0"
  equals '["dlsym","rewritten","2.30.7"]' "$(records register '[.route, .verdict, .nccl]')"
}

@test "a caller by ctypes is the foreign-function library" {
  shim python3 "$BATS_TEST_DIRNAME/client.py" "$NCCL"
  [[ $(records register .caller) == *ffi* ]] || { show; false; }
}

@test "NCCL built into another library, which calls itself" {
  shim "$LOADER" "local:$FAKE/libbig.so"
  printed "libbig.so flags=0 registrations=1 deregistrations=1"
  equals "[\"plt\",\"rewritten\",\"2.29.7\",\"$FAKE/libbig.so\"]" \
    "$(records register '[.route, .verdict, .nccl, .nccl_path]')"
}

@test "NCCL built into another library, which a program calls" {
  shim "$FAKE/client-big" plt reg=2
  decided plt
}

@test "a call that another preloaded library passes on by RTLD_NEXT" {
  PRELOAD="$BESIDE/libother.so $SHIM" shim "$CLIENT" plt reg=2
  equals "register result=0 flags=0x0 win=set errno=0
other: 1 calls" "$output"
  equals '"rewritten"' "$(records register .verdict)"
}

@test "the program's file and NCCL's file stand in the record, by the copy's own word" {
  shim "$CLIENT" plt reg=2
  equals "[\"$CLIENT\",\"$CLIENT\",\"2.30.7\"]" "$(records register '[.exe, .caller, .nccl]')"
  [[ $(records register .nccl_path | tr -d '"') -ef $NCCL ]] || { show; false; }
}

@test "what the program prints is the same with and without the shim, the flags apart" {
  for operations in "reg=2 dereg" "reg=0 reg=1 dereg destroy" "group reg=2 groupend" "devcomm=1 devdestroy abort"; do
    # shellcheck disable=SC2086 # words
    run "$CLIENT" plt $operations
    plain=${output//flags=0x2/flags=0x0}
    # shellcheck disable=SC2086
    shim "$CLIENT" plt $operations
    equals "$plain" "$output"
    equals "" "$stderr"
  done
}

@test "a program without NCCL prints nothing of ours and leaves no file" {
  shim /bin/echo hello
  printed hello
  equals "" "$stderr"
  [[ ! -e $LOG ]]
}

@test "a program without NCCL never opens a file of ours" {
  command -v strace >/dev/null || lacking "strace"
  run strace -f -o "$BATS_TEST_TMPDIR/trace" env LD_PRELOAD="$SHIM" /bin/true
  [[ $status -eq 0 ]] || lacking "permission to trace"
  run grep -E 'policy\.conf|journal|facts\.ini|/sys/|/proc/' "$BATS_TEST_TMPDIR/trace"
  equals "" "$output"
}

@test "a program that has NCCL but registers nothing writes nothing without uncovered copies" {
  shim "$CLIENT" plt
  printed ""
  equals "" "$stderr"
  [[ ! -e $LOG ]] || equals "" "$(records register)"
}

@test "a static copy of NCCL with hidden names is out of reach: no record, no crash" {
  shim "$LOADER" "local:$FAKE/libbig-hidden.so"
  printed "libbig-hidden.so flags=2 registrations=1 deregistrations=1"
  [[ ! -e $LOG ]] || equals "" "$(records register)"
}

@test "started as an argument of the dynamic linker: a rule's exe and caller are the program's" {
  local linker
  linker=$(readelf -l "$CLIENT" | sed -n 's/.*interpreter: \(.*\)]$/\1/p')
  printf '[winord]\nversion = 1\n[rule r]\nexe = client\ncaller = *client\nordering = relaxed\naccept-hazard = yes\n' >"$WINORD_CONF"
  shim "$linker" "$CLIENT" plt reg=2
  decided plt
  equals "[\"$CLIENT\",\"$CLIENT\"]" "$(records register '[.exe, .caller]')"
}
