#!/usr/bin/env bats
# The manual page says everything that there is, and its numbers are right.

load common

setup() {
  PAGE=$BATS_TEST_DIRNAME/../../man/winord-stress.1
  SOURCE=$BATS_TEST_DIRNAME/../..
}

# tagged WORD: it stands after .It or Cm, as a name on its own.
tagged() {
  grep -qE -- "^\.(It )?(Cm|It Cm)? ?(.*[ ,])?${1//+/\\+}( |,|$)" "$PAGE" || {
    echo "not in the manual: $1"
    return 1
  }
}

@test "mandoc has no complaint" {
  command -v mandoc || lacking mandoc
  run mandoc -Tlint -Wwarning "$PAGE"
  exits 0
  equals "" "$output"
}

@test "every option, short and long" {
  local option
  stress --help
  while read -r option; do
    grep -qE -- "Fl ${option#-}( |$)" "$PAGE" || { echo "not in the manual: $option"; false; }
  done < <(grep -oE -- '^ +(-[a-zA-Z], )?--[a-z_]+' <<<"$output" | grep -oE -- '-[-a-zA-Z_]+')
}

@test "every scenario with its expectation, every pattern, every class" {
  local name expectation
  while read -r name expectation; do
    tagged "$name"
    equals "$expectation" "$(grep -A1 -E "^\.It Cm (.* , )?${name//+/\\+}( ,|$)" "$PAGE" | sed -n 's/^\.Em \([a-z]*\) \.$/\1/p')"
  done < <("$STRESS" --list | sed '/^$/,$d' | awk '{ print $1, $2 }')
  for name in $("$STRESS" --list | sed -n 's/^patterns: //p'); do
    tagged "$name"
  done
  for name in $(sed -n '/names\[\] = {/,/};/p' "$SOURCE/bench/stress/outcome.c" | grep -oE '"[a-z-]+"' | tr -d '"'); do
    tagged "$name"
  done
}

@test "every variable" {
  local name
  while read -r name; do
    grep -qE "^\.(It )?Ev $name( |$)" "$PAGE" || { echo "not in the manual: $name"; false; }
  done < <(grep -ohE '"WINORD_[A-Z_]*[A-Z]"' -r "$SOURCE/bench/stress" "$SOURCE/bench/fabric" \
    "$SOURCE/bench/plugin" | cut -d'"' -f2 | sort -u)
}

@test "the defaults it names" {
  local rounds name
  stress --help
  rounds=$(sed -n 's/.*--iters.*default \([0-9]*\)[;)].*/\1/p' <<<"$output")
  grep -A3 -F '.It Fl n Ar rounds' "$PAGE" | grep -qx "Default: $rounds."
  while read -r name rounds; do
    grep -A4 -F '.It Fl n Ar rounds' "$PAGE" | grep -q "$rounds with ${name}[,.]"
  done < <(sed -n '/{\.name = "/s/.*"\(.*\)".*/\1/p; s/.*\.tries = \([0-9]*\),/\1/p' "$SOURCE/bench/stress/gpu/backends.c" |
    paste -d ' ' - -)
}

@test "the examples run" {
  cd "$BATS_TEST_TMPDIR"
  WINORD_FABRIC_MODE=4 stress --flags default --seed 1 --blocks 10 -b 64 -J run.json
  exits 1
  stress --replay run.json
  exits 1
  stress --pattern all --blocks 5 --seed 1 -b 64 --ranks 8
  exits 0
}
