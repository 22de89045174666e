#!/usr/bin/env bats
# What shim/nccl.h and policy/policy.h say of NCCL is what its headers and libraries say.

load ../helpers
load real

setup_file() { find_versions; }
setup() { cd "$BATS_TEST_DIRNAME/../.." || return; }

headers_agree() {
  local major minor patch inih
  IFS=. read -r major minor patch <<<"$VERSION"
  inih=$("$CC" -print-file-name=libinih.a)
  [[ -e $inih ]] || inih=-linih
  # The headers are written for C++; to C, the inline functions that only it defines are those of GNU's older rules.
  "$CC" "${CLIENT_CFLAGS[@]}" -fgnu89-inline -DWANTED_VERSION=$((major * 10000 + minor * 100 + patch)) \
    -isystem tests/real/cuda -isystem "$FOLDER/include" -o "$BATS_TEST_TMPDIR/prototypes" tests/real/prototypes.c \
    "$WINORD_BUILD/libpolicy.a" "$inih"
  run "$BATS_TEST_TMPDIR/prototypes"
  [[ $status -eq 0 ]] || { show; false; }
}

# Every function that we export but dlsym: weak, under both names, and without a version.
library_agrees() {
  local name symbols wanted=() found
  symbols=$(nm -D "$LIBRARY")
  while read -r name; do
    wanted+=("p$name T" "$name W")
  done < <(nm -D --defined-only "$WINORD_BUILD/libwinord.so" | awk '$NF ~ /^nccl/ { print $NF }')
  [[ ${#wanted[@]} -eq 10 ]]
  wanted+=("pncclCommUserRank T" "pncclCommCount T" "pncclCommCuDevice T" "pncclGetVersion T")
  for name in "${wanted[@]}"; do
    found=$(awk -v name="${name% *}" '$NF ~ "^" name "(@|$)" { print $NF, $(NF - 1) }' <<<"$symbols")
    equals "$name" "$found"
  done
}

@test "2.28.9: types, numbers and names of the headers" {
  with_nccl 2.28.9
  headers_agree
  equals "NCCL_WIN_COLL_SYMMETRIC 0x1" "$output"
}

@test "2.32.3: types, numbers and names of the headers, and the layout of a device communicator's requirements" {
  with_nccl 2.32.3
  headers_agree
  printed "NCCL_WIN_COLL_SYMMETRIC 0x1" "NCCL_WIN_GIN_ONLY 0x4" "NCCL_WIN_CFT_COUNTED 0x8"
}

@test "2.28.9: the names that the library exports" {
  with_nccl 2.28.9
  library_agrees
}

@test "2.32.3: the names that the library exports" {
  with_nccl 2.32.3
  library_agrees
}
