#!/usr/bin/env bats
# A Slurm cluster of one node: the partition is the pool, steps get the shim, the batch shell does not.
load ../../helpers
load slurm

setup_file() {
  local program
  for program in slurmctld slurmd munged srun python3; do
    type -P "$program" >/dev/null || { lacking "$program" || return; }
  done
  export S=$BATS_FILE_TMPDIR/slurm INSTALLED=$BATS_FILE_TMPDIR/winord
  timeout -s KILL 120 make -s -C "$BATS_TEST_DIRNAME/../../.." BUILD="$WINORD_BUILD" PREFIX="$INSTALLED" install
  slurm_files "$S"
  site
  slurm_start "$S"
}

teardown_file() {
  [[ ! -e ${S:-}/pids ]] || slurm_stop "$S"
}

# What a site has: a policy, and in slurm.conf the two prologs, whose variables name its own places.
site() {
  local deploy=$INSTALLED/share/winord/deploy
  printf '[winord]\nversion = 1\n[rule relax]\npool = h200\nasked = strict\nordering = relaxed\naccept-hazard = yes\n' \
    >"$S/winord.conf"
  # shellcheck disable=SC2016 # the script expands it
  printf '#!/bin/sh\nexec "%s" "$1" "$2=%s"\n' "$INSTALLED/bin/winord" "$S/facts.ini" >"$S/winord-facts"
  printf '#!/bin/sh\nWINORD="%s" exec "%s/slurm-prolog"\n' "$S/winord-facts" "$deploy" >"$S/prolog"
  # shellcheck disable=SC2016 # the prolog expands it
  printf '#!/bin/sh\nWINORD_CONF=${WINORD_CONF:-%s}\nexport WINORD_CONF\nexec "%s/slurm-task-prolog"\n' "$S/winord.conf" \
    "$deploy" >"$S/task-prolog"
  chmod 755 "$S/winord-facts" "$S/prolog" "$S/task-prolog"
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  SHIM=$INSTALLED/lib/libwinord.so
  LOG=$PWD/journal
  export SLURM_CONF=$S/slurm.conf WINORD_FACTS=$S/facts.ini WINORD_LOG=$LOG
  STRICT="register result=0 flags=0x2 win=set errno=0"
  RELAXED="register result=0 flags=0x0 win=set errno=0"
}

srun() { timeout -s KILL 60 srun -n 1 "$@"; }

# batch PARTITION: submits the script on standard input, waits, and prints its output.
batch() {
  { echo '#!/bin/bash' && cat; } >job
  timeout -s KILL 60 sbatch -W -p "$1" -o "$PWD/job.out" job >&2 || true
  cat job.out
}

# last LINE...: the output ends so.
last() {
  equals "$(printf '%s\n' "$@")" "$(tail -n $# <<<"$output")"
}

@test "the prolog wrote the node's facts before the job" {
  rm -f "$S/facts.ini"
  srun -p cpu true
  grep -q "^hostname = $(hostname)" "$S/facts.ini"
  grep -q "^boot-id = $(cat /proc/sys/kernel/random/boot_id)" "$S/facts.ini"
}

@test "a step of the partition that the policy names: the shim, and its pool" {
  run srun -p h200 "$CLIENT" plt reg=2
  last "$RELAXED"
  equals '["h200","rewritten","relax"]' "$(records register '[.pool,.verdict,.rule]')"
}

@test "job and step are in the records" {
  srun -p h200 sh -c "echo \$SLURM_JOB_ID.\$SLURM_STEP_ID >step; exec '$CLIENT' plt reg=2"
  equals "$(cat step)" "$(jq -r 'select(.event == "register") | "\(.job).\(.step)"' "$LOG")"
}

@test "a step of another partition: nothing is preloaded" {
  run srun -p cpu sh -c "echo \"preload=\${LD_PRELOAD-none}\"; exec '$CLIENT' plt reg=2"
  last preload=none "$STRICT"
  [[ ! -e $LOG ]]
}

@test "the batch shell has no shim, its step has one" {
  run batch h200 <<END
echo "shell preload=\${LD_PRELOAD-none} maps=\$(grep -c libwinord /proc/\$\$/maps)"
"$CLIENT" plt reg=2
srun "$CLIENT" plt reg=2
END
  last "shell preload=none maps=0" "$STRICT" "$RELAXED"
}

@test "a batch job submitted from a step inherits the step's preload, and loses it" {
  # shellcheck disable=SC2016 # the inner job expands it
  printf '#!/bin/bash\necho "inner preload=${LD_PRELOAD-none} step=${SLURM_STEP_ID-none}"\n' >inner
  run batch h200 <<END
srun bash -c 'case \$LD_PRELOAD in *libwinord*) echo outer has it ;; esac; sbatch -W -o "$PWD/inner.out" "$PWD/inner"'
END
  [[ $output == *"outer has it"* ]]
  equals "inner preload=none step=0" "$(tail -n 1 inner.out)"
}

@test "what the job preloads itself stays, behind the shim" {
  ln -s "$FAKE/libother.so" .
  # shellcheck disable=SC2016 # the task expands it
  LD_PRELOAD=$PWD/libother.so run srun -p h200 sh -c 'echo "$LD_PRELOAD"'
  last "$SHIM:$PWD/libother.so"
}

@test "a policy of the job comes before the site's; one with an error means no shim, and the job runs" {
  printf '[winord]\nversion = 1\n[rule keep]\nordering = keep\n' >own.conf
  WINORD_CONF=$PWD/own.conf run srun -p h200 "$CLIENT" plt reg=2
  last "$STRICT"
  echo 'nonsense' >own.conf
  WINORD_CONF=$PWD/own.conf run srun -p h200 "$CLIENT" plt reg=2
  last "$STRICT"
}

@test "srun --export, without a prolog of ours, gives one step the shim" {
  mv "$S/task-prolog" "$S/task-prolog.off"
  printf '#!/bin/sh\n' >"$S/task-prolog" && chmod 755 "$S/task-prolog"
  run batch h200 <<END
export WINORD_CONF=$S/winord.conf
srun "$CLIENT" plt reg=2
srun --export=ALL,LD_PRELOAD=$SHIM "$CLIENT" plt reg=2
echo "shell preload=\${LD_PRELOAD-none}"
END
  mv "$S/task-prolog.off" "$S/task-prolog"
  last "$STRICT" "$RELAXED" "shell preload=none"
}

@test "srun winord run, with a stale pool: ignored, and said in the record" {
  printf '[winord]\nversion = 1\n[pool old]\nhosts = elsewhere-*\n[rule relax]\npool = old\nordering = relaxed\naccept-hazard = yes\n' \
    >own.conf
  export WINORD_POOL=old WINORD_CONF=$PWD/own.conf
  run srun -p cpu "$INSTALLED/bin/winord" run -- "$CLIENT" plt reg=2
  last "$STRICT"
  equals '[null,"passed"]' "$(records register '[.pool,.verdict]')"
  grep -q pool_mismatch "$LOG"
}

@test "every command for Slurm in docs/deploy.md" {
  load ../stand-ins
  unset WINORD_LOG
  mkdir root
  stand_ins "$PWD/root"
  # The documents' own: no prolog of ours.
  mv "$S/task-prolog" "$S/task-prolog.off"
  printf '#!/bin/sh\n' >"$S/task-prolog" && chmod 755 "$S/task-prolog"
  run timeout -s KILL 100 "$BATS_TEST_DIRNAME/../blocks" slurm "$BATS_TEST_DIRNAME/../../../docs/deploy.md" "$PWD/root"
  mv "$S/task-prolog.off" "$S/task-prolog"
  show
  equals 0 "$status"
}
