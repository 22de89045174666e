#!/usr/bin/env bats
# The manual pages say everything that there is, and their examples are good policies.

# shellcheck disable=SC2154,SC2013 # set by bats; words are wanted
load common
setup() {
  setup_cli
  MAN=$BATS_TEST_DIRNAME/../../man
  SOURCE=$BATS_TEST_DIRNAME/../..
}

# example N: the nth example of winord.conf(5), as a file's text
example() {
  awk -v n="$1" '/^\.Bd -literal/ { inside = ++count == n; next } /^\.Ed/ { inside = 0 } inside' "$MAN/winord.conf.5"
}

@test "mandoc has no complaint" {
  command -v mandoc || lacking mandoc
  for page in winord.1 winord.conf.5; do
    run mandoc -Tlint -Wwarning "$MAN/$page"
    exits 0
    equals '' "$output"
  done
}

@test "every option of every command" {
  for command in run check ab qualify explain env facts doctor report tag; do
    winord "$command" --help
    for option in $(grep -oE -- '--[a-z-]+[a-z]' <<<"$output" | sort -u); do
      grep -qF -- "Fl -${option#--}" "$MAN/winord.1" || { echo "$command $option"; false; }
    done
  done
}

@test "every key of policy and facts" {
  local key
  for key in $(grep -ohE '(\.name = |SECTION_[A-Z]+, )"[a-z-]+"' "$SOURCE/policy/keys.c" "$SOURCE/policy/facts.c" | cut -d'"' -f2); do
    grep -qE -- "Ic $key( |$)" "$MAN/winord.conf.5" || { echo "$key"; false; }
  done
}

@test "the example policies" {
  example 1 >one.conf
  winord check one.conf
  exits 0
  silent
  winord explain --host h200-17 one.conf
  says 'relax-h200'
  says 'guard     attested  holds, and allows it'
  printf '[winord]\nversion = 1\n' >two.conf
  example 2 >>two.conf
  winord check two.conf
  exits 0
  silent
}

@test "the example facts" {
  example 3 | sed "s/^boot-id.*/boot-id = $(cat /proc/sys/kernel/random/boot_id)/" >"$WINORD_FACTS"
  winord doctor
  says 'host      h200-17'
  says "facts     $WINORD_FACTS: current"
  says ', of 1 NICs in the facts'
  [[ $(id -u) == 0 ]] || return 0 # only root's facts prove mode 0
  says 'mode      PCI_ATOMIC_MODE 0 (mstconfig)'
}
