#!/usr/bin/env bats
# Where stats_test's table comes from: reference.py writes it with Python alone, and SciPy, where there is one, agrees.

load ../helpers

@test "the committed table is what reference.py writes" {
  run diff <(python3 "$BATS_TEST_DIRNAME/reference.py") "$BATS_TEST_DIRNAME/reference.inc"
  equals "" "$output"
}

@test "SciPy agrees with the table to 1e-9" {
  python3 -c 'import scipy.stats' 2>/dev/null || skip "python3 has no SciPy (pip install scipy)"
  run python3 "$BATS_TEST_DIRNAME/reference.py" --scipy
  equals "" "$output"
  equals 0 "$status"
}
