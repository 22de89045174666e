#!/usr/bin/env bats
# winord check shows all problems of all files.

# shellcheck disable=SC2154 # set by bats
load common
setup() { setup_cli; }

@test "a good file: one line, status 0" {
  fleet
  winord check fleet.conf
  exits 0
  silent
  equals 'fleet.conf: 3 rules, 2 pools: ok' "$output"
}

@test "one rule, one pool" {
  printf '[winord]\nversion = 1\n[pool a]\nhosts = a\n[rule b]\npool = a\nordering = strict\n' >one.conf
  winord check one.conf
  exits 0
  equals 'one.conf: 1 rule, 1 pool: ok' "$output"
}

@test "all errors, each with file and line" {
  printf '[winord]\nversion = 1\nfrobnicate = 1\n\n[rule a]\nordering = relax\nmin-size = 1GB\n' >'my bad.conf'
  winord check 'my bad.conf'
  exits 1
  complains 'my bad.conf:3: error: '
  complains 'my bad.conf:6: error: '
  complains 'my bad.conf:7: error: '
  equals 3 "$(grep -c ': error: ' <<<"$stderr")"
  equals 'my bad.conf: 1 rule, 0 pools: 3 errors' "$output"
}

@test "several files: every one is looked at, one bad one is enough" {
  fleet
  fleet second.conf
  echo junk >bad.conf
  winord check fleet.conf bad.conf second.conf
  exits 1
  says 'fleet.conf: 3 rules, 2 pools: ok'
  says 'bad.conf: '
  says 'second.conf: 3 rules, 2 pools: ok'
}

@test "warnings leave the status 0" {
  printf '[winord]\nversion = 1\n[rule a]\npool = nowhere\nordering = relaxed\naccept-hazard = yes\n' >doubt.conf
  winord check doubt.conf
  exits 0
  complains ': warning: '
  says 'doubt.conf: 1 rule, 0 pools: ok, 2 warnings'
}

@test "a rule that nothing reaches is an error" {
  printf '[winord]\nversion = 1\n[rule a]\nordering = keep\n\n[rule b]\nhost = x\nordering = strict\n' >hidden.conf
  winord check hidden.conf
  exits 1
  complains 'hidden.conf:6: error: '
  says '1 error'
}

@test "a lapsed attestation is a warning" {
  fleet
  sed -i s/2999/1999/ fleet.conf
  winord check fleet.conf
  exits 0
  complains ': warning: '
  says '1 warning'
}

@test "missing file, folder, pipe, binary file" {
  mkfifo pipe
  head -c 4096 /dev/zero >zeros
  for path in missing . pipe zeros /dev/null; do
    TIME_LIMIT=10 winord check "$path"
    exits 1
    complains "$path"
  done
}

@test "problems of an included file name that file" {
  printf '[winord]\nversion = 1\ninclude = %s/more/*.conf\n' "$PWD" >main.conf
  mkdir more
  printf '[rule x]\nordering = never\n' >more/x.conf
  winord check main.conf
  exits 1
  complains "$PWD/more/x.conf:2: error: "
}

@test "the example policies have neither errors nor unreachable rules" {
  for example in "$BATS_TEST_DIRNAME"/../../policy/examples/*.conf; do
    [[ -e $example ]] || skip 'no examples yet'
    winord check "$example"
    exits 0
  done
}
