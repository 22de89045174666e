#!/usr/bin/env bash
# one-window-two-flags.sh [BUILD]: with which flags, and in which order, NCCL registers a window's memory with the network.
# Needs a GPU, jq, NCCL 2.30.7 or later in LD_LIBRARY_PATH, and in BUILD (build) winord-stress, winord-stress-gpu.so and
# libwinord-fabric.so: make all gpu. No NIC. Some seconds.
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each rank is an LSA team, so that NCCL uses the network between two ranks on one GPU.
export NCCL_LSA_TEAM_SIZE=1 NCCL_MULTI_RANK_GPU_ENABLE=1 NCCL_NVLS_ENABLE=0 NCCL_SOCKET_IFNAME=${NCCL_SOCKET_IFNAME:-lo}
export NCCL_RMA_PLUGIN=$build/libwinord-fabric.so WINORD_FABRIC_REORDER=0 WINORD_FABRIC_LOG=$work/log

# The window is the largest memory there is: rank 0's registrations of it.
registrations() {
  jq -rs 'map(select(.event == "register" and .rank == 0 and .type == "cuda")) | (map(.size) | max) as $window
    | map(select(.size == $window) | "\(.user) \(.mr_flags)") | join(", ")' "$work/log"
}

# order TEXT FLAGS [VARIABLE=VALUE]...
order() {
  local text=$1 flags=$2
  shift 2
  rm -f "$work/log"
  if ! env "$@" timeout -s KILL 60 "$build/winord-stress" --quiet --backend gin --ranks 2 --flags "$flags" --blocks 2 -b 32KiB \
    --scenario put+signal >"$work/out" 2>&1; then
    tail -n 1 "$work/out" >&2
    exit 2
  fi
  printf '%-46s %-8s %s\n' "$text" "$flags" "$(registrations)"
}

printf '%-46s %-8s %s\n' order window 'registrations (1: FORCE_SO)'
for flags in strict default; do
  order 'device communicator, then window' "$flags" WINORD_STRESS_WINDOW_FIRST=0
  order 'window, then device communicator' "$flags" WINORD_STRESS_WINDOW_FIRST=1
  order 'the same, no GIN for symmetric kernels' "$flags" WINORD_STRESS_WINDOW_FIRST=1 NCCL_SYM_GIN_KERNELS_ENABLE=0
done
