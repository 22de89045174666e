#!/usr/bin/env bats
# winord doctor tells which copies of NCCL a program, a process or this host has, and whether the shim would see them.

# shellcheck disable=SC2154 # set by bats
load common
setup() { setup_cli; }
teardown() { [[ -z ${PROCESS:-} ]] || kill "$PROCESS"; }

compile() { gcc "$@" -x c - <<<'int main(void) { return 0; }'; }

# A library that is no copy of NCCL but holds the text of one's version, and code hidden like one.
hidden_library() {
  printf 'static const char text[] = "NCCL version 2.28.9+cuda13.0";\n__attribute__((used)) static int ncclCommWindowRegister(void) { return text[0]; }\nint f(void) { return ncclCommWindowRegister(); }\n' |
    gcc -shared -fPIC -o "$1" -x c -
}

@test "a program without NCCL, and without any way to it" {
  winord doctor /bin/true
  exits 1
  silent
  says 'program   /bin/true: 64-bit, loader /'
  says 'preload   possible'
  says 'verdict   nothing to see'
}

@test "a program that calls at link time" {
  winord doctor "$CLIENT"
  exits 0
  says "calls     $CLIENT: ncclCommWindowRegister at link time"
  says 'libnccl.so.2: NCCL 2.30.7 (by its ncclGetVersion)'
  says 'verdict   seen: by the link-time calls'
}

@test "a program that loads NCCL at run time" {
  winord doctor "$CLIENT_DL"
  exits 0
  says 'verdict   seen, if it loads NCCL at run time'
}

@test "a library that calls" {
  winord doctor "$FAKE/libplugin.so"
  exits 0
  says "calls     $FAKE/libplugin.so"
  says '2.30.7'
}

@test "a copy of NCCL itself, by version; one too old for windows" {
  winord doctor "$FAKE/2.29.7/libnccl.so.2"
  exits 0
  says "copy      $FAKE/2.29.7/libnccl.so.2: NCCL 2.29.7 (by its ncclGetVersion)"
  says 'nothing calls at link time'
  winord doctor "$FAKE/2.26.2/libnccl.so.2"
  says 'NCCL 2.26.2 (by its ncclGetVersion), which has no window registration'
}

@test "a program found by PATH, and a relative one" {
  winord doctor true
  exits 1
  says '/true: 64-bit'
  compile -o here
  winord doctor ./here
  exits 1
  winord doctor here
  exits 1
  winord doctor no-such-program
  exits 1
  complains 'no such program'
}

@test "statically linked" {
  compile -static -o static
  winord doctor ./static
  exits 1
  says 'preload   not possible: it is statically linked'
  says 'verdict   not seen'
}

@test "set-user-ID of somebody else" {
  [[ $(id -u) == 0 ]] || skip 'needs root, to give a file away'
  compile -o program
  chown 65534 program
  chmod 4755 program
  [[ $(findmnt -no OPTIONS -T "$PWD") != *nosuid* ]] || skip 'set-user-ID does not count on this file system'
  winord doctor ./program
  exits 1
  says 'not possible: it is set-user-ID'
}

@test "another class, another machine, musl" {
  compile -o program
  cp program small
  printf '\x01' | dd of=small bs=1 seek=4 conv=notrunc status=none
  winord doctor ./small
  exits 1
  says 'small: 32-bit'
  says 'is of another ELF class'
  cp program arm
  printf '\xb7\0' | dd of=arm bs=1 seek=18 conv=notrunc status=none
  winord doctor ./arm
  exits 1
  says 'is for another kind of machine'
  compile -o musl -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1
  winord doctor ./musl
  exits 1
  says 'is linked to musl'
}

@test "a script is judged by its interpreter, also behind env" {
  printf '#!/bin/sh\n' >script
  chmod +x script
  winord doctor ./script
  says 'script    ./script: run by /bin/sh'
  printf '#!/usr/bin/env bash\n' >script
  winord doctor ./script
  exits 0
  [[ $output == *'run by '*'/bash'* ]]
}

@test "NCCL built into another library: exported is a copy, hidden is a guess" {
  winord doctor "$FAKE/libbig.so"
  exits 0
  says "copy      $FAKE/libbig.so: NCCL 2.29.7"
  hidden_library libhidden.so
  winord doctor ./libhidden.so
  exits 1
  says 'guess     ./libhidden.so: NCCL 2.28.9 (from a text in the file) built in and not exported'
  says 'verdict   not all seen'
  strip libhidden.so
  winord doctor ./libhidden.so
  exits 1
  says 'guess     ./libhidden.so: NCCL 2.28.9 (from a text in the file)'
  winord doctor "$FAKE/libbig-hidden.so"
  exits 1
  says 'guess     '
}

@test "a program linked to a library with a hidden copy" {
  hidden_library libhidden.so
  printf 'int f(void); int main(void) { return f() == 0; }' | gcc -o program -x c - -L. -l:libhidden.so -Wl,-rpath,"$PWD"
  winord doctor ./program
  exits 1
  says "guess     $PWD/libhidden.so"
}

@test "a copy whose calls are bound to itself" {
  printf 'int pncclCommWindowRegister(void) { return 0; } int ncclCommWindowRegister(void) { return 0; }\nint g(void) { return ncclCommWindowRegister(); }\n' |
    gcc -shared -fPIC -Wl,-Bsymbolic -o libsymbolic.so -x c -
  winord doctor ./libsymbolic.so
  exits 1
  says 'uncovered ./libsymbolic.so'
}

@test "a library that is missing is named" {
  compile -shared -fPIC -o libgone.so
  compile -o program -Wl,--no-as-needed -L. -l:libgone.so
  winord doctor ./program
  says 'missing   libgone.so'
}

@test "the version of a copy that cannot be loaded comes from its text" {
  compile -shared -fPIC -o libgone.so
  printf 'const char text[] = "NCCL version 2.27.3+cuda12.9"; int pncclCommWindowRegister(void) { return 0; }' |
    gcc -shared -fPIC -o libcopy.so -x c - -Wl,--no-as-needed -L. -l:libgone.so
  rm libgone.so
  winord doctor ./libcopy.so
  says 'NCCL 2.27.3 (from a text in the file)'
}

@test "a copy that hangs, crashes or prints when asked for its version does no harm" {
  for body in 'abort();' 'write(1, "LOUD", 4); write(2, "LOUD", 4); _exit(0);' 'raise(SIGSEGV);'; do
    printf '#include <stdlib.h>\n#include <signal.h>\n#include <unistd.h>\nint pncclCommWindowRegister(void) { return 0; }\nint ncclGetVersion(int *v) { *v = 0; %s }' "$body" |
      gcc -w -shared -fPIC -o libbad.so -x c -
    winord doctor ./libbad.so
    exits 0
    silent
    says 'NCCL of unknown version'
    [[ $output != *LOUD* ]]
  done
}

@test "code of somebody else's files is not run" {
  [[ $(id -u) == 0 ]] || skip 'needs root, to give a file away'
  printf 'int pncclCommWindowRegister(void) { return 0; } int ncclGetVersion(int *v) { *v = 23007; return 0; }' |
    gcc -shared -fPIC -o libcopy.so -x c -
  winord doctor ./libcopy.so
  says 'NCCL 2.30.7 (by its ncclGetVersion)'
  chown 65534 libcopy.so
  winord doctor ./libcopy.so
  says 'NCCL of unknown version'
}

@test "what is no program: a folder, a text, an empty file, a pipe, nothing" {
  echo text >text
  : >empty
  mkfifo pipe
  for path in . ./text ./empty ./pipe ./missing /dev/null; do
    TIME_LIMIT=10 winord doctor "$path"
    exits 1
    complains "$path: "
  done
}

@test "damaged ELF files give less, and never a crash" {
  cp "$FAKE/libplugin.so" whole
  local size at
  size=$(stat -c %s whole)
  for ((at = 0; at < size; at += 1 + size / 150)); do
    head -c "$at" whole >"cut"
    winord doctor ./cut
    [[ $status == 0 || $status == 1 ]] || {
      echo "cut at $at"
      show
      return 1
    }
  done
  RANDOM=4711
  for ((at = 0; at < 150; at++)); do
    cp whole bent
    for _ in 1 2 3; do # in the headers, where it hurts, and anywhere
      printf '\xff\xff\xff\x7f' | dd of=bent bs=1 seek=$((16 + RANDOM % 600)) conv=notrunc status=none
      printf '\x%02x' $((RANDOM % 256)) | xargs -0 printf | dd of=bent bs=1 seek=$((16 + RANDOM % (size - 16))) conv=notrunc status=none
    done
    winord doctor ./bent
    [[ $status == 0 || $status == 1 ]] || {
      echo "bent $at"
      show
      return 1
    }
  done
}

@test "this host: shim, environment, policy, pool, facts" {
  fleet
  sed -i 's/^hosts = metal.*/hosts = */' fleet.conf
  winord doctor
  exits 0
  says 'it loads'
  says 'policy    none'
  says 'relaxed   would be refused here, because '
  WINORD_CONF=$PWD/fleet.conf WINORD_POOL=metal winord doctor
  exits 0
  says "environ   WINORD_CONF=$PWD/fleet.conf"
  says "policy    $PWD/fleet.conf: 3 rules, 2 pools: ok"
  says 'pool      metal (WINORD_POOL)'
  sed -i "s/^hosts = guest.*/hosts = */" fleet.conf
  WINORD_CONF=$PWD/fleet.conf winord doctor
  says 'relaxed   would be carried out here, because it is attested'
  echo junk >>fleet.conf
  WINORD_CONF=$PWD/fleet.conf winord doctor
  exits 1
  complains 'error: '
  says 'relaxed   would be refused here, because the policy has errors'
}

@test "this host: damaged and stale facts are said" {
  echo junk >"$WINORD_FACTS"
  winord doctor
  says "facts     $WINORD_FACTS: damaged ("
  printf '[facts]\nversion = 1\nboot-id = 00000000-0000-0000-0000-000000000000\n' >"$WINORD_FACTS"
  winord doctor
  says "facts     $WINORD_FACTS: stale ("
  rm "$WINORD_FACTS"
  winord doctor
  says "facts     $WINORD_FACTS: missing ("
}

@test "this host: no shim is status 1" {
  mkdir bin
  cp "$WINORD" bin/
  run --separate-stderr bin/winord doctor
  exits 1
  says 'shim      not found'
}

# process COMMAND...: starts it in the background as $PROCESS, when it has printed a line
process() {
  "$@" >started 2>&1 3>&- &
  PROCESS=$!
  for _ in {1..400}; do
    [[ ! -s started ]] || return 0
    sleep 0.05
  done
  return 1
}
WAITING="import time; print('ready', flush=True); time.sleep(100)"

@test "--pid of a process without the shim" {
  process env WINORD_POOL=p python3 -c "$WAITING"
  winord doctor --pid "$PROCESS"
  exits 1
  says "process   $PROCESS: "
  says 'environ   WINORD_POOL=p'
  says 'shim      not loaded'
  says 'verdict   not seen: the shim is not loaded'
}

@test "--pid of a process with the shim and a copy of NCCL, and with the shim alone" {
  process "$WINORD" run -- python3 -c "
import ctypes, time
ctypes.CDLL('$NCCL')
print('ready', flush=True)
time.sleep(100)"
  winord doctor --pid "$PROCESS"
  exits 0
  says "copy      $NCCL: NCCL of unknown version" # no code of it was run
  says '/libwinord.so'
  says 'verdict   seen'
  kill "$PROCESS"
  process "$WINORD" run -- python3 -c "$WAITING"
  winord doctor --pid "$PROCESS"
  exits 1
  says 'verdict   nothing to see'
}

@test "--pid of a process with two copies" {
  process "$WINORD" run -- python3 -c "
import ctypes, time
ctypes.CDLL('$FAKE/copy1/libnccl.so.2')
ctypes.CDLL('$FAKE/copy2/libnccl.so.2')
print('ready', flush=True)
time.sleep(100)"
  winord doctor --pid "$PROCESS"
  exits 0
  says "copy      $FAKE/copy1/libnccl.so.2"
  says "copy      $FAKE/copy2/libnccl.so.2"
}

@test "--pid of a process with the audit library, a copy of NCCL in two namespaces, and with the shim as well" {
  local program="
import ctypes, time
ctypes.CDLL('$NCCL')
dlmopen = ctypes.CDLL(None).dlmopen
dlmopen.restype, dlmopen.argtypes = ctypes.c_void_p, [ctypes.c_long, ctypes.c_char_p, ctypes.c_int]
print('ready' if dlmopen(-1, b'$NCCL', 2) else 'failed', flush=True)
time.sleep(100)"
  process "$WINORD" run --audit -- python3 -c "$program"
  equals ready "$(cat started)"
  winord doctor --pid "$PROCESS"
  exits 0
  says 'environ   LD_AUDIT='
  says '/libwinord-audit.so'
  says 'verdict   seen; a call by an address in data'
  kill "$PROCESS"
  : >started
  process "$WINORD" run --audit -- "$WINORD" run -- python3 -c "$program"
  winord doctor --pid "$PROCESS"
  exits 1
  says '/libwinord-audit.so is loaded as well, and leaves the calls to it'
}

@test "--pid of nobody, of a kernel thread, of no number" {
  winord doctor --pid 2147483647
  exits 1
  complains /proc/2147483647/maps
  for word in 0 -1 x 12x '' 99999999999999999999; do
    winord doctor --pid "$word"
    usage_error doctor
  done
}
