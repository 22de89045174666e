#!/usr/bin/env bats
# What a preloaded library must be: these exports and no others, nothing needed beyond an old libc, nothing run at load time.

load ../helpers

EXPORTS="dlsym
ncclCommAbort
ncclCommDestroy
ncclCommWindowDeregister
ncclCommWindowRegister
ncclDevCommCreate"
LIBRARIES=("$WINORD_BUILD/libwinord.so" "$WINORD_BUILD/libwinord-nodlsym.so" "$WINORD_BUILD/libwinord-audit.so")
ALL=("${LIBRARIES[@]}" "$WINORD_BUILD/libwinord-verbs.so")

exports() { nm -D --defined-only "$1" | awk '{print $NF}' | sort; }

@test "libwinord.so exports exactly the wrapped names and dlsym, in no version node" {
  equals "$EXPORTS" "$(exports "${LIBRARIES[0]}")"
}

@test "libwinord-nodlsym.so exports exactly the wrapped names" {
  equals "$(grep -v dlsym <<<"$EXPORTS")" "$(exports "${LIBRARIES[1]}")"
}

@test "libwinord-audit.so exports what the dynamic linker asks, and no entry or exit of calls, which would make all of them slow" {
  equals "la_objopen la_symbind64 la_version" "$(exports "${LIBRARIES[2]}" | xargs)"
}

@test "libc alone is needed" {
  for library in "${LIBRARIES[@]}"; do
    equals "libc.so.6" "$(readelf -dW "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')"
  done
}

@test "no symbol newer than GLIBC_2.17 is imported" {
  for library in "${ALL[@]}"; do
    local newest
    newest=$(objdump -T "$library" | grep -o 'GLIBC_[0-9.]*' | sort -V | tail -1)
    equals GLIBC_2.17 "$(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V | tail -1)"
    [[ -n $newest ]]
  done
}

@test "every import is versioned, but the weak ones" {
  for library in "${LIBRARIES[@]}"; do
    equals "" "$(nm -D --undefined-only "$library" | grep ' U ' | grep -v @ || true)"
  done
}

@test "no import has moved into libc.so.6 since glibc 2.17, or has gone" {
  # shellcheck disable=SC2016 # a pattern
  local moved='^(pthread_(create|join|once|mutex_trylock|key|getspecific|setspecific|rwlock|atfork|kill|sigmask|detach|sem)|sem_|dl(open|sym|close|error|addr|info|vsym|mopen)|(f|l)?stat(at)?(64)?$|mknod|clock_nanosleep|timer_|shm_|aio_|__isoc23_|__libc_start|getentropy|getrandom|fcntl64|arc4random|strlcpy|closefrom|__explicit)'
  for library in "${ALL[@]}"; do
    equals "" "$(nm -D --undefined-only "$library" | awk '{print $NF}' | sed 's/@.*//' | grep -E "$moved" || true)"
  done
}

@test "neither malloc nor free is called on the way of dlsym: the stub and its filter import nothing" {
  for object in "$WINORD_BUILD"/shim/*/dlsym.o; do
    equals "" "$(nm -u "$object" | grep -E 'malloc|free|calloc|str|mem|errno|pthread' || true)"
  done
}

@test "no TLS segment" {
  for library in "${ALL[@]}"; do
    equals "" "$(readelf -lW "$library" | grep -w TLS || true)"
  done
}

@test "no constructor" {
  for library in "${LIBRARIES[@]}"; do
    equals "" "$(readelf -dW "$library" | grep -E '\((INIT|INIT_ARRAY|PREINIT_ARRAY)\)' || true)"
    equals "" "$(readelf -SW "$library" | grep -E ' \.(init|init_array|ctors|preinit_array) ' || true)"
  done
}

@test "no text relocation, no executable stack, no writable code" {
  for library in "${ALL[@]}"; do
    equals "" "$(readelf -dW "$library" | grep TEXTREL || true)"
    equals "RW" "$(readelf -lW "$library" | awk '/GNU_STACK/ {print $7}')"
    equals "" "$(readelf -lW "$library" | grep LOAD | grep RWE || true)"
  done
}

@test "no rpath" {
  for library in "${ALL[@]}"; do
    equals "" "$(readelf -dW "$library" | grep -E 'RPATH|RUNPATH' || true)"
  done
}

@test "no file of ours is named like libnccl" {
  equals "" "$(find "$WINORD_BUILD" -maxdepth 1 -name '*libnccl*')"
  for library in "${ALL[@]}"; do
    [[ $(readelf -dW "$library" | grep SONAME) != *libnccl* ]]
  done
}

@test "the name of the build folder is not in the code or its data" {
  for library in "${ALL[@]}"; do
    objcopy --strip-debug "$library" "$BATS_TEST_TMPDIR/stripped.so"
    equals "" "$(strings "$BATS_TEST_TMPDIR/stripped.so" | grep -F "${WINORD_BUILD%/*}" || true)"
  done
}

@test "the code that could end the program is not there: exit, abort, assert" {
  for library in "${ALL[@]}"; do
    equals "" "$(nm -D --undefined-only "$library" | awk '{print $NF}' | sed 's/@.*//' |
      grep -E '^(_?exit|_Exit|abort|__assert.*|quick_exit)$' || true)"
  done
}

@test "dlopen and dlvsym are not hooked, and no helper leaks" {
  for library in "${LIBRARIES[@]}"; do
    equals "" "$(exports "$library" | grep -E '^(dlopen|dlvsym|dlmopen|ini_|pnccl)' || true)"
  done
}

@test "the stub is callable with control-flow protection: it begins with endbr64" {
  [[ $(uname -m) == x86_64 ]] || skip "x86_64 only"
  objdump -d --no-show-raw-insn "${LIBRARIES[0]}" | grep -A1 '<dlsym>:' | grep -q endbr64
}

@test "an empty program starts with each library preloaded, silently" {
  for name in libwinord.so libwinord-nodlsym.so; do
    run --separate-stderr env LD_PRELOAD="$(shim_path "$name")" /bin/true
    equals "0||" "$status|$output|$stderr"
  done
}
