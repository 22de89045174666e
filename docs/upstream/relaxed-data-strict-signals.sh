#!/usr/bin/env bash
# relaxed-data-strict-signals.sh [BUILD]: how often a payload is not there when its signal is, by the window's flag and the
# kind of signal. Needs a GPU, NCCL 2.30.7 or later in LD_LIBRARY_PATH, and in BUILD (build) winord-stress,
# winord-stress-gpu.so and libwinord-fabric.so: make all gpu. No NIC. Half a minute.
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT

export NCCL_MULTI_RANK_GPU_ENABLE=1 NCCL_NVLS_ENABLE=0 NCCL_SOCKET_IFNAME=${NCCL_SOCKET_IFNAME:-lo}
export NCCL_RMA_PLUGIN=$build/libwinord-fabric.so WINORD_FABRIC_REORDER=1

# row MODE FLAGS SCENARIO SIGNAL
row() {
  local status=0 seen=
  WINORD_FABRIC_MODE=$1 timeout -s KILL 60 "$build/winord-stress" --quiet --backend gin --ranks 2 --flags "$2" --scenario "$3" \
    -b 32KiB --seconds 4 --seed 1 >"$out" 2>&1 || status=$?
  seen=$(sed -n 's/^Observation .* \(Never\|Sometimes\) //p' "$out")
  if [[ $status -gt 1 || -z $seen ]]; then
    tail -n 1 "$out" >&2
    exit 2
  fi
  printf '%-5s %-8s %-8s %12s %12s\n' "$1" "$2" "$4" "${seen% *}" "${seen#* }"
}

printf '%-5s %-8s %-8s %12s %12s\n' mode window signal 'came late' 'in order'
row 4 strict put+va-signal VA
row 4 default put+va-signal VA
row 4 default put+signal indexed
row 0 default put+va-signal VA
