# A host for the documents' commands, in $1: winord installed, programs, facts, and what the launchers need.
# shellcheck shell=bash disable=SC2016 # the programs expand it

# stand_ins ROOT: sets PATH and winord's variables.
stand_ins() {
  local root=$1
  mkdir -p "$root"/{bin,etc,run/winord,usr/lib/winord,var/log/winord}
  cp "$WINORD_BUILD/winord" "$WINORD_BUILD"/libwinord*.so "$root/usr/lib/winord/"
  ln -s ../usr/lib/winord/winord "$root/bin/winord"
  ln -s "$WINORD_BUILD/tests/fake/demo" "$root/train"
  printf '#!/bin/sh\n./train | awk '\''{ print; print "bandwidth " (/got 0x00/ ? 390.5 : 65.2) " GB/s" }'\''\n' >"$root/bench"
  # The variables that torchrun sets, for two processes on one host.
  printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nfor RANK in 0 1; do\n  RANK=$RANK LOCAL_RANK=$RANK WORLD_SIZE=2 %s "$@" || exit\ndone\n' \
    'MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 TORCHELASTIC_RUN_ID=tour' >"$root/bin/torchrun"
  chmod 755 "$root/bench" "$root/bin/torchrun"
  printf '[facts]\nversion = 1\nhostname = h200-17\nboot-id = %s\n' "$(cat /proc/sys/kernel/random/boot_id)" >"$root/run/winord/facts.ini"
  export PATH=$root/bin:$PATH WINORD_FACTS=$root/run/winord/facts.ini
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HWLOC_COMPONENTS=-gl
}
