#!/usr/bin/env bats
# winord run: the command as it is, with the shim preloaded and the environment set.

# shellcheck disable=SC2154,SC2016 # set by bats; shells' own variables
load ../cli/common
setup() {
  setup_cli
  fleet
}

# the variables of winord, as a command under it sees them
SHOW='for v in WINORD_CONF WINORD_POOL WINORD_LOG WINORD_DRY_RUN; do eval echo "$v=\${$v-unset}"; done'

@test "the exit status is kept" {
  for wanted in 0 1 2 69 70 126 127 255; do
    run "-$wanted" "$WINORD" run -- sh -c "exit $wanted"
  done
}

@test "the process is kept: pid, standard input, signal" {
  run --separate-stderr bash -c "echo \$\$; exec '$WINORD' run -- sh -c 'echo \$\$; cat'" <<<'from stdin'
  equals 0 "$status"
  equals "${lines[0]}" "${lines[1]}"
  equals 'from stdin' "${lines[2]}"
  run "$WINORD" run -- sh -c 'kill -TERM $$'
  equals 143 "$status"
}

@test "arguments come through untouched" {
  winord run -- printf '<%s>\n' 'a b' '' '--help' '*' "it's"
  exits 0
  equals $'<a b>\n<>\n<--help>\n<*>\n<it\'s>' "$output"
  winord run printf '%s\n' -n --expect
  exits 0
  equals $'-n\n--expect' "$output"
}

@test "nothing is set that was not asked for" {
  winord run -- sh -c "$SHOW"
  exits 0
  silent
  equals $'WINORD_CONF=unset\nWINORD_POOL=unset\nWINORD_LOG=unset\nWINORD_DRY_RUN=unset' "$output"
}

@test "options set the environment, with absolute paths" {
  winord run -c fleet.conf -p guests -o 'log.%h.%p.%q{X}' -n -- sh -c "$SHOW"
  exits 0
  silent
  equals "WINORD_CONF=$PWD/fleet.conf
WINORD_POOL=guests
WINORD_LOG=$PWD/log.%h.%p.%q{X}
WINORD_DRY_RUN=1" "$output"
  winord run --conf="$PWD/fleet.conf" --pool guests --log stderr --dry-run -- sh -c "$SHOW"
  says "WINORD_CONF=$PWD/fleet.conf"
  says 'WINORD_LOG=stderr'
}

@test "a % in the working directory's name is no pattern of the journal" {
  mkdir '100%p'
  cd '100%p'
  winord run -o log -- sh -c "$SHOW"
  exits 0
  says "/100%%p/log"
}

@test "each run has its own id" {
  winord run -- sh -c 'echo $WINORD_RUN'
  local first=$output
  winord run -- sh -c 'echo $WINORD_RUN'
  [[ $first =~ ^[0-9a-f]{16,}$ && $output =~ ^[0-9a-f]{16,}$ && $first != "$output" ]]
}

@test "a broken policy is said, and the program runs" {
  echo junk >>fleet.conf
  winord run -c fleet.conf -- echo ran
  exits 0
  equals ran "$output"
  complains 'fleet.conf:31: '
  complains "see 'winord check'"
  winord run -c missing.conf -- echo ran
  exits 0
  equals ran "$output"
  complains 'missing.conf'
}

@test "no such program, not executable, no interpreter" {
  run -127 --separate-stderr "$WINORD" run -- no-such-program
  complains 'no-such-program: no such program'
  winord run -- ./fleet.conf
  exits 126
  complains 'cannot be executed'
  winord run -- /
  exits 126
  run -127 "$WINORD" run -- ''
  printf '#!/no/such/interpreter\n' >script
  chmod +x script
  winord run -- ./script
  exits 126
  complains 'cannot be executed'
}

@test "a script without #! runs as it does in a shell" {
  echo 'echo ran' >script
  chmod +x script
  winord run -- ./script
  exits 0
  equals ran "$output"
}

@test "the shim beside a copy of the command is found, and none is status 69" {
  mkdir bin lib
  cp "$WINORD" bin/
  run --separate-stderr bin/winord run -- true
  equals 69 "$status"
  complains 'libwinord.so is neither in '
  cp "$WINORD_BUILD"/libwinord*.so lib/
  run --separate-stderr bin/winord run -- sh -c 'echo "$LD_PRELOAD"'
  equals 0 "$status"
  [[ $output == */libwinord.so ]]
  run --separate-stderr bin/winord run --no-dlsym -- sh -c 'echo "$LD_PRELOAD"'
  equals 0 "$status"
  [[ $output == */libwinord-nodlsym.so ]]
  ln -s "$PWD/bin/winord" elsewhere
  run --separate-stderr ./elsewhere run -- true
  equals 0 "$status"
}

@test "WINORD_DISABLE=1 is said" {
  WINORD_DISABLE=1 winord run -- true
  exits 0
  complains 'WINORD_DISABLE=1'
}

@test "a registration is decided and journalled" {
  printf '[winord]\nversion = 1\n[rule all]\nordering = relaxed\naccept-hazard = yes\n' >relax.conf
  winord run -c relax.conf -o j.%p.jsonl -- "$CLIENT" plt reg=2
  exits 0
  says 'flags=0x0'
  equals '"rewritten"' "$(jq -c 'select(.event == "register").verdict' j.*.jsonl)"
  winord run -n -c relax.conf -o dry.jsonl -- "$CLIENT" plt reg=2
  exits 0
  says 'flags=0x2'
  equals '"dry_run"' "$(jq -c 'select(.event == "register").verdict' dry.jsonl)"
}

@test "--no-dlsym sees link-time calls and no look-ups" {
  printf '[winord]\nversion = 1\n[rule all]\nordering = relaxed\naccept-hazard = yes\n' >relax.conf
  winord run --no-dlsym -c relax.conf -- "$CLIENT" plt reg=2
  exits 0
  says 'flags=0x0'
  winord run --no-dlsym -c relax.conf -- "$CLIENT_DL" "handle:$NCCL" reg=2
  exits 0
  says 'flags=0x2'
}
