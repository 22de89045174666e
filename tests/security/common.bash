# For the review's tests: folders that everybody may write, and somebody else.
# shellcheck shell=bash disable=SC2034,SC2154 # read by the files that load this one; set by bats
load ../helpers

ok="register result=0 flags=0x0 win=set errno=0"   # relaxed, as the policy says
kept="register result=0 flags=0x2 win=set errno=0" # as the program asked

# A folder that everybody may write, and that somebody else can reach.
open_folder() {
  OPEN=$BATS_TEST_TMPDIR/open
  mkdir "$OPEN"
  chmod 1777 "$OPEN"
  chmod a+x "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR"/*
}

# somebody COMMAND...: runs it as nobody, where root can.
somebody() {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# no_control TEXT: it has no control character but newlines, and is UTF-8.
no_control() {
  if ! iconv -f UTF-8 -t UTF-8 <<<"$1" >/dev/null || tr -d '\n' <<<"$1" | LC_ALL=C.UTF-8 grep -qP '[\x{0}-\x{1f}\x{7f}-\x{9f}]'; then
    cat -v <<<"$1"
    return 1
  fi
}
