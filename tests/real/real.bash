# For the tests against real NCCL: where its versions are, and the clients built for them.
# shellcheck shell=bash disable=SC2034 # read by the files that load this one

VERSIONS=(2.28.9 2.32.3)
CC=${CC:-cc}
CLIENT_CFLAGS=(-std=gnu11 -Wall -Wextra -Werror -O2 -I.)

# Past bats and prove, which show no standard error: to the user.
complain() {
  echo "$*" >>"/proc/${BATS_ROOT_PID:-self}/fd/2" || true
} 2>/dev/null

# What `setup_file` calls: $BATS_FILE_TMPDIR/VERSION becomes a link to each version that is to be had.
find_versions() {
  local version folder
  cd "$BATS_TEST_DIRNAME/../.." || return
  for version in "${VERSIONS[@]}"; do
    if folder=$(scripts/fetch-nccl "$version" 2>"$BATS_FILE_TMPDIR/why-$version"); then
      ln -s "$(readlink -f "$folder")" "$BATS_FILE_TMPDIR/$version"
    else
      complain "tests/real: no NCCL $version: $(tail -n 1 "$BATS_FILE_TMPDIR/why-$version")"
    fi
  done
}

# with_nccl VERSION: sets VERSION, FOLDER and LIBRARY, and has the library found by its name. Where there is none it skips the
# test, or in CI fails it.
with_nccl() {
  [[ -e $BATS_FILE_TMPDIR/$1 ]] || lacking "NCCL $1: $(tail -n 1 "$BATS_FILE_TMPDIR/why-$1")"
  VERSION=$1
  FOLDER=$(readlink -f "$BATS_FILE_TMPDIR/$1")
  LIBRARY=$FOLDER/lib/libnccl.so.2
  export LD_LIBRARY_PATH=$FOLDER/lib
}
