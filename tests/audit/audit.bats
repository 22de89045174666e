#!/usr/bin/env bats
# The audit library: what it sees that the preload does not, what it does not see, and what it costs others.

# shellcheck disable=SC2154,SC2016 # set by bats; the started shell's own variables
load ../helpers
setup() {
  export WINORD_ROUTE=audit
  setup_shim
}

# decided COUNT: as many registrations, all relaxed by this route, and no copy out of reach.
decided() {
  equals "$1" "$(records register 'select(.route == "audit" and .verdict == "rewritten" and .flags_out == 0)' | grep -c .)"
  equals "" "$(records uncovered)"
}

@test "a library with its own NCCL, loaded RTLD_DEEPBIND" {
  shim "$LOADER" "deepbind:$FAKE/libplugin.so" "local:$FAKE/libplugin-x.so"
  printed "libplugin.so flags=0 registrations=1 deregistrations=1" "libplugin-x.so flags=0 registrations=1 deregistrations=1"
  decided 2
  equals "\"$FAKE/libplugin.so\"" "$(records register .caller | head -1)"
}

@test "libraries in namespaces of their own (dlmopen), each with its NCCL" {
  shim "$LOADER" "newlm:$FAKE/libplugin.so" "newlm:$FAKE/libplugin-x.so" "newlm:$FAKE/libplugin.so"
  equals 3 "$(grep -c 'flags=0 registrations=1 deregistrations=1' <<<"$output")"
  decided 3
  equals '["2.30.7","2.29.7","2.30.7"]' "$(records register .nccl | jq -sc .)"
}

@test "NCCL in another namespace by its handle, first called by 8 threads" {
  shim "$CLIENT_DL" "newlm:$NCCL" threads=8,50
  printed "threads registrations=400"
  decided 400
}

@test "a program bound when it starts (-z now), and a library so bound within its own scope" {
  shim "$FAKE/client-now" plt reg=2 dereg destroy
  printed "register result=0 flags=0x0 win=set errno=0" "deregister result=0 errno=0" "destroy result=0 errno=0"
  decided 1
}

@test "Python's ctypes, also with RTLD_DEEPBIND" {
  sed 's/CDLL(sys.argv\[1\])/CDLL(sys.argv[1], 8)/' "$BATS_TEST_DIRNAME/../routes/client.py" >"$BATS_TEST_TMPDIR/deep.py"
  shim python3 "$BATS_TEST_TMPDIR/deep.py" "$NCCL"
  printed "register result=0 flags=0x0"
  decided 1
}

@test "calls by an address in the caller's data (-fno-plt) pass by, and an uncovered record says so" {
  shim "$FAKE/client-noplt" plt reg=2
  printed "register result=0 flags=0x2 win=set errno=0"
  equals "[\"bound_past_us\",\"$FAKE/client-noplt\"]" "$(records uncovered '[.why, .by]')"
}

@test "where a communicator's end can pass by, nothing is remembered of one" {
  shim "$FAKE/client-end" plt comm=3/16 reg=2 devcomm=1 reg=2 destroy comm=0/2 reg=2
  equals '[[3,16,null],[3,16,null],[0,2,null]]' \
    "$(records register '[.rank, .nranks, (.gin_connection | select(. != "unknown")) // null]' | jq -sc .)"
}

@test "what the program sets in its environment before the first call counts" {
  shim "$CLIENT" plt setenv=WINORD_DRY_RUN=1 reg=2
  printed "register result=0 flags=0x2 win=set errno=0"
  equals '"dry_run"' "$(records register .verdict)"
}

@test "with the preload as well, that one decides, once, and a line says so" {
  run --separate-stderr env LD_PRELOAD="$SHIM" LD_AUDIT="$AUDIT" "$CLIENT" plt reg=2 reg=2
  equals 2 "$(grep -c 'flags=0x0' <<<"$output")"
  [[ $(records register .route | xargs) == "plt plt" ]] || { show; false; }
  equals "winord: libwinord.so is preloaded as well: libwinord-audit.so leaves the calls to it" "$stderr"
}

@test "an older glibc is refused, in one line" {
  run --separate-stderr python3 -c "import ctypes; print(ctypes.CDLL('$AUDIT').la_version(1))"
  printed 0
  equals "winord: libwinord-audit.so needs glibc 2.35 or later: no call will be seen" "$stderr"
}

@test "a program without NCCL: nothing is said, written, or opened" {
  shim /bin/echo hello
  printed hello
  equals "" "$stderr"
  [[ ! -e $LOG ]]
  command -v strace >/dev/null || lacking "strace"
  run strace -o "$BATS_TEST_TMPDIR/trace" env LD_AUDIT="$AUDIT" /bin/true
  [[ $status -eq 0 ]] || lacking "permission to trace"
  equals "" "$(grep -E 'policy\.conf|journal|facts\.ini|/sys/|/proc/(mounts|self/maps)' "$BATS_TEST_TMPDIR/trace" || true)"
}

@test "winord run --audit: in place of the preload, beside what else is there" {
  local winord=$WINORD_BUILD/winord
  run --separate-stderr env TMPDIR="$BATS_TEST_TMPDIR" LD_PRELOAD="$SHIM:$BESIDE/libother.so" GLIBC_TUNABLES=glibc.malloc.check=0 \
    "$winord" run --audit -- sh -c 'echo "$LD_PRELOAD $LD_AUDIT $GLIBC_TUNABLES"'
  [[ $output == "$BESIDE/libother.so /"*"/libwinord-audit.so glibc.malloc.check=0:glibc.rtld.optional_static_tls=4096" ]] || { show; false; }
  run --separate-stderr "$winord" run --audit --expect=relaxed -c "$WINORD_CONF" -- "$LOADER" "newlm:$FAKE/libplugin.so"
  printed "libplugin.so flags=0 registrations=1 deregistrations=1"
  run --separate-stderr "$winord" run --audit --no-dlsym -- true
  equals 2 "$status"
}
