#!/usr/bin/env bats
# LD_PRELOAD: what was there is kept, ours is there once, and a path that it cannot hold is linked from one that it can.

# shellcheck disable=SC2154,SC2016 # set by bats; shells' own variables
load ../cli/common
setup() { setup_cli; }

preload_under() { # preload_under OLD [COMMAND]: LD_PRELOAD as a program under `winord run` sees it
  run --separate-stderr env LD_PRELOAD="$1" "${2:-$WINORD}" run -- sh -c 'echo "$LD_PRELOAD"'
}

# A copy of the command and the shim in a folder that LD_PRELOAD can hold whatever the build folder's name.
plain_copy() {
  PLAIN=$(mktemp -d /tmp/winord-test-XXXXXX)
  cp "$WINORD" "$WINORD_BUILD"/libwinord*.so "$PLAIN"
}
teardown() { [[ -z ${PLAIN:-} ]] || rm -rf "$PLAIN"; }

@test "alone, first, and once" {
  plain_copy
  cp "$FAKE/libother.so" "$PLAIN/liba.so"
  cp "$FAKE/libother.so" "$PLAIN/libb.so"
  local ours=$PLAIN/libwinord.so a=$PLAIN/liba.so b=$PLAIN/libb.so
  preload_under '' "$PLAIN/winord"
  equals "$ours" "$output"
  preload_under "$a $b" "$PLAIN/winord"
  equals "$ours:$a:$b" "$output"
  preload_under "$a:$b" "$PLAIN/winord"
  equals "$ours:$a:$b" "$output"
  preload_under "$a:$ours:$b" "$PLAIN/winord"
  equals "$ours:$a:$b" "$output"
  preload_under "$ours $PLAIN/libwinord-nodlsym.so" "$PLAIN/winord"
  equals "$ours" "$output"
}

@test "winord run under winord run" {
  plain_copy
  run "$PLAIN/winord" run -- "$PLAIN/winord" run -- sh -c 'echo "$LD_PRELOAD"'
  equals "$PLAIN/libwinord.so" "$output"
  run "$PLAIN/winord" run -- "$PLAIN/winord" run --no-dlsym -- sh -c 'echo "$LD_PRELOAD"'
  equals "$PLAIN/libwinord-nodlsym.so" "$output"
}

@test "a sanitizer that is preloaded stays first" {
  plain_copy
  cp "$FAKE/libother.so" "$PLAIN/libasan.so.8"
  cp "$FAKE/libother.so" "$PLAIN/liba.so"
  preload_under "$PLAIN/libasan.so.8:$PLAIN/liba.so" "$PLAIN/winord"
  equals "$PLAIN/libasan.so.8:$PLAIN/libwinord.so:$PLAIN/liba.so" "$output"
}

# odd_copy: the same in a folder with a space and a colon
odd_copy() {
  ODD="$BATS_TEST_TMPDIR/with space:and colon"
  mkdir -p "$ODD"
  cp "$WINORD" "$WINORD_BUILD"/libwinord*.so "$ODD"
  BASE=$(mktemp -d /tmp/winord-test-XXXXXX)
  PLAIN=$BASE
  export TMPDIR=$BASE
}

@test "a path with a space and a colon: a link in a private folder, always the same" {
  odd_copy
  preload_under '' "$ODD/winord"
  equals 0 "$status"
  equals '' "$stderr"
  local link=$output
  [[ $link == "$BASE/winord-$(id -u)/"*/libwinord.so ]]
  equals "$ODD/libwinord.so" "$(readlink "$link")"
  equals 700 "$(stat -c %a "$BASE/winord-$(id -u)")"
  preload_under '' "$ODD/winord"
  equals "$link" "$output"
  XDG_RUNTIME_DIR=$BASE TMPDIR=/nowhere preload_under '' "$ODD/winord"
  equals "$link" "$output"
}

@test "through the link the shim does its work" {
  odd_copy
  printf '[winord]\nversion = 1\n[rule all]\nordering = relaxed\naccept-hazard = yes\n' >'my relax.conf'
  run --separate-stderr "$ODD/winord" run -c 'my relax.conf' -o 'my log' --expect relaxed -- "$CLIENT" plt reg=2
  equals 0 "$status"
  equals "$PWD/my relax.conf:3" "$(jq -r 'select(.event == "register").where' 'my log')"
}

@test "a link to another place is replaced" {
  odd_copy
  preload_under '' "$ODD/winord"
  local link=$output
  ln -sfn /nowhere "$link"
  preload_under '' "$ODD/winord"
  equals "$ODD/libwinord.so" "$(readlink "$link")"
}

@test "a private folder that is not private is refused: open to others, a link, a file" {
  odd_copy
  local folder
  folder=$BASE/winord-$(id -u)
  mkdir -m 755 "$folder"
  preload_under '' "$ODD/winord"
  equals 69 "$status"
  complains 'not a private folder'
  rmdir "$folder"
  mkdir -m 700 "$BASE/other"
  ln -s "$BASE/other" "$folder"
  preload_under '' "$ODD/winord"
  equals 69 "$status"
  complains 'not a private folder'
  rm "$folder"
  touch "$folder"
  preload_under '' "$ODD/winord"
  equals 69 "$status"
}

@test "a private folder of somebody else is refused" {
  [[ $(id -u) == 0 ]] || skip 'needs root, to give a folder away'
  odd_copy
  mkdir -m 700 "$BASE/winord-0"
  chown 65534 "$BASE/winord-0"
  preload_under '' "$ODD/winord"
  equals 69 "$status"
  complains 'not a private folder'
}

@test "a temporary folder that LD_PRELOAD cannot hold is passed over" {
  odd_copy
  mkdir "$BASE/a b"
  TMPDIR="$BASE/a b" preload_under '' "$ODD/winord"
  equals 0 "$status"
  [[ $output == "/tmp/winord-$(id -u)/"* ]]
  rm -f "$output"
  rmdir "$(dirname "$output")" && rmdir "/tmp/winord-$(id -u)" 2>/dev/null || true
}
