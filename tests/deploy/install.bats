#!/usr/bin/env bats
# `make install`: all of it, and used from where it was put.
load ../helpers

setup_file() {
  export ROOT=$BATS_FILE_TMPDIR/root PREFIX=/opt/winord
  timeout -k 5 200 make -s -C "$BATS_TEST_DIRNAME/../.." BUILD="$WINORD_BUILD" DESTDIR="$ROOT" PREFIX="$PREFIX" install
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  HERE=$ROOT$PREFIX
  printf '[winord]\nversion = 1\n[rule all]\nordering = relaxed\naccept-hazard = yes\n' >policy.conf
  export WINORD_FACTS=$PWD/none
  # shellcheck disable=SC2034 # records reads it
  LOG=$PWD/journal
}

# relaxed WINORD OPTION...: a program run by it registers, and what NCCL gets is relaxed.
relaxed() {
  local winord=$1
  shift
  run --separate-stderr timeout -k 2 60 "$winord" run -c policy.conf -o journal "$@" -- "$CLIENT" plt reg=2
  printed 'register result=0 flags=0x0 win=set errno=0' && equals '["rewritten",0]' "$(records register '[.verdict,.flags_out]')"
}

@test "every file that is installed" {
  wanted=(
    bin/winord bin/winord-stress
    lib/libwinord-audit.so lib/libwinord-nodlsym.so lib/libwinord-verbs.so lib/libwinord.so
    share/bash-completion/completions/winord
    share/man/man1/winord.1 share/man/man1/winord-stress.1 share/man/man5/winord.conf.5 share/man/man7/libwinord.7
    share/winord/deploy/60-winord.rules
    share/winord/deploy/kubernetes/{facts,job,policy}.yaml
    share/winord/deploy/slurm-prolog share/winord/deploy/slurm-task-prolog share/winord/deploy/winord-facts.service
    share/winord/examples/{deepep-direct,deepep-hybrid,nccl-ep,protection,registry}.conf
    share/zsh/site-functions/_winord
  )
  equals "$(printf '%s\n' "${wanted[@]}" | sort)" "$(cd "$HERE" && find . -type f -printf '%P\n' | sort)"
}

@test "programs can be executed, libraries and texts not; nothing is writable by others" {
  equals $'bin/winord\nbin/winord-stress\nshare/winord/deploy/slurm-prolog\nshare/winord/deploy/slurm-task-prolog' \
    "$(cd "$HERE" && find . -type f -perm /111 -printf '%P\n' | sort)"
  equals '' "$(find "$ROOT" ! -type l -perm /022)"
}

@test "the command finds its libraries; no variable of the loader is needed" {
  relaxed "$HERE/bin/winord"
}

@test "--audit, --no-dlsym and --observe find theirs" {
  relaxed "$HERE/bin/winord" --audit
  rm journal
  relaxed "$HERE/bin/winord" --no-dlsym
  rm journal
  relaxed "$HERE/bin/winord" --observe
}

@test "by a symbolic link, and moved elsewhere, also below a folder with a space" {
  ln -s "$HERE/bin/winord" winord
  relaxed ./winord
  rm journal
  mkdir 'other place'
  cp -a "$HERE" 'other place/winord'
  TMPDIR=$PWD XDG_RUNTIME_DIR='' relaxed 'other place/winord/bin/winord'
}

@test "the command and its libraries in one folder, as an init container copies them" {
  mkdir flat
  cp "$HERE"/bin/winord "$HERE"/lib/*.so flat/
  relaxed flat/winord
}

@test "what was written for /usr names the prefix" {
  grep -q "^ExecStart=$PREFIX/bin/winord facts --write$" "$HERE/share/winord/deploy/winord-facts.service"
  for file in "$HERE"/share/winord/deploy/slurm-*; do
    grep -q "WINORD:-$PREFIX/bin/winord" "$file"
  done
  run grep -rIl -e "$ROOT" -e /usr/bin/winord "$ROOT"
  equals '' "$output"
}

@test "policies to start from are right" {
  run --separate-stderr "$HERE/bin/winord" check "$HERE"/share/winord/examples/*.conf
  equals 0 "$status"
}
