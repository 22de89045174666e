#!/usr/bin/env bats
# The journal where others may put files: what is not plainly ours is not written, one line says so, the program runs on.

load common
setup() {
  setup_shim
  open_folder
  LOG=$OPEN/journal
  export WINORD_LOG=$LOG
}

# refused: the program ran on as decided, and one line says that the journal is not written.
refused() {
  TIME_LIMIT=10 shim "$CLIENT" plt reg=2 reg=2
  printed "$ok" "$ok"
  equals "winord: cannot write the journal $LOG: $1; records are lost" "$stderr"
}
planted="no plain file of its own, in a folder that everybody may write"

@test "in a world-writable folder a new journal is the process's own, and others cannot write it" {
  umask 0
  shim "$CLIENT" plt reg=2
  printed "$ok"
  equals "$(id -u) 644 1" "$(stat -c '%u %a %h' "$LOG")"
}

@test "our own journal there is appended to" {
  shim "$CLIENT" plt reg=2
  shim "$CLIENT" plt reg=2
  equals 2 "$(records start | wc -l)"
}

@test "a symbolic link is not followed, dangling or not" {
  echo precious >"$BATS_TEST_TMPDIR/target"
  ln -s "$BATS_TEST_TMPDIR/target" "$LOG"
  refused "Too many levels of symbolic links"
  equals precious "$(cat "$BATS_TEST_TMPDIR/target")"
  ln -sfn "$BATS_TEST_TMPDIR/new" "$LOG"
  refused "Too many levels of symbolic links"
  [[ ! -e $BATS_TEST_TMPDIR/new ]]
}

@test "a hard link: the file it is meant for stays as it was" {
  echo precious >"$BATS_TEST_TMPDIR/target"
  ln "$BATS_TEST_TMPDIR/target" "$LOG"
  refused "$planted"
  equals precious "$(cat "$BATS_TEST_TMPDIR/target")"
}

@test "a FIFO with a reader: nothing is told to whoever reads" {
  mkfifo -m 666 "$LOG"
  timeout 20 cat "$LOG" >"$BATS_TEST_TMPDIR/told" 3>&- &
  local reader=$!
  exec 9<>"$LOG" # so that the reader is through its open
  refused "$planted"
  exec 9>&-
  wait "$reader"
  [[ ! -s $BATS_TEST_TMPDIR/told ]]
}

@test "a device" {
  mknod -m 666 "$LOG" c 1 3 2>/dev/null && : >"$LOG" || skip "needs root, and devices on this file system"
  refused "$planted"
}

@test "somebody else's file" {
  somebody install -m 666 /dev/null "$LOG"
  # Linux may refuse it by itself (fs.protected_regular), to the file's creation.
  TIME_LIMIT=10 shim "$CLIENT" plt reg=2
  printed "$ok"
  [[ $stderr == "winord: cannot write the journal $LOG: "*"; records are lost" ]] || { show; false; }
  [[ ! -s $LOG ]]
}

@test "somebody else's file in a folder that is not sticky, which Linux does not protect" {
  chmod 777 "$OPEN"
  somebody install -m 666 /dev/null "$LOG"
  refused "$planted"
  [[ ! -s $LOG ]]
}

@test "root's file there, opened to all, is written" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  chmod 777 "$OPEN"
  install -m 666 /dev/null "$LOG"
  shim "$CLIENT" plt uid=65534 reg=2
  printed "$ok"
  equals 1 "$(records register | wc -l)"
}

@test "in a folder that not everybody may write, a FIFO, a device and another's file are whatever their owner wants" {
  chmod 755 "$OPEN"
  WINORD_LOG=/dev/null shim "$CLIENT" plt reg=2
  printed "$ok"
  equals "" "$stderr"
  if [[ $(id -u) -eq 0 ]]; then
    install -o 65534 -m 644 /dev/null "$LOG"
    shim "$CLIENT" plt reg=2
    equals 1 "$(records register | wc -l)"
  fi
}

@test "%q{VAR} may hold slashes: the file is opened with the process's rights, no others" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  mkdir -m 700 "$BATS_TEST_TMPDIR/roots"
  NAME=../roots/journal WINORD_LOG="$OPEN/%q{NAME}" shim "$CLIENT" plt uid=65534 reg=2
  printed "$ok"
  [[ $stderr == *"Permission denied; records are lost" ]] || { show; false; }
  NAME=../roots/journal WINORD_LOG="$OPEN/%q{NAME}" shim "$CLIENT" plt reg=2
  [[ -s $BATS_TEST_TMPDIR/roots/journal ]]
}

@test "%q{VAR} is filled in once: what comes out of it is not expanded again" {
  HOME_OF_TEST=/secret NAME='%q{HOME_OF_TEST}%p%h' WINORD_LOG="$OPEN/%q{NAME}" shim "$CLIENT" plt reg=2
  [[ -s "$OPEN/%q{HOME_OF_TEST}%p%h" ]] || { ls "$OPEN"; false; }
}

@test "winord run --expect believes no journal that everybody could have put there" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  unset LD_PRELOAD WINORD_LOG
  chmod 777 "$OPEN"
  local said='{"v":1,"event":"register","run":"%s","flags_in":2,"flags_out":0,"verdict":"rewritten","lost":0}\n'
  # shellcheck disable=SC2016 # for the shell that runs
  local forge='printf "$1" "$WINORD_RUN" >"$2.forged"; chown "$3" "$2.forged"'
  run "$WINORD_BUILD/winord" run --expect=relaxed -o "$OPEN/%p.forged" -- bash -c "$forge" forge "$said" "$OPEN/1" 65534
  equals 70 "$status"
  [[ $output == *"$OPEN/1.forged: cannot be read back as a journal"* ]] || { show; false; }
  run "$WINORD_BUILD/winord" run --expect=relaxed -o "$OPEN/%p.forged" -- bash -c "$forge" forge "$said" "$OPEN/1" 0
  equals 0 "$status"
}

@test "winord run --expect keeps its own journal in a folder that nobody else may enter" {
  unset LD_PRELOAD WINORD_LOG
  # shellcheck disable=SC2016 # for the shell that runs
  TMPDIR=$OPEN run "$WINORD_BUILD/winord" run --expect=any -- bash -c 'stat -c "%a %u" "${WINORD_LOG%/*}"; echo "${WINORD_LOG%/*}"'
  equals "700 $(id -u)" "${lines[0]}"
  [[ ${lines[1]} == "$OPEN"/winord-run-* && ! -e ${lines[1]} ]] || { show; false; }
}

@test "a TMPDIR that is relative or would be expanded is not used" {
  unset LD_PRELOAD WINORD_LOG
  for folder in . relative "$OPEN/%p"; do
    # shellcheck disable=SC2016 # for the shell that runs
    TMPDIR=$folder run "$WINORD_BUILD/winord" run --expect=any -- bash -c 'echo "$WINORD_LOG"'
    [[ ${lines[0]} == /tmp/winord-run-* ]] || { show; false; }
  done
}
