#!/usr/bin/env bats
# Programs into which nothing can be preloaded are named, and run.

# shellcheck disable=SC2154 # set by bats
load ../cli/common
setup() { setup_cli; }

compile() { gcc "$@" -x c - <<<'int main(void) { return 7; }'; }

@test "statically linked" {
  compile -static -o static
  winord run -- ./static
  exits 7
  complains 'static is statically linked'
  compile -static-pie -o static-pie
  winord run -- ./static-pie
  exits 7
  complains 'is statically linked'
}

@test "a script that a static program runs" {
  compile -static -o static
  printf '#!%s\n' "$PWD/static" >script
  chmod +x script
  winord run -- ./script
  exits 7
  complains 'static is statically linked'
}

@test "an ordinary program and script are not complained about" {
  compile -o plain
  printf '#!/usr/bin/env sh\nexit 7\n' >script
  chmod +x script
  winord run -- ./plain
  exits 7
  silent
  winord run -- ./script
  exits 7
  silent
}

@test "set-user-ID, set-group-ID, but not one's own" {
  [[ $(id -u) == 0 ]] || skip 'needs root, to give a file away'
  [[ $(findmnt -no OPTIONS -T "$PWD") != *nosuid* ]] || skip 'set-user-ID does not count on this file system'
  compile -o program
  chmod 4755 program
  winord run -- ./program
  exits 7
  silent
  chown 65534 program
  chmod 4755 program
  winord run -- ./program
  exits 7
  complains 'is set-user-ID'
  chown 0:65534 program
  chmod 2755 program
  winord run -- ./program
  exits 7
  complains 'is set-group-ID'
  run setpriv --no-new-privs "$WINORD" run -- ./program
  equals 7 "$status"
  equals '' "$output"
}

@test "file capabilities, for who is not root" {
  [[ $(id -u) == 0 ]] || skip 'needs root, to set capabilities'
  local folder
  folder=$(mktemp -d /tmp/winord-test-XXXXXX)
  chmod 755 "$folder"
  cp "$WINORD" "$WINORD_BUILD"/libwinord*.so "$folder"
  compile -o "$folder/program"
  setcap cap_net_raw+ep "$folder/program" || { rm -r "$folder"; skip 'no file capabilities here'; }
  cd /
  run setpriv --reuid 65534 --clear-groups "$folder/winord" run -- "$folder/program"
  rm -r "$folder"
  equals 7 "$status"
  [[ $output == *'has file capabilities'* ]]
}

@test "another machine, another class, musl" {
  compile -o program
  cp program arm && printf '\xb7\0' | dd of=arm bs=1 seek=18 conv=notrunc status=none
  winord run -- ./arm
  complains 'is for another kind of machine'
  cp program small && printf '\x01' | dd of=small bs=1 seek=4 conv=notrunc status=none
  winord run -- ./small
  complains 'is of another ELF class'
  compile -o musl -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1
  winord run -- ./musl
  complains 'is linked to musl'
}

@test "with --expect these end in 70" {
  printf 'int main(void) { return 0; }' | gcc -static -o static -x c -
  winord run --expect any -- ./static
  exits 70
  complains 'is statically linked'
  complains 'no registration was journalled'
}

@test "gcc's AddressSanitizer, which must be first" {
  [[ -x $WINORD_BUILD/tests/fake/client-asan-gcc ]] || skip 'the ASan client is not built'
  ASAN_OPTIONS='' winord run -- "$WINORD_BUILD/tests/fake/client-asan-gcc" plt reg=2
  complains 'ASAN_OPTIONS=verify_asan_link_order=0'
  ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 winord run -- "$WINORD_BUILD/tests/fake/client-asan-gcc" plt reg=2
  exits 0
  [[ $stderr != *'will refuse to start'* ]]
}
