#!/usr/bin/env bats
# Who may set what: policy and facts that others may write, the environment of privileged programs, preloads of the command.

load common
setup() {
  setup_shim
  open_folder
}

# refused WHY: the policy decided nothing, and the record and `winord check` say why.
refused() {
  shim "$CLIENT" plt reg=2
  printed "$kept"
  equals "\"cannot be read: $1\"" "$(records policy_error .message)"
  run "$WINORD_BUILD/winord" check "$WINORD_CONF"
  equals 1 "$status"
  [[ $output == *"$1"* ]] || { show; false; }
}
everybody="everybody may write it, or may have put it there"

@test "a policy that everybody may write is refused, and said" {
  chmod 666 "$WINORD_CONF"
  refused "$everybody"
}

@test "without a journal one line says so" {
  chmod 646 "$WINORD_CONF"
  unset WINORD_LOG
  shim "$CLIENT" plt reg=2 reg=2
  printed "$kept" "$kept"
  equals "winord: $WINORD_CONF: cannot be read: $everybody" "$stderr"
}

@test "somebody else's policy in a folder that everybody may write is refused" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  mv "$WINORD_CONF" "$OPEN/policy.conf"
  export WINORD_CONF=$OPEN/policy.conf
  chown 65534 "$WINORD_CONF"
  refused "$everybody"
}

@test "an included file is held to the same" {
  printf '[rule first]\nordering = strict\n' >"$BATS_TEST_TMPDIR/part.inc"
  chmod 666 "$BATS_TEST_TMPDIR/part.inc"
  sed -i 's/^version = 1/&\ninclude = part.inc/' "$WINORD_CONF"
  shim "$CLIENT" plt reg=2
  printed "$kept"
  [[ $(records policy_error .message) == *"part.inc: $everybody"* ]] || { show; false; }
}

@test "a policy of one's own, of one's group, and a colleague's in his folder are read" {
  mv "$WINORD_CONF" "$OPEN/policy.conf"
  export WINORD_CONF=$OPEN/policy.conf
  chmod 664 "$WINORD_CONF"
  shim "$CLIENT" plt reg=2
  printed "$ok"
  if [[ $(id -u) -eq 0 ]]; then
    chmod 755 "$OPEN"
    chown 65534 "$WINORD_CONF"
    shim "$CLIENT" plt reg=2
    printed "$ok"
  fi
}

@test "WINORD_ON_ERROR=strict holds for a policy that is refused" {
  chmod 666 "$WINORD_CONF"
  WINORD_ON_ERROR=strict shim "$CLIENT" plt reg=0
  printed "$kept"
}

# A facts file of this boot that would prove mode 0, if its writers were trusted.
proving_facts() {
  printf '[winord]\nversion = 1\n[rule proved]\nordering = relaxed\n' >"$WINORD_CONF"
  cat >"$WINORD_FACTS" <<END
[facts]
version = 1
boot-id = $(cat /proc/sys/kernel/random/boot_id)
[nic 0000:81:00.0]
device = mlx5_0
driver = mlx5_core
pci-atomic-mode-current = 0
pci-atomic-mode-next = 0
END
}

# untrusted: the proof is refused for its writers, which the record and, without a journal, one line say.
untrusted() {
  rm -f "$LOG"
  shim "$CLIENT" plt reg=2
  printed "$kept"
  equals '["refused","facts_untrusted"]' "$(records register '[.verdict, .why]')"
  equals '"facts_untrusted"' "$(records start .facts.unproved)"
  WINORD_LOG='' shim "$CLIENT" plt reg=2
  [[ $stderr == *"refused: facts_untrusted;"* ]] || { show; false; }
}

@test "facts that anybody but root may have written prove nothing, and that is said" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  [[ ! -d /sys/class/infiniband || -z $(ls /sys/class/infiniband) ]] || skip "there are NICs here"
  proving_facts
  shim "$CLIENT" plt reg=2
  printed "$ok"
  equals '"proved"' "$(records register .guard)"
  for mode in 666 664 646; do
    chmod "$mode" "$WINORD_FACTS"
    untrusted
  done
  chmod 644 "$WINORD_FACTS"
  chown 65534 "$WINORD_FACTS"
  untrusted
}

@test "with raised privileges no variable of ours is heard, and no preload of the CLI's matters" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  local folder=$BATS_TEST_TMPDIR/secure
  mkdir "$folder"
  chmod 755 "$folder"
  cp "$WINORD_BUILD/libwinord.so" "$NCCL" "$folder/"
  "${CC:-cc}" -std=gnu11 -I"$BATS_TEST_DIRNAME/../fake" -o "$folder/client" "$BATS_TEST_DIRNAME/../fake/client.c" \
    -L"$folder" -Wl,--no-as-needed -l:libwinord.so -l:libnccl.so.2 -Wl,-rpath,"$folder" -ldl -pthread
  chmod 4755 "$folder/client"
  somebody test -u "$folder/client" || skip "cannot be reached"
  # Each of these alone would change the answer, or leave a file.
  for setting in "WINORD_CONF=$WINORD_CONF" "WINORD_LOG=$OPEN/journal" "WINORD_LOG=stderr" "WINORD_ON_ERROR=strict" \
    "WINORD_POOL=x" "WINORD_FACTS=$WINORD_FACTS" "WINORD_DRY_RUN=1" "WINORD_DISABLE=1"; do
    run --separate-stderr somebody env -u WINORD_CONF -u WINORD_LOG -u WINORD_FACTS WINORD_CONF=/none "$setting" "$folder/client" plt reg=2 reg=0
    [[ $status -eq 0 ]] || skip "setuid programs do not run here"
    printed "$kept" "register result=0 flags=0x0 win=set errno=0"
    equals "" "$stderr"
    equals "" "$(ls "$OPEN")"
  done
}

@test "the command under its own preload, or another's, does what it does without" {
  WINORD_LOG=$OPEN/journal preloaded "$WINORD_BUILD/winord" explain "$WINORD_CONF" >"$BATS_TEST_TMPDIR/with"
  WINORD_LOG=$OPEN/journal "$WINORD_BUILD/winord" explain "$WINORD_CONF" >"$BATS_TEST_TMPDIR/without"
  cmp "$BATS_TEST_TMPDIR/with" "$BATS_TEST_TMPDIR/without"
  WINORD_LOG=$OPEN/journal PRELOAD=$BESIDE/libother.so preloaded "$WINORD_BUILD/winord" explain "$WINORD_CONF" >"$BATS_TEST_TMPDIR/with"
  cmp "$BATS_TEST_TMPDIR/with" "$BATS_TEST_TMPDIR/without"
}

@test "winord doctor asks a library for its version only if nobody else could have written it" {
  cp "$NCCL" "$OPEN/libnccl.so.2"
  run "$WINORD_BUILD/winord" doctor "$OPEN/libnccl.so.2"
  [[ $output == *"NCCL 2.30.7 (by its ncclGetVersion)"* ]] || { show; false; }
  chmod 666 "$OPEN/libnccl.so.2"
  run "$WINORD_BUILD/winord" doctor "$OPEN/libnccl.so.2"
  [[ $output == *"NCCL of unknown version"* ]] || { show; false; }
}

@test "nothing is read from the working directory unless it is named" {
  mkdir "$BATS_TEST_TMPDIR/here"
  cp "$WINORD_CONF" "$BATS_TEST_TMPDIR/here/winord.conf"
  cp "$WINORD_FACTS" "$BATS_TEST_TMPDIR/here/facts.ini"
  cd "$BATS_TEST_TMPDIR/here"
  unset WINORD_CONF WINORD_FACTS WINORD_LOG
  [[ ! -e /etc/winord.conf ]] || skip "there is a policy in /etc"
  shim "$CLIENT" plt reg=2
  printed "$kept"
  equals "" "$stderr"
  equals "facts.ini winord.conf" "$(echo *)"
}
