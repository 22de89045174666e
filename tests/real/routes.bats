#!/usr/bin/env bats
# Every way to the real NCCL, without a GPU: what a program gets is the same with and without us, to the word, and each
# decision is in the journal.

load ../helpers
load real

setup_file() {
  find_versions
  local any
  any=$(find "$BATS_FILE_TMPDIR" -maxdepth 1 -type l | head -n 1)
  [[ -n $any ]] || return 0
  build "$any/lib" -o client tests/real/client.c -ldl
  build "$any/lib" -fPIC -shared -o libuser.so tests/real/library.c -l:libnccl.so.2
  build "$any/lib" -o client-linked tests/real/client.c tests/real/library.c -ldl -l:libnccl.so.2
}

# build LIBRARIES OPTION...: with the file named by -o in this file's folder.
build() {
  local libraries=$1 options=()
  shift
  while [[ $# -gt 0 ]]; do
    if [[ $1 == -o ]]; then
      options+=(-o "$BATS_FILE_TMPDIR/$2")
      shift
    else
      options+=("$1")
    fi
    shift
  done
  "$CC" "${CLIENT_CFLAGS[@]}" "-L$libraries" "${options[@]}"
}

setup() {
  setup_shim
  REAL=$BATS_FILE_TMPDIR/client
  LINKED=$BATS_FILE_TMPDIR/client-linked
  USER_LIBRARY=$BATS_FILE_TMPDIR/libuser.so
}

# same_both_ways CMD...: prints the same, errno and NCCL's last error included, and ends the same with and without us.
same_both_ways() {
  local plain plain_status
  run --separate-stderr timeout 60 "$@"
  plain=$output
  plain_status=$status
  shim "$@"
  equals "$plain" "$output"
  equals "$plain_status" "$status"
  equals "" "${stderr:-}"
}

# decided VERSION PATH ROUTE: the six calls of calls.h went to this copy by this route; the registrations were rewritten. Its
# results are those that the program got.
decided() {
  local head results
  head=$(jq -nc '$ARGS.positional' --args "$1" "$2" "$3")
  equals "[$head,[2,0,\"rewritten\"]]
[$head,[3,1,\"rewritten\"]]" \
    "$(records register "select(.nccl_path == \"$2\") | [[.nccl, .nccl_path, .route], [.flags_in, .flags_out, .verdict]]")"
  results=$(journal "select(.nccl_path == \"$2\") | select(.event | IN(\"register\", \"deregister\", \"devcomm\")) | .result")
  equals "$(sed -n "/^NCCL/q; s/^\(register\|deregister\|device\).*: result \([0-9]*\),.*/\2/p" <<<"$output")" "$results"
  equals 6 "$(wc -l <<<"$results")"
  equals 0 "$(journal 'select(.event == "exit") | .uncovered')"
}

link_time() {
  with_nccl "$1"
  same_both_ways "$LINKED" linked
  decided "$1" "$LIBRARY" plt
  [[ $output == *"NCCL $(code "$1")" ]] || { show; false; }
}

# code VERSION: 2.28.9 is 22809.
code() {
  local major minor patch
  IFS=. read -r major minor patch <<<"$1"
  echo $((major * 10000 + minor * 100 + patch))
}

rtld_local() {
  with_nccl "$1"
  same_both_ways "$REAL" "local:$USER_LIBRARY"
  decided "$1" "$LIBRARY" plt
  equals "\"$USER_LIBRARY\"" "$(records register .caller | sort -u)"
}

by_handle() {
  with_nccl "$1"
  same_both_ways "$REAL" "handle:$LIBRARY"
  decided "$1" "$LIBRARY" dlsym
}

rtld_default() {
  with_nccl "$1"
  same_both_ways "$LINKED" default
  equals '"rewritten"' "$(records register .verdict | sort -u)"
  equals "[\"$1\",\"$LIBRARY\"]" "$(records register '[.nccl, .nccl_path]' | sort -u)"
}

rtld_global() {
  with_nccl "$1"
  same_both_ways "$REAL" "global:$LIBRARY"
  equals '"rewritten"' "$(records register .verdict | sort -u)"
  equals "[\"$1\",\"$LIBRARY\"]" "$(records register '[.nccl, .nccl_path]' | sort -u)"
}

by_ctypes() {
  with_nccl "$1"
  same_both_ways python3 "$BATS_TEST_DIRNAME/client.py" "$LIBRARY"
  equals "[\"dlsym\",2,0,\"rewritten\",\"$1\",\"$LIBRARY\"]" \
    "$(records register '[.route, .flags_in, .flags_out, .verdict, .nccl, .nccl_path]' | sort -u)"
  equals 2 "$(records register | wc -l)"
}

# past_us ROUTE: the calls pass us by, the program is as without us, and the journal says which copy was out of reach. The audit
# library decides them.
past_us() {
  with_nccl "$1"
  same_both_ways "$REAL" "$2:$USER_LIBRARY"
  if audited; then
    decided "$1" "$LIBRARY" plt
    return
  fi
  equals "" "$(records register)"
  equals "\"$LIBRARY\"" "$(records uncovered .nccl_path)"
}

@test "2.28.9: a call bound at link time" { link_time 2.28.9; }
@test "2.32.3: a call bound at link time" { link_time 2.32.3; }
@test "2.28.9: a library linked to NCCL and loaded RTLD_LOCAL" { rtld_local 2.28.9; }
@test "2.32.3: a library linked to NCCL and loaded RTLD_LOCAL" { rtld_local 2.32.3; }
@test "2.28.9: dlopen and dlsym of the handle" { by_handle 2.28.9; }
@test "2.32.3: dlopen and dlsym of the handle" { by_handle 2.32.3; }
@test "2.28.9: dlsym of RTLD_DEFAULT with NCCL linked" { rtld_default 2.28.9; }
@test "2.32.3: dlsym of RTLD_DEFAULT with NCCL linked" { rtld_default 2.32.3; }
@test "2.28.9: dlsym of RTLD_DEFAULT after dlopen with RTLD_GLOBAL" { rtld_global 2.28.9; }
@test "2.32.3: dlsym of RTLD_DEFAULT after dlopen with RTLD_GLOBAL" { rtld_global 2.32.3; }
@test "2.28.9: Python's ctypes" { by_ctypes 2.28.9; }
@test "2.32.3: Python's ctypes" { by_ctypes 2.32.3; }
@test "2.28.9: a library loaded RTLD_DEEPBIND is out of reach, and said to be" { past_us 2.28.9 deepbind; }
@test "2.32.3: a library loaded RTLD_DEEPBIND is out of reach, and said to be" { past_us 2.32.3 deepbind; }
@test "2.28.9: a library in another namespace is out of reach, and said to be" { past_us 2.28.9 newlm; }
@test "2.32.3: a library in another namespace is out of reach, and said to be" { past_us 2.32.3 newlm; }

# Both libraries, to be had together.
with_both() {
  with_nccl 2.28.9
  old=$LIBRARY
  with_nccl 2.32.3
  new=$LIBRARY
}

@test "both versions in one process by handle: each call reaches its own" {
  with_both
  same_both_ways "$REAL" "handle:$old" "handle:$new" "handle:$old"
  equals "[\"2.28.9\",\"$old\"]
[\"2.28.9\",\"$old\"]
[\"2.32.3\",\"$new\"]
[\"2.32.3\",\"$new\"]
[\"2.28.9\",\"$old\"]
[\"2.28.9\",\"$old\"]" "$(records register '[.nccl, .nccl_path]')"
  equals "NCCL 22809
NCCL 23203
NCCL 22809" "$(grep ^NCCL <<<"$output")"
}

@test "one version linked, the other by handle: each call reaches its own" {
  with_both
  same_both_ways "$LINKED" linked "handle:$old" linked
  equals "[\"plt\",\"2.32.3\",\"$new\"]
[\"dlsym\",\"2.28.9\",\"$old\"]
[\"plt\",\"2.32.3\",\"$new\"]" "$(records register '[.route, .nccl, .nccl_path]' | uniq)"
}

@test "one version in a library loaded RTLD_LOCAL, the other by handle: each call reaches its own" {
  with_both
  same_both_ways "$REAL" "local:$USER_LIBRARY" "handle:$old"
  equals "[\"plt\",\"2.32.3\",\"$new\"]
[\"dlsym\",\"2.28.9\",\"$old\"]" "$(records register '[.route, .nccl, .nccl_path]' | uniq)"
  equals "NCCL 23203
NCCL 22809" "$(grep ^NCCL <<<"$output")"
}

@test "a policy that makes windows strict, on the version that knows the bit and on the one that does not" {
  with_both
  printf '[winord]\nversion = 1\n\n[rule all]\nordering = strict\n' >"$WINORD_CONF"
  same_both_ways "$REAL" "handle:$old" "handle:$new"
  equals '["2.28.9","strict_no_effect"]
["2.32.3",null]' "$(records register 'select(.flags_in == 2) | [.nccl, .warning]')"
  equals '[2,2] [3,3] [2,2] [3,3]' "$(records register '[.flags_in, .flags_out]' | paste -sd ' ')"
}
