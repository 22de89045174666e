#!/usr/bin/env bats
# What verbs is believed: it can refute mode 0, and never prove it.

# shellcheck disable=SC2154 # set by bats
load ../helpers

# asked FAKE LINE...: the facts of a device whose libibverbs behaves so.
asked() {
  local line
  echo '#include <infiniband/mlx5dv.h>' | ${CC:-cc} -E - >/dev/null 2>&1 || skip "no headers of verbs"
  run env FAKE_VERBS="$1" LD_LIBRARY_PATH="$WINORD_BUILD/tests/facts-live" timeout 20 \
    "$WINORD_BUILD/tests/facts-live/ask_verbs"
  for line in "${@:2}"; do
    [[ $'\n'$output == *$'\n'"$line"* ]] || { echo "$1: not there: $line"; show; false; }
  done
}

@test "PCIe atomics in use" {
  asked atomics 'atomic-cap: ATOMIC_GLOB' 'pci-atomic-caps: 0x2/0x0/0x2' \
    'pci-atomic-mode-current: unknown: contradiction: 0 (test)'
}

@test "none in use proves nothing, and refutes nothing" {
  asked plain 'atomic-cap: ATOMIC_HCA' 'pci-atomic-caps: 0x0/0x0/0x0' 'pci-atomic-mode-current: 0'
}

@test "the extended query is refused" {
  asked refuse 'atomic-cap: ATOMIC_NONE' 'pci-atomic-caps: unknown: the extended query failed' \
    'pci-atomic-mode-current: 0'
}

@test "the device cannot be opened, is not listed; the library crashes" {
  asked closed 'atomic-cap: unknown: the device cannot be opened' 'devx: unknown: the device cannot be opened'
  asked none 'atomic-cap: unknown: verbs does not list the device'
  asked crash 'atomic-cap: unknown: verbs crashed' 'pci-atomic-mode-current: 0'
}
