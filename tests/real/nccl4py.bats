#!/usr/bin/env bats
# nccl4py, NVIDIA's own Python binding, as it comes from PyPI: it asks dlsym for RTLD_DEFAULT first, then for its own handle.

load ../helpers
load real

NCCL4PY=0.6.0

# Installs it into a folder of build/ that is kept, with what importing its low-level part takes; prints the folder.
install_nccl4py() {
  local cache=$PWD/build/nccl4py folder temporary
  mkdir -p "$cache"
  folder=$cache/$NCCL4PY-$(python3 -c 'import sys; print(sys.implementation.cache_tag)') || return
  (
    flock 9
    [[ ! -d $folder ]] || exit 0
    temporary=$(mktemp -d "$cache/installing.XXXXXX")
    python3 -m pip install --quiet --disable-pip-version-check --no-cache-dir --root-user-action=ignore --retries 2 \
      --timeout 20 --only-binary=:all: --no-deps --target "$temporary" "nccl4py==$NCCL4PY" 'cuda-pathfinder>=1.5.4,<2' \
      numpy 9>&- && mv "$temporary" "$folder"
    result=$?
    rm -rf "$temporary"
    exit "$result"
  ) 9>"$cache/lock" >&2 || return
  echo "$folder"
}

setup_file() {
  find_versions
  local folder
  if folder=$(install_nccl4py 2>"$BATS_FILE_TMPDIR/why-nccl4py"); then
    ln -s "$folder" "$BATS_FILE_TMPDIR/nccl4py"
  else
    complain "tests/real: no nccl4py $NCCL4PY: $(tail -n 1 "$BATS_FILE_TMPDIR/why-nccl4py")"
  fi
}

setup() { setup_shim; }

# client VERSION: the client on this version of NCCL, without and with us.
client() {
  local plain
  with_nccl "$1"
  [[ -e $BATS_FILE_TMPDIR/nccl4py ]] || lacking "nccl4py: $(tail -n 1 "$BATS_FILE_TMPDIR/why-nccl4py")"
  export PYTHONPATH=$BATS_FILE_TMPDIR/nccl4py PYTHONDONTWRITEBYTECODE=1
  run --separate-stderr timeout 60 python3 "$BATS_TEST_DIRNAME/nccl4py_client.py"
  plain=$output
  equals 0 "$status"
  shim python3 "$BATS_TEST_DIRNAME/nccl4py_client.py"
  equals 0 "$status"
  equals "$plain" "$output"
  equals "" "${stderr:-}"
}

# decided VERSION: both registrations were decided, on this copy, with the result that the program was told.
decided() {
  local result
  result=$(sed -n 's/^.*NCCLError .*(\([0-9]*\)).*/\1/p' <<<"$output" | sort -u)
  equals 2 "$(records register | wc -l)"
  equals "[2,0,\"rewritten\",\"$1\",\"$LIBRARY\",$result]" \
    "$(records register '[.flags_in, .flags_out, .verdict, .nccl, .nccl_path, .result]' | sort -u)"
  [[ $(records register .caller | sort -u) == *nccl*.so\" ]] || { show; false; }
}

@test "2.28.9: nccl4py raises the same exceptions, and is decided" {
  client 2.28.9
  decided 2.28.9
}

@test "2.32.3: nccl4py raises the same exceptions, and is decided" {
  client 2.32.3
  decided 2.32.3
}
