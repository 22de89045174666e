#!/usr/bin/env bats
# Bad policies end to end: the program runs on with its own flags, and one record says what is wrong.

load ../helpers
setup() { setup_shim; }

ok="register result=0 flags=0x2 win=set errno=0"

# broken MESSAGE [WHERE]: flags unchanged, one policy_error record whose message matches and whose where is as given.
broken() {
  TIME_LIMIT=20 shim "$CLIENT" plt reg=2 reg=0
  printed "$ok" "register result=0 flags=0x0 win=set errno=0"
  equals 1 "$(records policy_error | wc -l)"
  [[ $(records policy_error .message) =~ $1 ]] || { show; return 1; }
  [[ -z ${2:-} ]] || equals "\"$2\"" "$(records policy_error .where)"
  equals '["passed","passed"]' "$(records register .verdict | jq -sc .)"
  equals "" "$stderr"
}

@test "missing" {
  rm "$WINORD_CONF"
  broken "no such file" "$WINORD_CONF"
}

@test "missing, and no journal: one line on stderr" {
  rm "$WINORD_CONF"
  unset WINORD_LOG
  shim "$CLIENT" plt reg=2 reg=2
  printed "$ok" "$ok"
  equals 1 "$(grep -c "winord: .*$WINORD_CONF" <<<"$stderr")"
  equals 1 "$(grep -c . <<<"$stderr")"
}

@test "empty" {
  : >"$WINORD_CONF"
  broken "version|empty"
}

@test "only comments" {
  printf '; nothing\n# at all\n' >"$WINORD_CONF"
  broken "version"
}

@test "binary" {
  head -c 4096 "$CLIENT" >"$WINORD_CONF"
  broken .
}

@test "random bytes, ten times" {
  for _ in {1..10}; do
    rm -f "$LOG"
    head -c 3000 /dev/urandom >"$WINORD_CONF"
    broken .
  done
}

@test "50 MB" {
  { printf '[winord]\nversion = 1\n'; yes 'nonsense = 1' | head -c 50000000; } >"$WINORD_CONF"
  broken .
}

@test "an endless line" {
  { printf '[winord]\nversion = 1\nfoo = '; head -c 1000000 /dev/zero | tr '\0' x; } >"$WINORD_CONF"
  broken "line|long|199" "$WINORD_CONF:3"
}

@test "a folder" {
  rm "$WINORD_CONF"
  mkdir "$WINORD_CONF"
  broken "director" "$WINORD_CONF"
}

@test "a FIFO without a writer does not block" {
  rm "$WINORD_CONF"
  mkfifo "$WINORD_CONF"
  broken "regular|FIFO|not a file"
}

@test "a device" {
  WINORD_CONF=/dev/zero broken "regular|device|not a file"
}

@test "unreadable" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  local folder
  folder=$(mktemp -d /tmp/winord-robust-XXXXXX)
  chmod 777 "$folder"
  cp "$WINORD_CONF" "$folder/policy.conf"
  chmod 600 "$folder/policy.conf"
  WINORD_CONF=$folder/policy.conf WINORD_LOG=$folder/journal shim "$CLIENT" plt uid=65534 reg=2
  LOG=$folder/journal
  equals "$ok" "$output"
  [[ $(records policy_error .message) == *"ermission denied"* ]] || { show; false; }
  rm -rf "$folder"
}

@test "a wrong key: file and line" {
  printf '[winord]\nversion = 1\n[rule r]\nordering = relaxed\nclaler = x\n' >"$WINORD_CONF"
  broken "claler" "$WINORD_CONF:5"
}

@test "many errors: the first is the record" {
  printf '[winord]\nversion = 1\n[rule r]\nordering = keep\nfirst = 1\nb = 2\n[rule r]\nordering = nonsense\n' >"$WINORD_CONF"
  broken "first" "$WINORD_CONF:5"
}

@test "a file of the future: version = 2" {
  printf '[winord]\nversion = 2\n' >"$WINORD_CONF"
  broken "version" "$WINORD_CONF:2"
}

@test "WINORD_CONF is empty: as if not set" {
  [[ ! -e /etc/winord.conf ]] || skip "this machine has a policy of its own"
  WINORD_CONF='' shim "$CLIENT" plt reg=2
  printed "$ok"
  equals "" "$(records policy_error)"
}

@test "WINORD_ON_ERROR=strict: a broken policy makes every window strict" {
  echo nonsense >"$WINORD_CONF"
  WINORD_ON_ERROR=strict shim "$CLIENT" plt reg=0 reg=2 reg=5
  printed "register result=0 flags=0x2 win=set errno=0" "$ok" "register result=0 flags=0x7 win=set errno=0"
  equals 1 "$(records policy_error | wc -l)"
}

@test "WINORD_ON_ERROR=strict: no memory for the policy makes every window strict" {
  policy keep
  for allocation in 1 2 3 4 5; do
    rm -f "$LOG"
    STARVE=$allocation PRELOAD="$SHIM $BESIDE/libstarve.so" WINORD_ON_ERROR=strict shim "$CLIENT" plt reg=0
    printed "$ok"
    [[ $(records policy_error .message) == *"out of memory"* ]] || { show; false; }
    equals '["rewritten","policy_error"]' "$(records register '[.verdict, .why]')"
  done
}

@test "WINORD_ON_ERROR=strict with a good policy changes nothing" {
  policy keep
  WINORD_ON_ERROR=strict shim "$CLIENT" plt reg=0
  printed "register result=0 flags=0x0 win=set errno=0"
}

@test "WINORD_ON_ERROR with another word: said, and taken as keep" {
  echo nonsense >"$WINORD_CONF"
  WINORD_ON_ERROR=panic shim "$CLIENT" plt reg=0
  printed "register result=0 flags=0x0 win=set errno=0"
  [[ $(records policy_error .where) == *WINORD_ON_ERROR* ]] || { show; false; }
}

@test "no policy at all: calls pass, and are journalled" {
  [[ ! -e /etc/winord.conf ]] || skip "this machine has a policy of its own"
  unset WINORD_CONF
  shim "$CLIENT" plt reg=2
  printed "$ok"
  equals '["passed",2,2]' "$(records register '[.verdict, .flags_in, .flags_out]')"
  equals "" "$(records policy_error)"
}

@test "nothing is read from the working directory" {
  [[ ! -e /etc/winord.conf ]] || skip "this machine has a policy of its own"
  cd "$BATS_TEST_TMPDIR"
  cp "$WINORD_CONF" winord.conf
  unset WINORD_CONF
  shim "$CLIENT" plt reg=2
  printed "$ok"
}
