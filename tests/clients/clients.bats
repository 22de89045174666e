#!/usr/bin/env bats
# What runs and judges real clients on a GPU, without one: tests/gpu/clients with a client that is not real, the reading
# of journals, and the MPI of one host.

load ../helpers

ROOT=$BATS_TEST_DIRNAME/../..
JOURNALS=$ROOT/bench/results/h200-nccl-2.32.3-2026-11-30

judge() { run python3 "$ROOT/tests/gpu/client_journal.py" "$@"; }

# journal FLAGS_IN FLAGS_OUT...: one registration of "client" for each pair.
journal() {
  while [[ $# -gt 0 ]]; do
    printf '{"event":"register","caller":"/opt/client","flags_in":%d,"flags_out":%d,"verdict":"rewritten",' "$1" "$2"
    printf '"result":0,"lost":0}\n'
    shift 2
  done >"$BATS_TEST_TMPDIR/journal"
}

@test "journals of a GPU are judged as they are" {
  judge "$JOURNALS/register-relaxed.jsonl" /register 2 2 refused
  [[ $status -eq 0 && $output == *"flags_in=2 flags_out=2 verdict=refused"* ]]
  judge "$JOURNALS/register-strict.jsonl" /register 1 3 rewritten
  [[ $status -eq 0 ]]
}

@test "another verdict, another caller, no registration" {
  judge "$JOURNALS/register-relaxed.jsonl" /register 2 0 rewritten
  [[ $status -eq 1 ]]
  judge "$JOURNALS/register-strict.jsonl" /other 1 3 rewritten
  [[ $status -eq 1 ]]
  judge /dev/null /register 1 3 rewritten
  [[ $status -eq 1 ]]
}

@test "another window that was changed" {
  journal 2 0 1 1
  judge "$BATS_TEST_TMPDIR/journal" /client 2 0 rewritten
  [[ $status -eq 0 ]]
  journal 2 0 6 4
  judge "$BATS_TEST_TMPDIR/journal" /client 2 0 rewritten
  [[ $status -eq 1 ]]
  journal 1 3 5 3
  judge "$BATS_TEST_TMPDIR/journal" /client 1 3 rewritten
  [[ $status -eq 1 ]]
  journal 1 3 0 2
  judge "$BATS_TEST_TMPDIR/journal" /client 1 3 rewritten
  [[ $status -eq 0 ]]
}

@test "a copy of NCCL that was out of reach" {
  journal 2 0
  echo '{"event":"uncovered","why":"late","lost":0}' >>"$BATS_TEST_TMPDIR/journal"
  judge "$BATS_TEST_TMPDIR/journal" /client 2 0 rewritten
  [[ $status -eq 1 && $output == *"uncovered: late"* ]]
}

@test "the MPI of one host: gathering, broadcast, one rank that fails while others wait for it" {
  cc -std=gnu11 -Wall -Wextra -Werror -pthread -I"$ROOT" -o "$BATS_TEST_TMPDIR/ranks" \
    "$BATS_TEST_DIRNAME/ranks.c" "$ROOT/tests/gpu/fork_mpi/mpi.c"
  for count in 1 2 8; do
    FORK_MPI_RANKS=$count run timeout -s KILL 20 "$BATS_TEST_TMPDIR/ranks"
    [[ $status -eq 0 && $output == "$count ranks" ]]
  done
  run timeout -s KILL 20 "$BATS_TEST_TMPDIR/ranks" -f 1
  [[ $status -eq 1 ]]
  FORK_MPI_RANKS=9 run timeout -s KILL 20 "$BATS_TEST_TMPDIR/ranks"
  [[ $status -eq 2 && $output == *"1 to 8"* ]]
}

# fake_clients: what tests/gpu/clients needs, with a fake NCCL and `registers` in the place of nccl-tests.
fake_clients() {
  mkdir -p "$1/carry/nccl-2.32.3/lib" "$1/built" "$1/build" "$1/nccl-tests" "$1/tmp"
  cp "$FAKE/2.32.3/libnccl.so.2" "$1/carry/nccl-2.32.3/lib/"
  cp "$WINORD_BUILD/winord" "$WINORD_BUILD/libwinord.so" "$1/build/"
  touch "$1/build/libwinord-fabric.so" "$1/built/versions.txt"
  cc -std=gnu11 -Wall -Wextra -Werror -I"$ROOT" -o "$1/nccl-tests/alltoall_perf" "$BATS_TEST_DIRNAME/registers.c" \
    -L"$FAKE/2.32.3" -l:libnccl.so.2
  tar -C "$1" -c nccl-tests | xz >"$1/built/nccl-tests.tar.xz"
}

# clients FOLDER CLIENT: runs it there; the summary is in `output`.
clients() {
  run env TMPDIR="$1/tmp" WINORD_BUILD="$1/build" WINORD_CLIENTS="$1/built" timeout -s KILL 60 "$ROOT/tests/gpu/clients" \
    "$1/carry" "$1/out" "$2"
}

@test "a client that does what is expected passes, under no policy and under one" {
  fake_clients "$BATS_TEST_TMPDIR"
  CLIENT_FLAGS=1 clients "$BATS_TEST_TMPDIR" nccl-tests
  [[ $status -eq 0 && $output == *"passed: nccl-tests-none: policy none, expected 1 -> 1 passed"* ]]
  [[ $output == *"passed: nccl-tests-strict: policy strict, expected 1 -> 3 rewritten"* ]]
  [[ $output == *"flags_in=1 flags_out=3 verdict=rewritten"* && $output == *"failed attempts: 0" ]]
  [[ $output != *"$BATS_TEST_TMPDIR"* ]]
  [[ $(tar -tzf "$BATS_TEST_TMPDIR/out/journals.tar.gz") == *nccl-tests-strict.jsonl* ]]
}

@test "a client that registers nothing, one that asks for other flags, one that is not there" {
  fake_clients "$BATS_TEST_TMPDIR"
  clients "$BATS_TEST_TMPDIR" nccl-tests
  [[ $status -eq 2 && $output == *"FAILED: nccl-tests-none: "*": no journal"* ]]
  CLIENT_FLAGS=2 clients "$BATS_TEST_TMPDIR" nccl-tests
  [[ $status -eq 2 && $output == *"FAILED: nccl-tests-strict: "*": the journal is not as expected"* ]]
  clients "$BATS_TEST_TMPDIR" other
  [[ $status -eq 1 && $output == *"FAILED: no such client: other"* ]]
  rm "$BATS_TEST_TMPDIR/build/libwinord-fabric.so"
  clients "$BATS_TEST_TMPDIR" nccl-tests
  [[ $status -eq 1 && $output == *"FAILED: nccl-tests-none: no libwinord-fabric.so"* ]]
}
