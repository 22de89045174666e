# For the tests of the command: a folder of each test's own, policies, and what was printed where.
# shellcheck shell=bash disable=SC2154 # set by bats

: "${WINORD_BUILD:=$(cd "$BATS_TEST_DIRNAME/../../build" && pwd)}"
export WINORD_BUILD
load ../helpers

# Read by the files that load this one.
# shellcheck disable=SC2034
WINORD=$WINORD_BUILD/winord

setup_cli() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset LD_PRELOAD WINORD_CONF WINORD_POOL WINORD_LOG WINORD_ON_ERROR WINORD_DISABLE WINORD_DRY_RUN WINORD_RUN
  unset SLURM_JOB_PARTITION XDG_RUNTIME_DIR
  export TMPDIR=$BATS_TEST_TMPDIR
  export WINORD_FACTS=$BATS_TEST_TMPDIR/facts.ini
  printf '[facts]\nversion = 1\n' >"$WINORD_FACTS"
}

# winord ARGUMENT...: runs it; standard error is kept apart in $stderr.
winord() {
  run --separate-stderr timeout -k 2 "${TIME_LIMIT:-60}" "$WINORD" "$@"
}

# exits STATUS
exits() {
  equals "$1" "$status"
}

# says TEXT / complains TEXT: it stands in standard output / error. silent: nothing on standard error.
says() {
  [[ $output == *"$1"* ]] || {
    echo "not on stdout: $1"
    show
    return 1
  }
}
complains() {
  [[ $stderr == *"$1"* ]] || {
    echo "not on stderr: $1"
    show
    return 1
  }
}
silent() {
  equals '' "$stderr"
}

# usage_error COMMAND: status 2, nothing on standard output, one line that names the help.
usage_error() {
  exits 2 && equals '' "$output" && equals 1 "$(wc -l <<<"$stderr")" && complains "try 'winord $1 --help'"
}

# A fleet: one guest pool that is attested and relaxed, and protection for everybody.
fleet() {
  cat >"${1:-fleet.conf}" <<'END'
[winord]
version = 1

[pool guests]
hosts = guest-*
attest-pci-atomic-mode = 0
attested-by = fleet-ops ticket 4711
attested-until = 2999-03-31

[pool metal]
hosts = metal-[0-9]*

[rule protect]
pci-atomic-mode = 1,2,3,4
ordering = strict

[rule relax]
pool = guests
asked = strict
nccl = >=2.29.7
min-size = 64KiB
flags = !GIN_ONLY
ordering = relaxed

[rule direct]
pool = metal
caller = *deep_ep*
gin-connection = full
ordering = relaxed
va-signals = none
END
}
