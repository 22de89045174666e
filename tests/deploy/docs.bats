#!/usr/bin/env bats
# What the documents tell an operator to type is typed here, and prints what they say.
# shellcheck disable=SC2016 # dollars and back quotes are the documents' own
load ../helpers
load stand-ins

TOP=$BATS_TEST_DIRNAME/../..

# follow DOCUMENT: runs its blocks in a host of their own.
follow() {
  mkdir "$BATS_TEST_TMPDIR/root"
  stand_ins "$BATS_TEST_TMPDIR/root"
  run timeout -s KILL 120 "$BATS_TEST_DIRNAME/blocks" run "$TOP/docs/$1" "$BATS_TEST_TMPDIR/root"
  show
  equals 0 "$status"
}

@test "docs/guide.md" {
  follow guide.md
}

@test "docs/deploy.md" {
  type -P mpirun >/dev/null || lacking mpirun
  follow deploy.md
}

@test "every block of both says whether it is run, and why not" {
  for document in guide deploy; do
    "$BATS_TEST_DIRNAME/blocks" check "$TOP/docs/$document.md" "$BATS_TEST_TMPDIR"
  done
}

# wrong DOCUMENT TEXT: following it fails, and says so.
wrong() {
  mkdir -p root
  printf '%b' "$1" >document.md
  run "$BATS_TEST_DIRNAME/blocks" run document.md root
  equals 1 "$status" && [[ $output == *"$2"* ]]
}

@test "a command that fails, one that prints something else, a block without a comment, none at all: found" {
  cd "$BATS_TEST_TMPDIR"
  wrong '<!-- run -->\n```console\n$ false\n```\n' 'status 1'
  wrong '<!-- run -->\n```console\n$ echo a\nb\n```\n' 'wanted:'
  wrong '<!-- run -->\n```console\n$ echo a\n```\n' 'got:'
  wrong '```console\n$ true\n```\n' 'no comment'
  wrong '<!-- not run: -->\n```console\n$ true\n```\n' 'no comment'
  wrong '<!-- run -->\n```console\n$ exit 0\n$ true\n```\n' 'status'
  wrong 'nothing\n' 'nothing was run'
  printf '<!-- run -->\n```console\n$ printf "%%s\\n" a b c\na\n...\n```\n' >document.md
  run "$BATS_TEST_DIRNAME/blocks" run document.md root
  printed 'document.md: 1 commands'
}

@test "links to files and headings of ours lead somewhere" {
  for document in guide deploy; do
    while read -r link; do
      [[ -e $TOP/docs/$link ]] || {
        echo "$document.md: $link"
        return 1
      }
    done < <(grep -oE '\]\([^)#:]+' "$TOP/docs/$document.md" | cut -c 3-)
  done
}

@test "nothing of ours puts anything into /etc/ld.so.preload" {
  cd "$TOP"
  # Who names it says that one must not: in these files, and in no other.
  run grep -rlF ld.so.preload --exclude-dir=.git --exclude-dir='build*' --exclude-dir=results --exclude-dir='.carry*' .
  equals "$(printf '%s\n' ./docs/deploy.md ./tests/deploy/docs.bats)" "$(sort <<<"$output")"
  equals 1 "$(grep -cF ld.so.preload docs/deploy.md)"
  grep -qF 'Do not put the library into `/etc/ld.so.preload`' docs/deploy.md
}
