#!/usr/bin/env bats
# When `make bench` fails: the same target missed by a quarter, three times.

load ../helpers

setup() {
  CHECK=$BATS_TEST_DIRNAME/../../bench/overhead/check
  cd "$BATS_TEST_TMPDIR" || return
  report a ok ok
  report b MISSED ok
  report c ok MISSED
  report d MISSED OVER
}

report() { # FILE VERDICT VERDICT
  printf '%-20s  %9s  %6s  %-12s  %s\n' what measured ratio target verdict "registration, one" "4 us" 1.2 "<=3, <=5 us" "$2" \
    "its start" "4 us" 1.2 "<=3" "$3" "no target" "3 us" - "" "" >"$1"
}

@test "no target is missed: one run, status 0" {
  run "$CHECK" a b b
  equals 0 "$status"
  equals 1 "$(grep -c '^what' <<<"$output")"
}

@test "missed once, or another one each time: status 0" {
  run "$CHECK" b a b
  equals 0 "$status"
  run "$CHECK" b d c
  equals 0 "$status"
  equals 3 "$(grep -c '^what' <<<"$output")"
}

@test "the same one missed three times: status 1, and it is named" {
  run "$CHECK" b d b
  equals 1 "$status"
  equals "bench: missed by more than a quarter, in 3 of 3 runs: registration, one" "${lines[-1]}"
}

@test "a run that does not run: status 1" {
  run "$CHECK" no-such-file a a
  equals 1 "$status"
}
