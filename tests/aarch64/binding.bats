#!/usr/bin/env bats
# How calls are bound on aarch64: the stub in assembly and the rules of RTLD_NEXT, under qemu-user.

load ../helpers

ROOT=/usr/aarch64-linux-gnu
BUILT=${WINORD_BUILD%/*}/build-aarch64

setup_file() {
  run "$BATS_TEST_DIRNAME/build"
  export BUILD_STATUS=$status BUILD_OUTPUT=$output
}

setup() {
  command -v qemu-aarch64 >/dev/null || lacking "qemu-aarch64"
  [[ $BUILD_STATUS -ne 77 ]] || lacking "$BUILD_OUTPUT"
  [[ $BUILD_STATUS -eq 0 ]] || { echo "$BUILD_OUTPUT"; return 1; }
  FAKE=$BUILT/tests/fake
  WINORD_BUILD=$BUILT setup_shim
  NCCL=$FAKE/libnccl.so.2
}

# The emulated program gets the loader's variables, the emulator does not.
preloaded() {
  local variable options=()
  loader
  for variable in "${LOADER[@]}"; do
    options+=(-E "$variable")
  done
  timeout -k 2 "${TIME_LIMIT:-60}" qemu-aarch64 -L "$ROOT" "${options[@]}" "$@"
}

@test "a program without NCCL" {
  shim "$BUILT/tests/dlsym/lookup" default=malloc next=malloc default=ncclCommWindowRegister
  printed "default=malloc libc.so.6 error=no" "next=malloc libc.so.6 error=no" "default=ncclCommWindowRegister NULL error=yes"
  equals "" "$stderr"
  [[ ! -e $LOG ]]
}

@test "a call bound at link time" {
  shim "$FAKE/client" plt errno=1234 reg=2 dereg
  printed "register result=0 flags=0x0 win=set errno=1234" "deregister result=0 errno=1234"
  equals '["plt","rewritten","2.30.7"]' "$(records register '[.route, .verdict, .nccl]')"
}

@test "dlopen and dlsym of the handle" {
  shim "$FAKE/client-dl" "handle:$NCCL" reg=2 destroy
  printed "register result=0 flags=0x0 win=set errno=0" "destroy result=0 errno=0"
  equals '["dlsym","rewritten","2.30.7"]' "$(records register '[.route, .verdict, .nccl]')"
}

@test "dlsym of RTLD_DEFAULT" {
  shim "$FAKE/client-dl" "global:$NCCL" reg=2
  printed "register result=0 flags=0x0 win=set errno=0"
}

@test "NCCL without the symbol gives NULL" {
  shim "$FAKE/client-dl" "handle:$FAKE/2.26.2/libnccl.so.2" reg=2
  printed "register missing"
}

@test "a library with its own RTLD_LOCAL NCCL" {
  shim "$BUILT/tests/fake/loader" "local:$FAKE/libplugin.so" "local:$FAKE/libbig.so"
  printed "libplugin.so flags=0 registrations=1 deregistrations=1" "libbig.so flags=0 registrations=1 deregistrations=1"
}

@test "two copies: each gets its own calls" {
  shim "$FAKE/two" "$FAKE/copy1/libnccl.so.2"
  printed "linked flags=0x0 registrations=1" "opened flags=0x0 registrations=1" \
    "linked flags=0x0 registrations=2" "opened flags=0x0 registrations=2"
}

@test "RTLD_NEXT in other libraries, at -O0 and -O2" {
  for program in chain chain-O0; do
    shim "$BUILT/tests/dlsym/$program"
    printed "value=11 value=11 missing=1"
  done
}

@test "another interposer in both orders, at -O0 and -O2" {
  for other in libother.so libother-O0.so; do
    for order in "$SHIM $BESIDE/$other" "$BESIDE/$other $SHIM"; do
      PRELOAD=$order TIME_LIMIT=20 shim "$FAKE/client" plt reg=2
      printed "register result=0 flags=0x0 win=set errno=0" "other: 1 calls"
    done
  done
}

@test "another tool that hooks dlsym, in both orders" {
  for order in "$SHIM $BESIDE/libhookdlsym.so" "$BESIDE/libhookdlsym.so $SHIM"; do
    PRELOAD=$order TIME_LIMIT=20 shim "$FAKE/client-dl" "handle:$NCCL" reg=2
    [[ $output == "register result=0 flags=0x"?" win=set errno=0"* ]] || { show; false; }
    equals 0 "$status"
  done
}

@test "8 threads" {
  shim "$FAKE/client" plt threads=8,50
  printed "threads registrations=400"
  equals 400 "$(records register | wc -l)"
}

@test "the stub begins with bti, for branch protection" {
  aarch64-linux-gnu-objdump -d --no-show-raw-insn "$SHIM" | grep -A1 '<dlsym>:' | grep -qE 'bti|hint'
}

@test "exports, needed libraries, TLS and constructors are as on x86_64" {
  equals "dlsym ncclCommAbort ncclCommDestroy ncclCommWindowDeregister ncclCommWindowRegister ncclDevCommCreate" \
    "$(nm -D --defined-only "$SHIM" | awk '{print $NF}' | sort | xargs)"
  # The loader is there for the stack protector that Debian's libinih.a is compiled with.
  equals "libc.so.6" "$(readelf -dW "$SHIM" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v "^ld-linux-aarch64")"
  equals "" "$(readelf -lW "$SHIM" | grep -w TLS || true)"
  equals "" "$(readelf -dW "$SHIM" | grep -E '\((INIT|INIT_ARRAY|PREINIT_ARRAY|TEXTREL)\)' || true)"
  equals "GLIBC_2.17" "$(objdump -T "$SHIM" | grep -o 'GLIBC_[0-9.]*' | sort -uV | xargs)"
}
