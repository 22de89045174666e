#!/usr/bin/env bats
# Several copies of NCCL in one process: each call reaches its own, and what we cannot cover is said.

load ../helpers
setup() {
  setup_shim
  CROSSED=$WINORD_BUILD/tests/copies/crossed
}

@test "two copies, one linked and one opened by path: each gets its own calls" {
  cp "$FAKE/2.29.7/libnccl.so.2" "$BATS_TEST_TMPDIR/second.so"
  shim "$FAKE/two" "$BATS_TEST_TMPDIR/second.so"
  printed "linked flags=0x0 registrations=1" "opened flags=0x0 registrations=1" \
    "linked flags=0x0 registrations=2" "opened flags=0x0 registrations=2"
  equals '"2.30.7"
"2.29.7"
"2.30.7"
"2.29.7"' "$(records register .nccl)"
}

@test "the copies' routes and paths stand in the records" {
  cp "$FAKE/2.29.7/libnccl.so.2" "$BATS_TEST_TMPDIR/second.so"
  shim "$FAKE/two" "$BATS_TEST_TMPDIR/second.so"
  equals '["plt","libnccl.so.2"]
["dlsym","second.so"]' "$(records register '[.route, (.nccl_path | split("/") | last)]' | head -2)"
}

@test "libraries with copies of their own, all RTLD_LOCAL" {
  shim "$LOADER" "local:$FAKE/libplugin.so" "local:$FAKE/libplugin-x.so" "local:$FAKE/libbig.so"
  printed "libplugin.so flags=0 registrations=1 deregistrations=1" \
    "libplugin-x.so flags=0 registrations=1 deregistrations=1" \
    "libbig.so flags=0 registrations=1 deregistrations=1"
  equals '"2.30.7"
"2.29.7"
"2.29.7"' "$(records register .nccl)"
}

@test "libraries with copies of their own, in the other order" {
  shim "$LOADER" "local:$FAKE/libbig.so" "local:$FAKE/libplugin-x.so" "local:$FAKE/libplugin.so"
  printed "libbig.so flags=0 registrations=1 deregistrations=1" \
    "libplugin-x.so flags=0 registrations=1 deregistrations=1" \
    "libplugin.so flags=0 registrations=1 deregistrations=1"
}

@test "NCCL deregisters a window of its own in an RTLD_LOCAL copy" {
  shim "$LOADER" "local:$FAKE/libplugin.so"
  printed "libplugin.so flags=0 registrations=1 deregistrations=1"
}

@test "NCCL deregisters a window of its own by a jump in place of a call" {
  shim "$LOADER" "local:$FAKE/libplugin-tail.so"
  printed "libplugin-tail.so flags=0 registrations=1 deregistrations=1"
}

@test "NCCL deregisters by a jump with another copy loaded: it never fails" {
  shim "$LOADER" "local:$FAKE/libplugin-x.so" "local:$FAKE/libplugin-tail.so"
  printed "libplugin-x.so flags=0 registrations=1 deregistrations=1" \
    "libplugin-tail.so flags=0 registrations=1 deregistrations=1"
}

@test "eight copies opened by path: each gets its own calls, all decided" {
  shim "$FAKE/many" "$FAKE"/copy[1-8]/libnccl.so.2
  equals 8 "$(grep -c 'flags=0x0 registrations=1' <<<"$output")"
  equals "" "$(records uncovered)"
}

@test "more copies than thunks: the calls pass by, and an uncovered record says so" {
  shim "$FAKE/many" "$FAKE"/copy{1,2,3,4,5,6,7,8,9,10}/libnccl.so.2
  equals 10 "$(grep -c 'registrations=1' <<<"$output")"
  equals 8 "$(grep -c 'flags=0x0' <<<"$output")"
  equals 2 "$(grep -c 'flags=0x2' <<<"$output")"
  [[ $(records uncovered | wc -l) -ge 1 ]] || { show; false; }
}

@test "a copy opened with RTLD_DEEPBIND and used by handle is decided" {
  shim "$CLIENT_DL" "deepbind:$NCCL" reg=2
  printed "register result=0 flags=0x0 win=set errno=0"
}

@test "a library with its copy, loaded RTLD_DEEPBIND, passes us by: no crash, and an uncovered record" {
  preload_only "passed by"
  shim "$LOADER" "deepbind:$FAKE/libplugin.so"
  printed "libplugin.so flags=2 registrations=1 deregistrations=1"
  [[ $(records uncovered | wc -l) -ge 1 ]] || { show; false; }
}

@test "a library in another namespace (dlmopen) passes us by: no crash, and an uncovered record" {
  preload_only "passed by"
  shim "$LOADER" "newlm:$FAKE/libplugin.so"
  printed "libplugin.so flags=2 registrations=1 deregistrations=1"
  [[ $(records uncovered | wc -l) -ge 1 ]] || { show; false; }
}

@test "NCCL itself in another namespace, used by handle: no crash" {
  shim "$CLIENT_DL" "newlm:$NCCL" reg=2
  [[ $output == "register result=0 flags=0x"[02]" win=set errno=0" ]] || { show; false; }
}

@test "a covered and an uncovered copy: the covered one is decided" {
  preload_only "passed by"
  shim "$LOADER" "local:$FAKE/libplugin.so" "deepbind:$FAKE/libplugin-x.so"
  printed "libplugin.so flags=0 registrations=1 deregistrations=1" \
    "libplugin-x.so flags=2 registrations=1 deregistrations=1"
  [[ $(records uncovered | wc -l) -ge 1 ]] || { show; false; }
}

@test "one ordinary copy is never called uncovered" {
  shim "$CLIENT" plt reg=2
  equals "" "$(records uncovered)"
  shim "$CLIENT_DL" "handle:$NCCL" reg=2
  equals "" "$(records uncovered)"
  shim "$LOADER" "local:$FAKE/libplugin.so"
  equals "" "$(records uncovered)"
}

@test "a copy that is closed and another opened in its place: the calls reach the new one, and it is named" {
  shim "$CLIENT_DL" "handle:$FAKE/copy1/libnccl.so.2" reg=2 "reopen=$FAKE/2.29.7/libnccl.so.2" reg=2 dereg \
    "reopen=$FAKE/2.32.3/libnccl.so.2" reg=2
  printed "register result=0 flags=0x0 win=set errno=0" "register result=0 flags=0x0 win=set errno=0" \
    "deregister result=0 errno=0" "register result=0 flags=0x0 win=set errno=0"
  equals '["2.30.7","2.29.7","2.32.3"]' "$(records register .nccl | jq -sc .)"
}

@test "twenty copies opened and closed one after another: none is called after it is gone" {
  local operations=(reg=2)
  for n in {1..10} {1..10}; do
    operations+=("reopen=$FAKE/copy$n/libnccl.so.2" reg=2)
  done
  shim "$CLIENT_DL" "handle:$NCCL" "${operations[@]}"
  equals 0 "$status"
  equals 21 "$(grep -c 'register result=0 flags=0x[02] win=set' <<<"$output")"
}

@test "without WINORD_CONF and WINORD_LOG an uncovered copy that is alone is not looked for" {
  preload_only "passed by"
  unset WINORD_CONF WINORD_LOG
  shim "$LOADER" "deepbind:$FAKE/libplugin.so"
  printed "libplugin.so flags=2 registrations=1 deregistrations=1"
  equals "" "$stderr"
}

@test "the start record names the copies" {
  shim "$CLIENT" plt reg=2
  [[ $(records start) == *libnccl.so.2* ]] || { show; false; }
}

@test "no second copy is ever loaded" {
  shim "$LOADER" "local:$FAKE/libplugin.so"
  run --separate-stderr env LD_PRELOAD="$SHIM" LD_DEBUG=files "$LOADER" "local:$FAKE/libplugin.so"
  equals 1 "$(grep -c 'calling init:.*libnccl' <<<"$stderr")"
}

@test "a library that jumps to NCCL in place of a call, beside another copy: the calls reach its own, whoever makes them" {
  for user in main other; do
    shim "$CROSSED" "$FAKE/libthin-a.so" "$FAKE/libthin-b-silent.so" "$user"
    printed "results=0 counts=101,0"
    equals '["copy1","rewritten"]' "$(records register '[(.nccl_path | split("/")[-2]), .verdict]')"
    rm "$LOG"
  done
}

@test "two libraries that jump to NCCL in place of a call, each with its copy: the program's calls never reach the other's" {
  for order in "a b" "b a"; do
    shim "$CROSSED" "$FAKE/libthin-${order% *}.so" "$FAKE/libthin-${order#* }.so" main
    [[ $output == "results=0 counts=101,0" || $output == "results=4 counts=0,0" ]] || { show; false; }
    equals 0 "$status"
  done
}

@test "other threads unload and load copies during the first call and at the end: no crash" {
  TIME_LIMIT=30 shim "$WINORD_BUILD/tests/copies/churn" 150 "$FAKE"/copy[1-4]/libnccl.so.2 "$FAKE/libncclx.so.1"
  printed "churn failed=0"
}

@test "NCCL preloaded before us: what RTLD_DEFAULT gives is decided" {
  PRELOAD="$BESIDE/libnccl.so.2 $SHIM" shim "$CLIENT_DL" default reg=2
  printed "register result=0 flags=0x0 win=set errno=0"
  equals '["rewritten","dlsym"]' "$(records register '[.verdict, .route]')"
}
