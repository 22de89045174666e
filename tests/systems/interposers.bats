#!/usr/bin/env bats
# Libraries that people do preload, beside the shim and in either order: the clock faked, another allocator, a shim that passes on
# by RTLD_NEXT (as NCCL's checkpoint plugin), and one that hooks dlsym (as HAMi).

load ../helpers
setup() {
  setup_shim
  FAKETIME=$(find /usr/lib/*/faketime /usr/lib/faketime -name 'libfaketime*.so.1' 2>/dev/null | sort)
  JEMALLOC=$(ldconfig -p | sed -n 's/.*libjemalloc\.so\.2 .*=> //p' | head -1)
  [[ -n $FAKETIME ]] || lacking libfaketime
  [[ -n $JEMALLOC ]] || lacking libjemalloc2
}

# decided LIBRARY...: with them before the shim and after it, calls by name and by dlsym are decided and journalled once each.
decided() {
  local order
  for order in "$* $SHIM" "$SHIM $*"; do
    for program in "$CLIENT plt" "$CLIENT_DL handle:$NCCL"; do
      rm -f "$LOG"
      # shellcheck disable=SC2086 # words
      PRELOAD=$order TIME_LIMIT=20 shim $program errno=0 reg=2 dereg threads=4,20
      [[ $status -eq 0 && $output == *"register result=0 flags=0x0 win=set"*"threads registrations=81"* ]] || { echo "$order"; show; return 1; }
      equals '["rewritten",81]' "$(records register .verdict | jq -sc '[(unique | .[]), length]')"
    done
  done
}

@test "libfaketime, plain and for threads: the records carry the program's clock" {
  for library in $FAKETIME; do
    FAKETIME='@2001-02-03 04:05:06' decided "$library"
  done
}

@test "libfaketime's clock is the clock of an attestation: one day back it holds, one day on it has lapsed" {
  preload_only "what is interposed in the program's namespace is not in the audit library's"
  cat >"$WINORD_CONF" <<'END'
[winord]
version = 1
[pool here]
hosts = *
attest-pci-atomic-mode = 0
attested-by = tests/systems
attested-until = 2031-05-05
[rule relax]
pool = here
ordering = relaxed
END
  local library
  library=${FAKETIME%%$'\n'*}
  PRELOAD="$library $SHIM" TZ=UTC FAKETIME='2031-05-05 23:59:00' shim "$CLIENT" plt reg=2
  equals '"attested"' "$(records register .guard)"
  rm "$LOG"
  PRELOAD="$library $SHIM" TZ=UTC FAKETIME='2031-05-06 00:01:00' shim "$CLIENT" plt reg=2
  equals '["refused","attestation_lapsed"]' "$(records register '[.verdict, .why]')"
}

@test "jemalloc" {
  decided "$JEMALLOC"
}

# Not together: libfaketime asks malloc before it is set up, jemalloc asks it for the time, and neither starts a program, without
# us either.
@test "a shim that passes on by RTLD_NEXT, with libfaketime, with jemalloc" {
  # It exports the function: look-ups of a handle find NCCL's own and ours, so only calls by name pass it.
  for library in "${FAKETIME%%$'\n'*}" "$JEMALLOC"; do
    for order in "$SHIM $BESIDE/libother.so $library" "$library $BESIDE/libother.so $SHIM"; do
      rm -f "$LOG"
      PRELOAD=$order TIME_LIMIT=20 shim "$CLIENT" plt reg=2 dereg
      [[ $output == *"flags=0x0"*"other: 1 calls"* ]] || { show; false; }
      equals '"rewritten"' "$(records register .verdict)"
    done
  done
}

@test "a tool that hooks dlsym, with libfaketime, with jemalloc" {
  for library in "${FAKETIME%%$'\n'*}" "$JEMALLOC"; do
    rm -f "$LOG"
    PRELOAD="$SHIM $BESIDE/libhookdlsym.so $library" TIME_LIMIT=20 shim "$CLIENT_DL" "handle:$NCCL" reg=2
    [[ $output == *"flags=0x0"*"hookdlsym: seen"* ]] || { show; false; }
    equals '"rewritten"' "$(records register .verdict)"
    # Before us it may answer by itself, and the program gets NCCL's own function: nothing breaks, nothing is decided.
    PRELOAD="$library $BESIDE/libhookdlsym.so $SHIM" TIME_LIMIT=20 shim "$CLIENT_DL" "handle:$NCCL" reg=2
    [[ $status -eq 0 && $output == *"register result=0"*"hookdlsym: seen"* ]] || { show; false; }
  done
}
