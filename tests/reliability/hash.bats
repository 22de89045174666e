#!/usr/bin/env bats
# A copy of NCCL whose symbol table has the old hash alone, as old linkers write it.

load ../helpers
setup() { setup_shim; }

@test "a copy of NCCL with DT_HASH alone" {
  equals "(HASH)" "$(readelf -d "$FAKE/sysv/libnccl.so.2" | grep -o '([A-Z_]*HASH)')"
  shim env LD_LIBRARY_PATH="$FAKE/sysv" "$CLIENT_DL" "handle:$FAKE/sysv/libnccl.so.2" reg=2 dereg
  [[ ${lines[0]} == "register result=0 flags=0x0 win=set"* ]] || { show; return 1; }
  equals '"2.30.7"' "$(records register .nccl)"
  equals "\"$FAKE/sysv/libnccl.so.2\"" "$(records register .nccl_path)"
}

@test "a copy of NCCL that lacks the functions, with DT_HASH alone: nothing is found" {
  shim "$CLIENT_DL" "handle:$FAKE/sysv-old/libnccl.so.2" reg=2
  [[ $status -ne 139 && $status -ne 134 ]] || { show; return 1; }
  equals "" "$(records register 'select(.verdict == "rewritten")')"
}
