# Common to all *.bats files: where things are, how to run a program under the shim, how to ask the journal.
# shellcheck shell=bash disable=SC2034,SC2154 # read by the files that load this one; set by bats

bats_require_minimum_version 1.5.0

: "${WINORD_BUILD:?run the tests by scripts/test}"
FAKE=$WINORD_BUILD/tests/fake
NCCL=$FAKE/libnccl.so.2
CLIENT=$FAKE/client
CLIENT_DL=$FAKE/client-dl
LOADER=$FAKE/loader
LOOKUP=$WINORD_BUILD/tests/dlsym/lookup

# shim_path [FILE]: a link to it from a path without blanks, which LD_PRELOAD cannot hold.
# shellcheck disable=SC2120 # the files that load this one give it
shim_path() {
  local name=${1:-libwinord.so}
  ln -sfn "$WINORD_BUILD/$name" "$BATS_TEST_TMPDIR/$name"
  echo "$BATS_TEST_TMPDIR/$name"
}

# What `setup` of a test file calls: a policy that relaxes every strict window, a journal, and no facts.
setup_shim() {
  SHIM=$(shim_path)
  AUDIT=$(shim_path libwinord-audit.so)
  BESIDE=$BATS_TEST_TMPDIR/fake # $FAKE, from a path that LD_PRELOAD can hold
  ln -sfn "$FAKE" "$BESIDE"
  LOG=$BATS_TEST_TMPDIR/journal
  export WINORD_LOG=$LOG
  export WINORD_CONF=$BATS_TEST_TMPDIR/policy.conf
  export WINORD_FACTS=$BATS_TEST_TMPDIR/facts.ini
  printf '[facts]\nversion = 1\n' >"$WINORD_FACTS"
  policy relaxed
}

# policy ORDERING: writes the policy file: every window gets this ordering.
policy() {
  printf '[winord]\nversion = 1\n\n[rule all]\nordering = %s\naccept-hazard = yes\n' "$1" >"$WINORD_CONF"
}

# Sets LOADER, the dynamic linker's variables: the shim, or with WINORD_ROUTE=audit the audit library in its place, as
# `winord run --audit` has it.
loader() {
  LOADER=("LD_PRELOAD=${PRELOAD:-$SHIM}")
  ! audited || LOADER=("${LOADER[0]//"$SHIM"/}" "LD_AUDIT=$AUDIT" GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096)
}

# preloaded CMD...: runs it with the shim loaded, and nothing else of ours hears of it.
preloaded() {
  loader
  env "${LOADER[@]}" timeout -k 2 "${TIME_LIMIT:-60}" "$@"
}

audited() { [[ ${WINORD_ROUTE:-} == audit ]]; }

# preload_only WHY: skips what only the preload does.
preload_only() {
  ! audited || skip "the preload's alone: $1"
}

# shim CMD...: bats' run of it; standard error is kept apart in $stderr.
shim() {
  run --separate-stderr preloaded "$@"
}

# journal FILTER: what jq makes of the journal's records, as one compact line each.
journal() {
  jq -c "$1" "$LOG"
}

# records EVENT [FILTER]: the records of this event, or the filter's values of them.
records() {
  jq -c "select(.event == \"$1\") | ${2:-.}" "$LOG"
}

# A log line that tells why, for what `run` caught.
show() {
  echo "status $status"
  echo "$output"
  echo "stderr: ${stderr:-}"
  [[ ! -s ${LOG:-} ]] || cut -c -600 "$LOG"
}

# equals WANTED GOT. Where the audit library is under test, the routes in WANTED are its one.
equals() {
  local wanted=$1
  if audited; then
    wanted=${wanted//\"plt\"/\"audit\"}
    wanted=${wanted//\"dlsym\"/\"audit\"}
  fi
  [[ $wanted == "$2" ]] || {
    printf 'wanted: %s\n   got: %s\n' "$wanted" "$2"
    show
    return 1
  }
}

# printed LINE...: standard output is exactly this, and the program ended well.
printed() {
  local wanted
  wanted=$(printf '%s\n' "$@")
  equals "$wanted" "$output" && equals 0 "$status"
}

# lacking WHAT: skips the test, but fails where CI=true, which must run all of them.
lacking() {
  if [[ ${CI:-} == true ]]; then
    echo "CI must have it: $1"
    return 1
  fi
  skip "$1"
}
