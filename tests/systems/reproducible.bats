#!/usr/bin/env bats
# Two builds of the same sources are the same bytes, wherever, whenever and by whomever they were made. `full` compares the rest.

load ../helpers

@test "two builds of what is preloaded, in different folders, are identical" {
  run timeout -k 2 200 "$BATS_TEST_DIRNAME/two-builds" libwinord.so libwinord-nodlsym.so libwinord-audit.so libwinord-verbs.so
  equals 0 "$status"
  equals 5 "$(grep -c '^same' <<<"$output")"
}

@test "no file of ours names the folder in which it was built" {
  local folder=${WINORD_BUILD%/*}
  for file in libwinord.so libwinord-nodlsym.so libwinord-verbs.so winord winord-stress libpolicy.a; do
    equals 0 "$(grep -c -F "$folder/" "$WINORD_BUILD/$file" || true)"
  done
}
