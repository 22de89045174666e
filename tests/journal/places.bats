#!/usr/bin/env bats
# Where the journal goes, and what happens when it cannot go there: the program runs on, one line says so, the loss is counted.

load ../helpers
setup() { setup_shim; }

ok="register result=0 flags=0x0 win=set errno=0"

# lost_at PLACE: the program ran on as decided; one line on stderr says that the journal is lost; it is not elsewhere.
lost_at() {
  mkdir "$BATS_TEST_TMPDIR/empty"
  cd "$BATS_TEST_TMPDIR/empty" || return
  WINORD_LOG=$1 TIME_LIMIT=10 shim "$CLIENT" plt reg=2 reg=2 reg=2
  printed "$ok" "$ok" "$ok"
  equals 1 "$(grep -c . <<<"$stderr")"
  [[ $stderr == winord:* ]] || { show; return 1; }
  [[ -z $(ls -A "$BATS_TEST_TMPDIR/empty") ]] || { ls -bA "$BATS_TEST_TMPDIR/empty"; return 1; }
}

@test "%h is the host up to the first dot, %p the process, %% a percent sign" {
  WINORD_LOG=$BATS_TEST_TMPDIR/a.%h.%p.%% shim "$CLIENT" plt reg=2
  local files=("$BATS_TEST_TMPDIR"/a.*) host
  host=$(uname -n)
  equals 1 "${#files[@]}"
  LOG=${files[0]}
  equals "$BATS_TEST_TMPDIR/a.${host%%.*}.$(records register .pid).%" "$LOG"
}

@test "%p of a forked child is the child's" {
  WINORD_LOG=$BATS_TEST_TMPDIR/b.%p shim "$CLIENT" plt reg=2 fork reg=2
  for file in "$BATS_TEST_TMPDIR"/b.*; do
    equals "${file##*.}" "$(jq .pid "$file" | sort -u)"
  done
  equals 2 "$(find "$BATS_TEST_TMPDIR" -name 'b.*' | wc -l)"
}

@test "%q{VAR} is the variable" {
  RANK_OF_TEST=17 WINORD_LOG="$BATS_TEST_TMPDIR/c.%q{RANK_OF_TEST}.log" shim "$CLIENT" plt reg=2
  [[ -s $BATS_TEST_TMPDIR/c.17.log ]] || { show; false; }
}

@test "%q{VAR} of a variable that is not set is empty" {
  WINORD_LOG="$BATS_TEST_TMPDIR/c.%q{NO_SUCH_VARIABLE}.log" shim "$CLIENT" plt reg=2
  [[ -s $BATS_TEST_TMPDIR/c..log ]] || { show; false; }
}

@test "an unknown letter after % stays as it is" {
  WINORD_LOG=$BATS_TEST_TMPDIR/d.%x%z shim "$CLIENT" plt reg=2
  [[ -s $BATS_TEST_TMPDIR/d.%x%z ]] || { show; false; }
}

@test "a journal that exists is appended to" {
  shim "$CLIENT" plt reg=2
  shim "$CLIENT" plt reg=2
  equals 2 "$(records start | wc -l)"
}

@test "a relative path is of the folder at the first window" {
  cd "$BATS_TEST_TMPDIR"
  WINORD_LOG=here.log shim "$CLIENT" plt reg=2
  [[ -s here.log ]]
}

@test "a relative path, in a folder whose name has percent signs" {
  mkdir "$BATS_TEST_TMPDIR/d%p%%q"
  cd "$BATS_TEST_TMPDIR/d%p%%q"
  WINORD_LOG=here.%% shim "$CLIENT" plt reg=2
  printed "$ok"
  [[ -s here.% ]] || { show; false; }
}

@test "the word stderr" {
  WINORD_LOG=stderr shim "$CLIENT" plt reg=2
  printed "$ok"
  equals 1 "$(jq -c 'select(.event == "register")' <<<"$stderr" | wc -l)"
}

@test "without WINORD_LOG: at most one line a kind, on stderr" {
  unset WINORD_LOG
  shim "$CLIENT" plt reg=2 reg=2 reg=2
  printed "$ok" "$ok" "$ok"
  equals 1 "$(grep -c . <<<"$stderr")"
  [[ $stderr == winord:* ]] || { show; false; }
}

@test "without WINORD_LOG and nothing changed: not a word" {
  unset WINORD_LOG
  policy keep
  shim "$CLIENT" plt reg=2 dereg destroy
  equals "" "$stderr"
}

@test "without WINORD_LOG, refused: one line" {
  unset WINORD_LOG
  printf '[winord]\nversion = 1\n[rule r]\nordering = relaxed\n' >"$WINORD_CONF"
  shim "$CLIENT" plt reg=2 reg=2
  equals 1 "$(grep -c 'winord:.*refused' <<<"$stderr")"
}

@test "a full disk" {
  [[ -w /dev/full ]] || skip "needs /dev/full"
  lost_at /dev/full
}

@test "a full file system: short writes are mended, and counted" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  local disk=$BATS_TEST_TMPDIR/disk
  mkdir "$disk"
  mount -t tmpfs -o size=8k none "$disk" 2>/dev/null || skip "needs mount"
  WINORD_LOG=$disk/journal shim "$CLIENT" plt threads=1,50
  local good lines
  good=$(grep -c '^{"v":1,.*}$' "$disk/journal" || true)
  lines=$(grep -c . "$disk/journal" || true)
  umount "$disk"
  printed "threads registrations=50"
  equals 1 "$(grep -c . <<<"$stderr")"
  [[ $good -ge 1 && $((lines - good)) -le 1 ]] || { show; false; }
}

@test "a missing folder" {
  lost_at "$BATS_TEST_TMPDIR/no/such/folder/journal"
}

@test "a folder" {
  lost_at "$BATS_TEST_TMPDIR"
}

@test "a FIFO without a reader does not block" {
  mkfifo "$BATS_TEST_TMPDIR/fifo"
  lost_at "$BATS_TEST_TMPDIR/fifo"
}

@test "a FIFO whose reader does not read does not block" {
  mkfifo "$BATS_TEST_TMPDIR/fifo"
  sleep 30 <>"$BATS_TEST_TMPDIR/fifo" 3>&- &
  local reader=$!
  WINORD_LOG=$BATS_TEST_TMPDIR/fifo TIME_LIMIT=20 shim "$CLIENT" plt threads=2,500
  kill "$reader"
  printed "threads registrations=1000"
}

@test "a symbolic link is not followed" {
  ln -s "$BATS_TEST_TMPDIR/target" "$BATS_TEST_TMPDIR/link"
  lost_at "$BATS_TEST_TMPDIR/link"
  [[ ! -e $BATS_TEST_TMPDIR/target ]]
}

@test "a socket" {
  python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$BATS_TEST_TMPDIR/s"
  lost_at "$BATS_TEST_TMPDIR/s"
}

@test "a name that is too long" {
  lost_at "$BATS_TEST_TMPDIR/$(printf 'x%.0s' {1..300})"
}

@test "a path that is too long" {
  lost_at "/$(printf 'x%.0s' {1..5000})"
}

@test "a file that may not be written" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  chmod 711 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR"
  touch "$LOG"
  chmod 600 "$LOG"
  shim "$CLIENT" plt uid=65534 reg=2
  [[ $stderr == winord:* || $stderr == "" ]] || { show; false; }
  [[ $output == "register result=0"* ]] || { show; false; }
}

@test "a limit on the size of files: no signal, the rest is lost" {
  WINORD_LOG=$LOG shim "$CLIENT" plt reg=2 rlimit=2500 reg=2 reg=2 reg=2
  printed "$ok" "$ok" "$ok" "$ok"
  equals 1 "$(grep -c . <<<"$stderr")"
}

@test "after a short write the next record begins on a line of its own" {
  WINORD_LOG=$LOG shim "$CLIENT" plt reg=2 rlimit=2500 reg=2 reg=2 rlimit=1000000 reg=2
  equals 0 "$status"
  local bad
  bad=$(grep -vc '^{"v":1,.*}$' "$LOG" || true)
  [[ $bad -le 1 ]] || { show; false; }
  grep '^{"v":1,.*}$' "$LOG" | jq -se 'last as $last | $last.event == "exit" and $last.lost >= 1 and
    length == $last.seq - $last.lost' >/dev/null || { show; false; }
}

@test "lost records are counted in those that follow, and in the exit record" {
  mkdir "$BATS_TEST_TMPDIR/later"
  WINORD_LOG=$BATS_TEST_TMPDIR/later/x/journal shim "$CLIENT" plt reg=2 "spawn=$BATS_TEST_DIRNAME/make-folder" reg=2
  LOG=$BATS_TEST_TMPDIR/later/x/journal
  [[ -s $LOG ]] || { show; false; }
  equals 2 "$(records exit .lost)"
  equals '[3,4]' "$(journal .seq | jq -sc .)"
}

@test "stderr is a pipe that nobody reads: no signal" {
  for log in stderr "$BATS_TEST_TMPDIR/no/such/journal"; do
    WINORD_LOG=$log run python3 -c '
import os, subprocess, sys
reader, writer = os.pipe()
os.close(reader)
environment = dict(os.environ, LD_PRELOAD=sys.argv[1])
sys.exit(subprocess.run([sys.argv[2], "plt", "reg=2", "reg=2"], stderr=writer, env=environment, restore_signals=True).returncode)
' "$SHIM" "$CLIENT"
    printed "$ok" "$ok"
  done
}

@test "stderr is a pipe with no room for a long record: it does not block" {
  # Each of these bytes is six in a record.
  WINORD_LOG=stderr WINORD_RUN=$(printf '\1%.0s' {1..1000}) run python3 "$BATS_TEST_DIRNAME/full_pipe.py" "$SHIM" "$CLIENT" plt reg=2
  printed "$ok"
}

@test "stderr is closed: nothing is written elsewhere" {
  unset WINORD_LOG
  run bash -c 'env LD_PRELOAD="$0" "$1" plt reg=2 fds 2>&-' "$SHIM" "$CLIENT"
  [[ $output == "$ok"* ]] || { show; false; }
  equals 0 "$status"
}

@test "stderr is closed and a file took its number: the file stays clean" {
  WINORD_LOG=stderr
  export WINORD_LOG
  run bash -c 'env LD_PRELOAD="$0" timeout 10 "$1" plt reg=2 2>&-' "$SHIM" "$CLIENT"
  equals "$ok" "$output"
}

@test "a program that closes every descriptor keeps its journal" {
  shim "$CLIENT" plt reg=2 closeall reg=2
  printed "$ok" "$ok"
  equals 2 "$(records register | wc -l)"
}

@test "standard output is never written by us" {
  unset WINORD_LOG
  run bash -c 'env LD_PRELOAD="$0" "$1" plt reg=2 2>/dev/null' "$SHIM" "$CLIENT"
  equals "$ok" "$output"
}
