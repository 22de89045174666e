#!/usr/bin/env bats
# winord facts --write: whole or not at all, whatever stands in its place.

# shellcheck disable=SC2154 # set by bats
load ../cli/common
load hosts
setup() {
  setup_cli
  ROOT=$BATS_TEST_TMPDIR/root
  mkdir folder
  configured forced
  winord facts --root "$ROOT"
  text=$output
}

# nothing_else: no file was left beside facts.ini.
nothing_else() {
  equals facts.ini "$(ls -A folder)"
}

@test "mode 0644 whatever the umask, and the text that would be printed" {
  umask 077
  winord facts --root "$ROOT" --write=folder/facts.ini
  exits 0
  equals '' "$output"
  equals 644 "$(stat -c %a folder/facts.ini)"
  equals "$text" "$(cat folder/facts.ini)"
  nothing_else
}

@test "a link is replaced, not followed" {
  echo precious >precious
  ln -s ../precious folder/facts.ini
  winord facts --root "$ROOT" --write=folder/facts.ini
  exits 0
  [[ ! -L folder/facts.ini ]]
  equals precious "$(cat precious)"
  nothing_else
}

@test "a reader has the old file or the new one" {
  echo old >folder/facts.ini
  exec 7<folder/facts.ini
  winord facts --root "$ROOT" --write=folder/facts.ini
  equals old "$(cat <&7)"
  equals "$text" "$(cat folder/facts.ini)"
}

@test "where it cannot be written, the old one stays and nothing is left" {
  mkdir folder/facts.ini
  winord facts --root "$ROOT" --write=folder/facts.ini
  exits 1
  complains 'folder/facts.ini: cannot be written: Is a directory'
  nothing_else
  winord facts --root "$ROOT" --write=missing/facts.ini
  exits 1
  complains 'No such file or directory'
  winord facts --root "$ROOT" --write=folder/
  exits 1
  complains 'Is a directory'
}

@test "a full disk" {
  command -v unshare || skip "no unshare"
  unshare -m true 2>/dev/null || skip "no mount namespace"
  run unshare -m bash -c "mount -t tmpfs -o size=8k none folder && echo old >folder/facts.ini &&
    { head -c 8000 /dev/zero >folder/filler; '$WINORD' facts --root '$ROOT' --write=folder/facts.ini; echo status \$?
    cat folder/facts.ini; ls -A folder; }"
  [[ $output != *'mount: '* ]] || skip "no tmpfs"
  [[ $output == *'No space left on device'*'status 1'*old*facts.ini*filler ]] || { echo "$output"; false; }
}

@test "an ordinary user's file proves nothing; root's takes its place" {
  [[ $(id -u) == 0 ]] || skip "needs root"
  winord facts --root "$ROOT" --write=folder/facts.ini
  chown 65534 folder/facts.ini
  run "$WINORD_BUILD/tests/facts-live/proof" folder/facts.ini "$ROOT"
  [[ ${lines[0]} == facts_untrusted* ]]
  winord facts --root "$ROOT" --write=folder/facts.ini
  exits 0
  equals 0 "$(stat -c %u folder/facts.ini)"
}

@test "the usual folder: made, and not written into where others can put files" {
  unshare -m true 2>/dev/null || skip "no mount namespace"
  run unshare -m bash -c "mount -t tmpfs none /run && umask 077 && '$WINORD' facts --write && stat -c %a /run/winord &&
    chmod 777 /run/winord && rm /run/winord/facts.ini; '$WINORD' facts --write; echo status \$?; ls -A /run/winord"
  [[ $output != *'mount: '* ]] || skip "no tmpfs"
  equals "755
winord facts: /run/winord/facts.ini: cannot be written: others can write in /run/winord
status 1" "$output"
}

@test "what does not go together" {
  for words in extra '--write= --root .' "--write --root ." '--from x --write' '--from x --root .' \
    '--root' '--frobnicate'; do
    # shellcheck disable=SC2086
    winord facts $words
    usage_error facts
  done
}
