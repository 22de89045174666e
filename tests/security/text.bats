#!/usr/bin/env bats
# Names come from anybody: none can end a line of ours, add a record or speak to a terminal; none is too long.

load common
setup() {
  setup_shim
  open_folder
}

# A newline that begins a record, a quote, a backslash, an escape sequence (C0 and C1), DEL, no UTF-8.
evil=$'a"\\\n{"v":1,"event":"exit"}\e[31m\302\2332J\177\377z'
plain='a"\?{"v":1,"event":"exit"}?[31m??2J??z'

# sound COUNT: so many lines, each a JSON object, none with a control character.
sound() {
  equals "$1" "$(wc -l <"$LOG")"
  jq -es 'all(type == "object" and .v == 1)' "$LOG" >/dev/null || { show; return 1; }
  no_control "$(cat "$LOG")"
}

# decoded FILTER: what the records have in it is the name, with U+FFFD for what is no UTF-8.
decoded() {
  equals "$(jq -nc --arg name "${evil/$'\377'/$'\357\277\275'}" '$name')" "$(records "${2:-register}" "$1" | sort -u)"
}

@test "the job's names in the environment" {
  for name in WINORD_RUN SLURM_JOB_ID SLURM_STEP_ID WINORD_POOL; do
    rm -f "$LOG"
    run env "$name=$evil" LD_PRELOAD="$SHIM" "$CLIENT" plt reg=2
    printed "$ok"
    sound 3
    case $name in
    WINORD_RUN) decoded .run ;;
    SLURM_JOB_ID) decoded .job ;;
    SLURM_STEP_ID) decoded .step ;;
    WINORD_POOL) decoded .pool ;;
    esac
  done
}

@test "the program's and the calling library's names" {
  cp "$WINORD_BUILD/tests/fake/client-dl" "$BATS_TEST_TMPDIR/${evil//\//_}"
  shim "$BATS_TEST_TMPDIR/$evil" "handle:$NCCL" reg=2
  printed "$ok"
  sound 3
  [[ $(records register .exe) == *'\n{\"v\":1'* ]] || { show; false; }
}

@test "the name of NCCL's copy, in records and on stderr" {
  mkdir "$BATS_TEST_TMPDIR/$evil"
  cp "$NCCL" "$BATS_TEST_TMPDIR/$evil/libnccl.so.2"
  shim "$CLIENT_DL" "newlm:$BATS_TEST_TMPDIR/$evil/libnccl.so.2" reg=2
  sound "$(wc -l <"$LOG")"
  equals 1 "$(records uncovered | wc -l)"
  unset WINORD_LOG
  WINORD_CONF=$WINORD_CONF shim "$CLIENT_DL" "newlm:$BATS_TEST_TMPDIR/$evil/libnccl.so.2" reg=2
  equals "winord: calls can reach a copy of NCCL past us: $BATS_TEST_TMPDIR/$plain/libnccl.so.2 (namespace)" "$stderr"
}

@test "names of policies and journals on stderr" {
  WINORD_LOG=$BATS_TEST_TMPDIR/no/$evil shim "$CLIENT" plt reg=2
  printed "$ok"
  equals "winord: cannot write the journal $BATS_TEST_TMPDIR/no/$plain: No such file or directory; records are lost" "$stderr"
  unset WINORD_LOG
  WINORD_CONF=$BATS_TEST_TMPDIR/$evil shim "$CLIENT" plt reg=2
  printed "$kept"
  equals "winord: $BATS_TEST_TMPDIR/$plain: cannot be read: no such file" "$stderr"
}

@test "rule names: control characters are refused by the policy, C1 ones do not reach stderr or the journal as such" {
  printf '[winord]\nversion = 1\n[rule a\e[31m]\nordering = strict\n' >"$WINORD_CONF"
  shim "$CLIENT" plt reg=2
  printed "$kept"
  [[ $(records policy_error .message) == *"control character 0x1b"* ]] || { show; false; }
  rm "$LOG"
  printf '[winord]\nversion = 1\n[rule a"\\\302\23331m\377]\nordering = strict\n' >"$WINORD_CONF"
  shim "$CLIENT" plt reg=0
  sound 3
  equals "$(jq -nc '"a\"\\\u009b31m\ufffd"')" "$(records register .rule)"
  unset WINORD_LOG
  shim "$CLIENT" plt reg=0
  equals "winord: window ordering set to strict by rule 'a\"\\??31m?'; WINORD_LOG keeps a journal" "$stderr"
}

@test "the host's name" {
  unshare -u true 2>/dev/null || skip "needs root"
  # shellcheck disable=SC2016 # for the shell that runs
  run unshare -u bash -c 'python3 -c "import socket, sys, os; socket.sethostname(os.fsencode(sys.argv[1]))" "$1" && shift && exec "$@"' run "$evil" \
    env LD_PRELOAD="$SHIM" "$CLIENT" plt reg=2
  printed "$ok"
  sound 3
  decoded .host
  # shellcheck disable=SC2016 # for the shell that runs
  run unshare -u bash -c 'python3 -c "import socket; socket.sethostname(\"../a/b\")" && exec "$@"' run \
    env WINORD_LOG="$OPEN/%h.log" LD_PRELOAD="$SHIM" "$CLIENT" plt reg=2
  [[ $output == *"$ok"* ]]
  equals "" "$(ls "$BATS_TEST_TMPDIR"/*.log "$OPEN"/a 2>/dev/null)"
}

@test "winord doctor and run: files' names, what ELF files name, what journals say" {
  cp /bin/true "$BATS_TEST_TMPDIR/${evil//\//_}"
  run "$WINORD_BUILD/winord" doctor "$BATS_TEST_TMPDIR/$evil"
  [[ $output == *"program   $BATS_TEST_TMPDIR/$plain: 64-bit"* ]] || { show; false; }
  no_control "$output"
  run -127 "$WINORD_BUILD/winord" run -- "$BATS_TEST_TMPDIR/no/$evil"
  no_control "$output"
  sed "s/libc\.so\.6/li\x1b[1m\n6/" "$CLIENT" >"$BATS_TEST_TMPDIR/needs"
  chmod 755 "$BATS_TEST_TMPDIR/needs"
  run "$WINORD_BUILD/winord" doctor "$BATS_TEST_TMPDIR/needs"
  no_control "$output"
  # shellcheck disable=SC2016 # for the shell that runs
  run "$WINORD_BUILD/winord" run --expect=any -o "$BATS_TEST_TMPDIR/said" -- bash -c \
    'printf "{\"v\":1,\"event\":\"uncovered\",\"run\":\"%s\",\"nccl_path\":\"x\\\\n\\\\u001b[1m\\\\u009b\",\"why\":\"\\\\r\"}\n" "$WINORD_RUN" >"$1"' x "$BATS_TEST_TMPDIR/said"
  [[ $output == *"calls can reach x??[1m?? past the shim"* ]] || { show; false; }
  no_control "$output"
}

@test "winord doctor -p: what another process has in its environment" {
  env LD_PRELOAD='' WINORD_RUN="$evil" sleep 30 3>&- &
  local other=$!
  until [[ $(cat "/proc/$other/comm") == sleep ]]; do sleep 0.02; done
  run "$WINORD_BUILD/winord" doctor --pid "$other"
  kill "$other"
  [[ $output == *"environ   WINORD_RUN=$plain"* ]] || { show; false; }
  no_control "$output"
}

@test "winord check and explain: names in policies" {
  printf '[winord]\nversion = 1\n[rule a\302\23331m\377]\nordering = strict\nno\302\233such = 1\n' >"$WINORD_CONF"
  run "$WINORD_BUILD/winord" check "$WINORD_CONF"
  equals 1 "$status"
  no_control "$output"
  sed -i '$d' "$WINORD_CONF"
  run "$WINORD_BUILD/winord" explain "$WINORD_CONF"
  no_control "$output"
}

@test "values of a megabyte, in every variable" {
  for name in WINORD_POOL WINORD_RUN WINORD_CONF WINORD_FACTS WINORD_ON_ERROR SLURM_JOB_PARTITION SLURM_JOB_ID NCCL_IB_HCA \
    NCCL_NET_PLUGIN NCCL_IBVERBS_LIB NCCL_GIN_TYPE; do
    rm -f "$LOG"
    TIME_LIMIT=20 shim python3 "$BATS_TEST_DIRNAME/megabyte.py" "$name" "$BATS_TEST_DIRNAME/../routes/client.py" "$NCCL"
    equals 0 "$status"
    sound "$(wc -l <"$LOG")"
    equals 1 "$(records register | wc -l)"
  done
  for value in x /x '%q{NAME}' '%q{' '%%' '%p'; do
    WINORD_LOG=$value TIME_LIMIT=20 shim python3 "$BATS_TEST_DIRNAME/megabyte.py" WINORD_LOG "$BATS_TEST_DIRNAME/../routes/client.py" "$NCCL"
    equals 0 "$status"
    equals 1 "$(grep -c 'records are lost' <<<"$stderr")"
  done
}

@test "paths of PATH_MAX bytes: the program's, NCCL's, the working directory's, the journal's" {
  local step=$BATS_TEST_TMPDIR part
  part=$(printf 'd%.0s' {1..200})
  cd "$step"
  for _ in {1..25}; do
    mkdir "$part" && cd -P "./$part" 2>/dev/null || cd "./$part"
  done
  cp "$CLIENT_DL" client
  cp "$NCCL" libnccl.so.2
  shim ./client handle:./libnccl.so.2 reg=2
  printed "$ok"
  sound 3
  WINORD_LOG=here shim ./client handle:./libnccl.so.2 reg=2
  printed "$ok"
  LOG=here sound 3
  WINORD_LOG=$BATS_TEST_TMPDIR/$(printf 'e%.0s' {1..4000}) shim ./client handle:./libnccl.so.2 reg=2
  printed "$ok"
  equals 1 "$(grep -c 'records are lost' <<<"$stderr")"
}
