#!/usr/bin/env bats
# --expect: a preload that silently did nothing must not pass.

# shellcheck disable=SC2154,SC2016 # set by bats; shells' own variables
load ../cli/common
setup() {
  setup_cli
  WRITE=$BATS_TEST_DIRNAME/write-journal
}

# A register record of this run: flags_in flags_out verdict.
register() {
  printf '{"v":1,"event":"register","run":"RUN","flags_in":%s,"flags_out":%s,"verdict":"%s","lost":0}' "$@"
}
uncovered='{"v":1,"event":"uncovered","run":"RUN","nccl_path":"/opt/second/libnccl.so.2","why":"namespace"}'
policy_error='{"v":1,"event":"policy_error","run":"RUN","where":"/etc/winord.conf:3","message":"unknown key"}'

# expected WHAT STATUS LINE...: `winord run --expect WHAT` over a program that journals these ends so
expected() {
  local what=$1 wanted=$2
  shift 2
  winord run --expect "$what" -- "$WRITE" "$@"
  exits "$wanted"
}

@test "nothing journalled" {
  for what in any relaxed strict; do
    winord run --expect "$what" -- true
    exits 70
    complains 'registration was journalled by this run'
    complains "--expect $what failed"
  done
}

@test "which records are relaxed, strict, any" {
  expected relaxed 0 "$(register 2 0 rewritten)"
  silent
  expected relaxed 0 "$(register 0 0 passed)"
  expected relaxed 0 "$(register 2 2 refused)" "$(register 3 1 rewritten)"
  expected relaxed 70 "$(register 2 2 refused)"
  complains 'no relaxed registration was journalled by this run: 1 reg'
  expected relaxed 70 "$(register 2 2 dry_run)"
  expected relaxed 70 "$(register 2 2 passed)"
  expected relaxed 70 "$(register 0 2 rewritten)"
  expected strict 0 "$(register 2 2 passed)"
  expected strict 0 "$(register 0 2 rewritten)"
  expected strict 0 "$(register 2 2 refused)"
  expected strict 70 "$(register 2 0 rewritten)"
  complains 'no strict registration'
  expected any 0 "$(register 2 2 refused)"
  expected any 70 '{"v":1,"event":"start","run":"RUN"}' '{"v":1,"event":"deregister","run":"RUN"}'
}

@test "records of another run, and of none, do not count" {
  expected any 70 '{"v":1,"event":"register","run":"other","flags_in":2,"flags_out":2,"verdict":"passed"}' \
    '{"v":1,"event":"register","run":null,"flags_in":2,"flags_out":2,"verdict":"passed"}' \
    '{"v":1,"event":"register","flags_in":2,"flags_out":2,"verdict":"passed"}'
  expected any 0 "$(register 2 2 passed)" '{"v":1,"event":"uncovered","run":"other","nccl_path":"/x"}'
}

@test "an uncovered copy, a policy error, no NCCL, lost records fail whatever else is there" {
  expected any 70 "$(register 2 2 passed)" "$uncovered"
  complains /opt/second/libnccl.so.2
  expected any 70 "$(register 2 2 passed)" "$policy_error"
  complains '/etc/winord.conf:3: unknown key'
  expected any 70 "$(register 2 2 passed)" "$(register 2 2 no_nccl)"
  complains no_nccl
  expected any 70 "$(register 2 2 passed)" '{"v":1,"event":"exit","run":"RUN","lost":4}'
  complains '4 journal records were lost'
}

@test "lines that are not JSON are skipped and counted" {
  expected any 0 'half a rec' "$(register 2 2 passed)" '{"v":1,"event":"regis'
  expected relaxed 70 'half a rec' "$(register 2 2 passed)" '[]' '3'
  complains '3 lines that are not JSON were skipped'
}

@test "a failing command keeps its status" {
  winord run --expect any -- sh -c 'exit 5'
  exits 5
  complains 'the command failed with status 5; --expect was not looked at'
  winord run --expect any -- sh -c 'kill -KILL $$'
  exits 137
  # shellcheck disable=SC2153 # set by common.bash
  run -127 "$WINORD" run --expect any -- no-such-program
  printf '#!/no/such\n' >script
  chmod +x script
  winord run --expect any -- ./script
  exits 126
}

@test "the private journal is removed" {
  expected any 0 "$(register 2 2 passed)"
  equals '' "$(find . -name 'winord-run-*')"
  winord run --expect any -- false
  equals '' "$(find . -name 'winord-run-*')"
}

@test "-o is read back and kept, also with patterns" {
  winord run --expect any -o 'my log' -- "$WRITE" "$(register 2 2 passed)"
  exits 0
  [[ -s 'my log' ]]
  # shellcheck disable=SC2030,SC2031
  export JOURNAL="$PWD/j.host-1.4242.x%y.[1]"
  winord run --expect any -o 'j.%h.%p.%q{SOMETHING}%%y.[1]' -- "$WRITE" "$(register 2 2 passed)"
  exits 0
  [[ -s $JOURNAL ]]
  winord run --expect relaxed -o 'j.%h.%p.%q{SOMETHING}%%y.[1]' -- "$WRITE" "$(register 2 0 rewritten)"
  exits 0
  JOURNAL=$PWD/other winord run --expect any -o 'j.%p' -- "$WRITE" "$(register 2 2 passed)"
  exits 70
}

@test "WINORD_LOG is read back where -o is not given" {
  WINORD_LOG=$PWD/inherited winord run --expect any -- "$WRITE" "$(register 2 2 passed)"
  exits 0
  [[ -s inherited ]]
}

@test "a journal that cannot be read back" {
  winord run --expect any -o stderr -- true
  usage_error run
  WINORD_LOG=stderr winord run --expect any -- true
  usage_error run
  mkfifo pipe
  TIME_LIMIT=10 winord run --expect any -o pipe -- true
  exits 70
  complains 'cannot be read back'
  winord run --expect any -o missing/log -- true
  exits 70
}

@test "an unknown outcome" {
  winord run --expect fast -- true
  usage_error run
  complains 'relaxed, strict or any'
}

# ThreadSanitizer keeps a handler back until a call that it knows to wait; waitpid is none.
not_deferred() { [[ ${SANITIZER-} != TSAN ]] || skip 'ThreadSanitizer defers handlers'; }

# signalled SIGNAL: a command under --expect ignores nothing; what becomes of it when winord gets the signal
signalled() {
  printf '#!/usr/bin/env bash\ntrap "echo got $1; exit 3" "$1"\necho ready >ready\nfor _ in {1..200}; do sleep 0.05; done\n' >"trap"
  chmod +x trap
  rm -f ready
  "$WINORD" run --expect any -- ./trap "$1" >out 2>&1 &
  local winord=$!
  for _ in {1..100}; do [[ -s ready ]] || sleep 0.05; done
  kill "-$1" "$winord"
  wait "$winord" && status=0 || status=$?
  output=$(cat out)
}

@test "SIGTERM and SIGHUP are handed on to the command" {
  not_deferred
  for signal in TERM HUP; do
    signalled "$signal"
    exits 3
    says "got $signal"
  done
}

@test "SIGINT is handed on to the command" {
  not_deferred
  set -m # background jobs of a shell without job control ignore it
  signalled INT
  exits 3
  says 'got INT'
}

@test "an ignored SIGHUP stays ignored" {
  run bash -c "trap '' HUP; exec '$WINORD' run --expect any -- bash -c 'kill -HUP \$\$; exit 4'"
  equals 4 "$status"
}

@test "with the real shim" {
  printf '[winord]\nversion = 1\n[rule all]\nordering = relaxed\naccept-hazard = yes\n' >relax.conf
  winord run -c relax.conf --expect relaxed -- "$CLIENT" plt reg=2
  exits 0
  winord run -c relax.conf --expect strict -- "$CLIENT" plt reg=2
  exits 70
  winord run -c relax.conf -n --expect relaxed -- "$CLIENT" plt reg=2
  exits 70
  winord run --expect strict -- "$CLIENT" plt reg=2
  exits 0
  winord run --expect any -- "$CLIENT_DL" "handle:$NCCL" reg=2
  exits 0
  winord run --expect any -o 'j.%h.%p' -- "$CLIENT" plt reg=2
  exits 0
  winord run --expect any -- "$LOADER" "deepbind:$FAKE/libplugin.so"
  exits 70
  complains 2.30.7/libnccl.so.2
  echo junk >>relax.conf
  winord run -c relax.conf --expect any -- "$CLIENT" plt reg=2
  exits 70
  complains 'the policy was not used'
}
