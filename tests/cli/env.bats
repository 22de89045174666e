#!/usr/bin/env bats
# winord env sets the environment, and clears on every path what an earlier call may have left.

# shellcheck disable=SC2154,SC2016 # set by bats; shells' own variables
load common
setup() {
  setup_cli
  fleet
}

# eval_env ARGUMENT...: a shell that an earlier `winord env` has left its mark on evaluates another; prints what remains.
# The name of the shell is $SH.
eval_env() {
  run --separate-stderr env WINORD_CONF=/old WINORD_POOL=old LD_PRELOAD="${OLD_PRELOAD-}" WINORD="$WINORD" \
    "${SH:-sh}" -uc 'eval "$("$WINORD" env "$@")"
      echo "conf=${WINORD_CONF-unset} pool=${WINORD_POOL-unset} preload=${LD_PRELOAD-unset}"' sh "$@"
}

@test "sets the policy by its absolute path, and the pool" {
  eval_env -p guests fleet.conf
  equals "conf=$PWD/fleet.conf pool=guests preload=" "$output"
  silent
  eval_env --pool=guests "$PWD/fleet.conf"
  equals "conf=$PWD/fleet.conf pool=guests preload=" "$output"
}

@test "without a pool, each host finds its own" {
  eval_env fleet.conf
  equals "conf=$PWD/fleet.conf pool=unset preload=" "$output"
}

@test "names with quotes, blanks and dollars come through, in every shell" {
  fleet "it's \$HOME \`x\` \"y\".conf"
  for SH in sh bash dash; do
    eval_env -p "a'b \$c" "it's \$HOME \`x\` \"y\".conf"
    equals "conf=$PWD/it's \$HOME \`x\` \"y\".conf pool=a'b \$c preload=" "$output"
  done
}

@test "clears on every path: bad policy, missing policy, unknown option, missing value, no file, two files" {
  printf '[winord]\nversion = 1\njunk\n' >bad.conf
  for words in bad.conf missing.conf '-x fleet.conf' '--frobnicate' '-p' '' 'fleet.conf fleet.conf' '--preload bad.conf'; do
    # shellcheck disable=SC2086
    OLD_PRELOAD=$(shim_path) eval_env $words
    equals 'conf=unset pool=unset preload=unset' "$output"
    [[ -n $stderr ]]
  done
}

@test "the status of each path" {
  printf '[winord]\nversion = 1\njunk\n' >bad.conf
  winord env fleet.conf
  exits 0
  silent
  winord env bad.conf
  exits 1
  complains 'bad.conf:3: error: '
  equals 'unset WINORD_CONF WINORD_POOL' "$output"
  winord env
  exits 2
  complains "try 'winord env --help'"
  says unset
  winord env --frobnicate fleet.conf
  exits 2
  says unset
}

@test "where no rule of the pool does anything, only clears" {
  printf '[winord]\nversion = 1\n[rule a]\npool = a\nordering = strict\n[rule b]\npool = b\nordering = keep\n' >few.conf
  eval_env -p b --preload few.conf
  equals 'conf=unset pool=unset preload=' "$output"
  complains 'nothing is decided for pool b'
  eval_env -p c few.conf
  equals 'conf=unset pool=unset preload=' "$output"
  eval_env -p a few.conf
  equals "conf=$PWD/few.conf pool=a preload=" "$output"
  winord env -p b few.conf
  exits 0
  sed -i 's/version = 1/&\ndefault = strict/' few.conf
  eval_env -p c few.conf
  equals "conf=$PWD/few.conf pool=c preload=" "$output"
}

@test "--preload puts the shim in front, once, and keeps the rest" {
  OLD_PRELOAD='' eval_env --preload fleet.conf
  [[ $output == *"preload="*"/libwinord.so" ]]
  local other=$FAKE/libother.so
  [[ $other != *' '* ]] || skip 'LD_PRELOAD cannot hold a path with blanks'
  OLD_PRELOAD="/nowhere/libwinord.so $other:/nowhere/libwinord-nodlsym.so" eval_env --preload fleet.conf
  [[ $output == *"preload="*"/libwinord.so:$other" && $output != */nowhere/* ]]
}

@test "without --preload, an earlier shim is taken out and the rest kept" {
  run --separate-stderr env LD_PRELOAD='/no where/libwinord.so:/x/liba.so /y/libb.so' "$WINORD" env fleet.conf
  [[ $output == *"export LD_PRELOAD='/no:/x/liba.so:/y/libb.so'"* ]]
  run --separate-stderr env LD_PRELOAD='/x/liba.so' "$WINORD" env fleet.conf
  [[ $output != *LD_PRELOAD* ]]
  run --separate-stderr env LD_PRELOAD='/x/libwinord-nodlsym.so' "$WINORD" env fleet.conf
  [[ $output == *'unset LD_PRELOAD'* ]]
}

@test "what it sets makes the shim decide" {
  printf '[winord]\nversion = 1\n[rule a]\nordering = relaxed\naccept-hazard = yes\n' >relax.conf
  run env WINORD="$WINORD" sh -euc 'eval "$("$WINORD" env --preload relax.conf)"; exec "$@"' sh "$CLIENT" plt reg=2
  [[ $output == *'register result=0 flags=0x0 '* ]]
}
