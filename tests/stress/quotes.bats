#!/usr/bin/env bats
# What documents quote of results is what the results say.

load common

QUOTE=$BATS_TEST_DIRNAME/../../scripts/quote-results

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  mkdir -p root/scripts root/run
  cp "$QUOTE" root/scripts/
  printf '%s\n' 'date: 2026-11-30' '# GIN over something' '| a | b |' '| 1 | 2 |' '## never: lsa (NVLink)' '  put 0 of 10' \
    'PROBLEM: a thing' '## planted faults' '  killed 2 of 2' >root/run/summary.txt
}

# document WHAT: one that quotes it, not yet filled in.
document() {
  printf '%s\n' before "<!-- run/summary.txt: $1 -->" old '<!-- end -->' after >page.md
}

# quoted WHAT LINE...: filled in, the quotation has these lines, and then nothing is to be said.
quoted() {
  document "$1"
  run root/scripts/quote-results --check page.md
  exits 1
  run root/scripts/quote-results page.md
  exits 0
  equals "$(printf '%s\n' before "<!-- run/summary.txt: $1 -->" "${@:2}" '<!-- end -->' after)" "$(cat page.md)"
  run root/scripts/quote-results --check page.md
  exits 0
}

@test "the documents say what the results say" {
  cd "$BATS_TEST_DIRNAME/../.." || return
  mapfile -t pages < <(grep -lE '^<!-- [^ ]+summary\.txt: ' README.md docs/*.md docs/*/*.md)
  [[ ${#pages[@]} -ge 4 ]]
  run scripts/quote-results --check "${pages[@]}"
  exits 0
}

@test "the table, the machine, a run by its name, the faults" {
  quoted loop '| a | b |' '| 1 | 2 |'
  # shellcheck disable=SC2016 # a fence of code
  quoted machine '```' 'date: 2026-11-30' 'transport: GIN over something' '```'
  # shellcheck disable=SC2016
  quoted 'never: lsa' '```' '  put 0 of 10' '```'
  # shellcheck disable=SC2016
  quoted faults '```' '  killed 2 of 2' '```'
}

@test "another figure is told" {
  document loop
  root/scripts/quote-results page.md
  sed -i 's/| 2 |/| 3 |/' page.md
  run root/scripts/quote-results --check page.md
  exits 1
  says '+| 1 | 2 |'
}

@test "no such run, no summary, no end: status 2, and the page stays" {
  local before
  document nothing
  before=$(cat page.md)
  run root/scripts/quote-results page.md
  exits 2
  says 'has no nothing'
  equals "$before" "$(cat page.md)"
  document loop
  rm root/run/summary.txt
  run root/scripts/quote-results page.md
  exits 2
  says 'there is no run/summary.txt'
  setup
  sed -i '/end/d' page.md
  run root/scripts/quote-results page.md
  exits 2
  says 'no end'
}
