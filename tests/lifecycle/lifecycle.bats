#!/usr/bin/env bats
# A process from its first window to its end: threads, fork, exec, exit handlers, and the switches that make us inert.

load ../helpers
setup() { setup_shim; }

@test "WINORD_DISABLE=1: nothing is changed, nothing is written" {
  WINORD_DISABLE=1 shim "$CLIENT" plt reg=2 dereg
  printed "register result=0 flags=0x2 win=set errno=0" "deregister result=0 errno=0"
  equals "" "$stderr"
  [[ ! -e $LOG ]]
}

@test "WINORD_DISABLE=1 by dlsym: nothing is changed, nothing is written" {
  WINORD_DISABLE=1 shim "$CLIENT_DL" "handle:$NCCL" reg=2
  printed "register result=0 flags=0x2 win=set errno=0"
  [[ ! -e $LOG ]]
}

@test "WINORD_DISABLE and WINORD_DRY_RUN: any value but 0 and the empty one means on" {
  for on in 1 true yes on 00; do
    WINORD_DISABLE=$on shim "$CLIENT" plt reg=2
    printed "register result=0 flags=0x2 win=set errno=0"
    [[ ! -e $LOG ]] || { show; false; }
    WINORD_DRY_RUN=$on shim "$CLIENT" plt reg=2
    printed "register result=0 flags=0x2 win=set errno=0"
    equals '"dry_run"' "$(records register .verdict)"
    rm "$LOG"
  done
  for off in 0 ''; do
    WINORD_DISABLE=$off WINORD_DRY_RUN=$off shim "$CLIENT" plt reg=2
    printed "register result=0 flags=0x0 win=set errno=0"
    equals '"rewritten"' "$(records register .verdict)"
    rm "$LOG"
  done
}

@test "WINORD_DRY_RUN=1: NCCL gets what the program asked, and the record what it would have got" {
  WINORD_DRY_RUN=1 shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x2 win=set errno=0"
  equals '["dry_run",2,2,0]' "$(records register '[.verdict, .flags_in, .flags_out, .flags_would]')"
}

@test "WINORD_DRY_RUN=1 where nothing would change: passed" {
  WINORD_DRY_RUN=1 shim "$CLIENT" plt reg=0
  equals '["passed",0]' "$(records register '[.verdict, .flags_out]')"
}

@test "WINORD_DRY_RUN=1 counts as such in the exit record" {
  WINORD_DRY_RUN=1 shim "$CLIENT" plt reg=2
  equals '[1,0]' "$(records exit '[.registrations, .rewritten]')"
}

@test "the environment is read once, at the first window call" {
  shim "$CLIENT" plt reg=2 setenv=WINORD_DISABLE=1 setenv=WINORD_LOG=/nonexistent/x reg=2
  printed "register result=0 flags=0x0 win=set errno=0" "register result=0 flags=0x0 win=set errno=0"
  equals 2 "$(records register | wc -l)"
}

@test "a policy that changes meanwhile is not read again" {
  policy keep
  shim "$CLIENT" plt reg=2 "touch=$WINORD_CONF" reg=2
  equals 2 "$(records register 'select(.verdict == "passed")' | wc -l)"
}

@test "threads: 8 threads, 1000 registrations each" {
  shim "$CLIENT" plt threads=8,1000
  printed "threads registrations=8000"
  equals 8000 "$(records register | wc -l)"
  equals 8000 "$(records exit .registrations)"
}

@test "a thread that is cancelled during the first registration: later ones go on" {
  TIME_LIMIT=10 shim "$CLIENT" plt cancelled reg=2
  equals "register result=0 flags=0x0 win=set errno=0" "${lines[1]}"
  equals 0 "$status"
}

@test "a constructor that waits for a thread that registers the first window" {
  TIME_LIMIT=10 shim "$LOOKUP" "local=$FAKE/libconstructor.so" default=getpid
  printed "constructor result=0 flags=0" "default=getpid libc.so.6 error=no"
}

@test "fork while 8 threads register, the children register too: nobody hangs" {
  ulimit -f 300000
  TIME_LIMIT=30 shim "$CLIENT" plt forks=200
  printed "forks failed=0"
}

@test "fork while 8 threads register through thunks" {
  ulimit -f 300000
  TIME_LIMIT=30 shim "$CLIENT_DL" "handle:$NCCL" forks=100
  printed "forks failed=0"
}

@test "a forked child has a start and an exit record of its own, and its own counts" {
  shim "$CLIENT" plt reg=2 reg=2 fork reg=2
  equals 2 "$(records start | wc -l)"
  equals 2 "$(records exit | wc -l)"
  equals '[1,3]' "$(records exit .registrations | sort -n | jq -sc .)"
  equals 2 "$(records start .pid | sort -u | wc -l)"
}

@test "a forked child that registers nothing writes nothing" {
  shim "$CLIENT" plt reg=2 fork quit=0
  equals 1 "$(records start | wc -l)"
}

@test "a child forked before the first window starts afresh" {
  shim "$CLIENT" plt fork reg=2
  equals '[1,1]' "$(records exit .registrations | jq -sc .)"
}

@test "each process numbers its records from 1 without a gap" {
  shim "$CLIENT" plt reg=2 fork reg=2 reg=2
  journal '[.pid, .seq]' | jq -se 'group_by(.[0]) | all(.[]; map(.[1]) as $s | $s == [range(1; ($s | length) + 1)])' || { show; false; }
}

@test "exec: the new program starts afresh" {
  shim "$CLIENT" plt reg=2 exec reg=2
  printed "register result=0 flags=0x0 win=set errno=0" "register result=0 flags=0x0 win=set errno=0"
  equals 2 "$(records start | wc -l)"
}

@test "posix_spawn of a program without NCCL" {
  shim "$CLIENT" plt reg=2 spawn=true reg=2
  printed "register result=0 flags=0x0 win=set errno=0" "spawn status=0" "register result=0 flags=0x0 win=set errno=0"
  equals 1 "$(records start | wc -l)"
}

@test "Python's multiprocessing, by fork and by spawn" {
  for method in fork spawn; do
    rm -f "$LOG"
    shim python3 "$BATS_TEST_DIRNAME/workers.py" "$method" "$NCCL"
    printed "0x0" "0x0" "0x0"
    equals 3 "$(records register .pid | sort -u | wc -l)"
  done
}

@test "an exit handler that registers a window" {
  shim "$CLIENT" plt reg=2 atexit
  printed "register result=0 flags=0x0 win=set errno=0" "register result=0 flags=0x0 win=set errno=0"
}

@test "an exit handler that registers the first window" {
  shim "$CLIENT" plt atexit
  printed "register result=0 flags=0x0 win=set errno=0"
  equals 1 "$(records register | wc -l)"
}

@test "a destructor of a library that registers a window" {
  shim "$FAKE/late"
  equals "late result=0 flags=0" "$output"
  equals 1 "$(records register | wc -l)"
  equals 0 "$status"
}

@test "the exit record's counts add up" {
  printf '[winord]\nversion = 1\n[rule small]\nmax-size = 4096\nordering = relaxed\naccept-hazard = yes\n[rule middle]\nmax-size = 8192\nordering = relaxed\n' \
    >"$WINORD_CONF"
  shim "$CLIENT" plt reg=2,4096 reg=2,8192 reg=2,8192 reg=2,65536 reg=2,65536 reg=2,65536
  equals '[6,1,2,3]' "$(records exit '[.registrations, .rewritten, .refused, .passed]')"
}

@test "no exit record where no window was registered" {
  shim "$CLIENT" plt
  [[ ! -e $LOG ]] || equals "" "$(records exit)"
}

@test "a program that ends by a signal ends by that signal" {
  run --separate-stderr env LD_PRELOAD="$SHIM" "$CLIENT" plt reg=2 kill=15
  equals 143 "$status"
}

@test "the exit status is the program's" {
  shim "$CLIENT" plt reg=2 quit=7
  equals 7 "$status"
}

@test "no descriptor is left open" {
  run "$CLIENT" plt reg=2 fds
  plain=${lines[-1]}
  shim "$CLIENT" plt reg=2 fds
  equals "$plain" "${lines[-1]}"
}

@test "with raised privileges (AT_SECURE) our variables are ignored" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  local folder=$BATS_TEST_TMPDIR/secure
  mkdir "$folder"
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* "$BATS_TEST_TMPDIR" "$folder"
  cp "$WINORD_BUILD/libwinord.so" "$NCCL" "$folder/"
  # Linked in before NCCL, since the dynamic linker takes no LD_PRELOAD for such a program.
  "${CC:-cc}" -std=gnu11 -I"$BATS_TEST_DIRNAME/../fake" -o "$folder/client" "$BATS_TEST_DIRNAME/../fake/client.c" \
    -L"$folder" -Wl,--no-as-needed -l:libwinord.so -l:libnccl.so.2 -Wl,-rpath,"$folder" -ldl -pthread
  LOG=$folder/journal
  chmod 777 "$folder"
  as_nobody() {
    run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups env WINORD_LOG="$LOG" WINORD_CONF="$WINORD_CONF" \
      "$folder/client" plt reg=2
  }
  chmod 644 "$WINORD_CONF"
  as_nobody
  printed "register result=0 flags=0x0 win=set errno=0"
  equals 1 "$(records register | wc -l)"
  rm "$LOG"
  chmod 4755 "$folder/client"
  as_nobody
  [[ $status -eq 0 ]] || skip "setuid programs do not run here"
  printed "register result=0 flags=0x2 win=set errno=0"
  [[ ! -e $LOG ]] || { show; false; }
}
