#!/usr/bin/env bats
# Many and small threads, storms of signals, and worlds in which something is missing: the program's result is as without us.

load ../helpers

setup() {
  setup_shim
  export LD_LIBRARY_PATH=$FAKE # without /proc the program does not find its libraries by itself
  WORKER=$WINORD_BUILD/tests/faults/worker
  policy keep
}

# same ARGUMENT...: the worker prints the same, and ends the same, with the shim and without; what the shim's run said is left.
same() {
  local plain
  run "$@"
  plain="$status $output"
  shim "$@"
  equals "$plain" "$status $output"
  [[ $status -eq 0 ]] || { show; false; }
}

# accounted NUMBER: every call of this many left a record, or is counted as lost; at most one line on stderr says so.
accounted() {
  local lines
  lines=$(grep -c . <<<"$stderr" || true)
  [[ $lines -eq 0 || ($lines -eq 1 && $stderr == *"records are lost"*) ]] || { show; return 1; }
  equals 0 "$(grep -vc '^{"v":1,.*}$' "$LOG" || true)"
  jq -s -e 'group_by(.pid) | all(.[]; (map(.seq) | max) == length + (max_by(.seq) | .lost))' "$LOG" >/dev/null || { show; return 1; }
  local registered
  registered=$(jq -s '([.[] | select(.event == "register")] | length) + (group_by(.pid) | map(max_by(.seq) | .lost) | add)' "$LOG")
  [[ $registered -ge $1 ]] || { echo "registrations: $1, accounted for: $registered"; show; return 1; }
}

@test "threads with stacks of 64 KiB, the first registration in one of them" {
  same "$WORKER" none threads=8,65536,50
  accounted 400
}

@test "1,024 threads" {
  TIME_LIMIT=30 same "$WORKER" none threads=1024,65536,4
  accounted 4096
}

@test "a storm of SIGALRM" {
  same "$WORKER" none storm=3000,200
  accounted 3000
}

@test "a storm of SIGALRM whose handler registers" {
  TIME_LIMIT=30 same "$WORKER" none storm=3000,200,register
  accounted 3000
}

@test "the root changes between two calls" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  mkdir "$BATS_TEST_TMPDIR/root"
  same "$WORKER" none reg=2 "chroot=$BATS_TEST_TMPDIR/root" reg=2 dereg
  [[ $stderr == *"records are lost"* ]] || { show; false; }
  equals '["start","register"]' "$(journal .event | jq -sc .)"
}

@test "an empty root from the first call on" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  mkdir "$BATS_TEST_TMPDIR/root"
  WINORD_LOG=/journal same "$WORKER" none "chroot=$BATS_TEST_TMPDIR/root" reg=2 dereg
  LOG=$BATS_TEST_TMPDIR/root/journal
  accounted 1
  equals "null" "$(records register .exe)"
  [[ $(records policy_error .message) == *"no such file"* ]] || { show; false; }
}

namespaces() {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  unshare -m true 2>/dev/null || skip "needs mount namespaces"
}

# inside COMMANDS WORKER...: as same, in such a namespace.
inside() {
  local commands=$1 plain
  shift
  # shellcheck disable=SC2016 # the inner shell's
  local prepare='set -e; mount --make-rprivate /; eval "$1"; shift; exec "$@"'
  run unshare -m bash -c "$prepare" bash "$commands" "$@"
  plain="$status $output"
  run --separate-stderr timeout 20 unshare -m bash -c "$prepare" bash "$commands" env LD_PRELOAD="$SHIM" "$@"
  equals "$plain" "$status $output"
  [[ $status -eq 0 ]] || { show; false; }
}

@test "no /proc" {
  namespaces
  inside 'mount -t tmpfs none /proc' "$WORKER" none reg=2 there dereg
  accounted 2
  equals 'null' "$(records register .exe | sort -u)"
}

@test "no /proc and no /sys, and facts that cannot be held against them: they prove nothing" {
  namespaces
  printf '[winord]\nversion = 1\n[rule all]\nordering = relaxed\n' >"$WINORD_CONF"
  printf '[facts]\nversion = 1\nhostname = h\nboot-id = %s\n' "$(cat /proc/sys/kernel/random/boot_id)" >"$WINORD_FACTS"
  inside 'mount -t tmpfs none /proc; mount -t tmpfs none /sys' "$WORKER" none reg=2
  accounted 1
  equals '"refused"' "$(records register .verdict)"
  equals '"stale"' "$(records start .facts.status)"
}

@test "a root that is read-only: the journal is lost, and that is said once" {
  namespaces
  inside "mount --bind '$BATS_TEST_TMPDIR' '$BATS_TEST_TMPDIR'
    mount -o remount,bind,ro '$BATS_TEST_TMPDIR'; mount -o remount,bind,ro /" "$WORKER" none reg=2 reg=2 dereg
  [[ ! -e $LOG ]]
  equals 1 "$(grep -c "Read-only file system; records are lost" <<<"$stderr")"
  equals 1 "$(grep -c . <<<"$stderr")"
}

@test "no /dev" {
  namespaces
  inside 'mount -t tmpfs none /dev' "$WORKER" none reg=2
  accounted 1
}

@test "another time namespace" {
  namespaces
  unshare -T true 2>/dev/null || skip "needs time namespaces"
  # shellcheck disable=SC2016 # the inner shell's
  run --separate-stderr unshare -T --monotonic 1000000 bash -c 'exec env LD_PRELOAD="$0" "$@"' "$SHIM" "$WORKER" none reg=2 fork
  equals 0 "$status"
  accounted 2
}

@test "a process namespace, in which the program is number 1" {
  namespaces
  unshare -p true 2>/dev/null || skip "needs process namespaces"
  run --separate-stderr unshare -p --fork env LD_PRELOAD="$SHIM" "$WORKER" none reg=2 there
  equals 0 "$status"
  accounted 2
  equals 1 "$(records register .pid | sort -u)"
}
