# The committed raw results of GPU runs still give the summaries beside them; and what tampers with either is noticed.

load ../helpers

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return 1
  CHECK=$PWD/bench/check-results
}

# tampered FILTER: a copy of one run whose lines went through jq.
tampered() {
  local from=bench/results/h200-nccl-2.30.7-2026-11-30-loop
  cp "$from/summary.txt" "$BATS_TEST_TMPDIR/"
  jq -c "$1" "$from/stress.jsonl" >"$BATS_TEST_TMPDIR/stress.jsonl"
  run "$CHECK" "$BATS_TEST_TMPDIR/stress.jsonl"
}

@test "each committed run: the closed loop line for line, the bounds, the faults" {
  run "$CHECK" bench/results/*/stress.jsonl
  equals "" "$output"
  [[ $status -eq 0 ]]
  [[ $(find bench/results -name stress.jsonl | wc -l) -ge 3 ]]
}

@test "a copy that nobody touched" {
  tampered .
  [[ $status -eq 0 && -z $output ]]
}

@test "a violation that was taken away" {
  tampered 'if .result.rows[0].violations > 0 then .result.rows[0].violations = 0 else . end'
  [[ $status -eq 1 && $output == *"the classes do not add up"* ]]
}

@test "the transport was told otherwise than the journal says" {
  tampered '.fabric |= map(if .mr_flags == 1 and .size > 4194304 then .mr_flags = 0 else . end)'
  [[ $status -eq 1 && $output == *"journal and transport differ"* ]]
}

@test "a line of the transport's log that is missing" {
  tampered '.fabric |= map(select(.event != "register" or .size <= 4194304 or .rank != 0))'
  [[ $status -eq 1 && $output == *"journal and transport differ"* ]]
}

@test "a bound made smaller" {
  tampered '.result.rows[0].block_bound /= 2'
  [[ $status -eq 1 && $output == *"the bound is not"* ]]
}

@test "a summary that says more" {
  tampered .
  sed -i 's/ 0 of / 1 of /' "$BATS_TEST_TMPDIR/summary.txt"
  run "$CHECK" "$BATS_TEST_TMPDIR/stress.jsonl"
  [[ $status -eq 1 && $output == *"the summary has:"* ]]
}

@test "no file, and one that is no result" {
  run "$CHECK" /nonexistent
  [[ $status -eq 2 ]]
  echo '{"kind":"loop"}' >"$BATS_TEST_TMPDIR/stress.jsonl"
  run "$CHECK" "$BATS_TEST_TMPDIR/stress.jsonl"
  [[ $status -eq 2 ]]
}
