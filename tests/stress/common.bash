# For the tests of the hunter.
# shellcheck shell=bash disable=SC2154 # set by bats

load ../helpers

# Read by the files that load this one.
# shellcheck disable=SC2034
STRESS=$WINORD_BUILD/winord-stress
QUICK=(-b 64 --blocks 3 --seed 7)

# stress ARGUMENT...: bats' run of it; standard error is kept apart in $stderr.
stress() {
  run --separate-stderr timeout -k 2 "${TIME_LIMIT:-60}" "$STRESS" "$@"
}

# exits STATUS
exits() {
  equals "$1" "$status"
}

# says TEXT: it stands in standard output.
says() {
  [[ $output == *"$1"* ]] || {
    echo "not on stdout: $1"
    show
    return 1
  }
}

# mistake TEXT: status 2, no verdict, and the last thing on standard error is one line that says so.
mistake() {
  exits 2
  [[ $output != *'verdict:'* && ${stderr##*$'\n'} == "winord-stress: "*"$1"* ]] || {
    echo "wanted on stderr: $1"
    show
    return 1
  }
}

# table: its lines.
table() {
  awk '/^  / && ($2 == "strict" || $2 == "default")' <<<"$output"
}

# column N SCENARIO: of the table; of all its lines with this scenario.
column() {
  table | awk -v n="$1" -v scenario="$2" '$1 == scenario { print $n }'
}
