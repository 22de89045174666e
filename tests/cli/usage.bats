#!/usr/bin/env bats
# Every command explains itself, and says in one line what it did not understand.

# shellcheck disable=SC2154 # set by bats
load common
setup() { setup_cli; }

@test "--version" {
  winord --version
  exits 0
  silent
  [[ $output =~ ^winord\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "--help names every command" {
  winord --help
  exits 0
  silent
  for command in run check ab qualify explain env facts doctor report tag; do says "  $command "; done
}

@test "--help of every command, on stdout" {
  for command in run check ab qualify explain env facts doctor report tag; do
    for option in --help -h; do
      winord "$command" "$option"
      exits 0
      silent
      says "winord $command"
      says 'Exit status:'
    done
  done
}

@test "no command, an unknown command, an unknown option" {
  winord
  exits 2
  complains "winord: no command given; try 'winord --help'"
  winord frobnicate
  exits 2
  complains "unknown command 'frobnicate'"
  winord --frobnicate
  exits 2
  complains "unknown command '--frobnicate'"
}

@test "unknown options and missing values of every command" {
  for command in run check explain doctor; do
    for option in --frobnicate -Z; do
      winord "$command" "$option"
      usage_error "$command"
      complains "unknown"
    done
  done
  for words in 'run -c' 'run --conf' 'run -p' 'run -o' 'run --expect' 'explain --host' 'explain --size' 'doctor --pid'; do
    # shellcheck disable=SC2086
    winord $words
    usage_error "${words%% *}"
    complains 'needs a value'
  done
}

@test "missing and superfluous arguments" {
  fleet
  for words in run 'run --' check explain 'explain fleet.conf fleet.conf' 'doctor a b' 'doctor --pid 1 a'; do
    # shellcheck disable=SC2086
    winord $words
    usage_error "${words%% *}"
  done
}

@test "options after the arguments are understood, and -- ends them" {
  fleet
  winord explain fleet.conf --host guest-1
  exits 0
  fleet ./--help
  winord check -- --help
  exits 0
  says '--help: 3 rules'
}

@test "output that cannot be written is a failure" {
  fleet
  run bash -c "'$WINORD' check fleet.conf >/dev/full"
  equals 1 "$status"
  [[ $output == *'cannot write'* ]]
}
