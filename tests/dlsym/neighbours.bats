#!/usr/bin/env bats
# Other preloaded libraries, sanitizers and allocators beside the shim, in either order.

load ../helpers
setup() { setup_shim; }

JEMALLOC=$(ldconfig -p | sed -n 's/.*libjemalloc\.so\.2 .*=> //p' | head -1)

@test "another interposer after us sees the call once, and so do we" {
  PRELOAD="$SHIM $BESIDE/libother.so" TIME_LIMIT=10 shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x0 win=set errno=0" "other: 1 calls"
  equals 1 "$(records register | wc -l)"
}

@test "another interposer before us sees the call once, and so do we" {
  PRELOAD="$BESIDE/libother.so $SHIM" TIME_LIMIT=10 shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x0 win=set errno=0" "other: 1 calls"
  equals 1 "$(records register | wc -l)"
}

@test "with another interposer between, the copy of NCCL and its version are still known" {
  for order in "$SHIM $BESIDE/libother.so" "$BESIDE/libother.so $SHIM"; do
    rm -f "$LOG"
    PRELOAD=$order TIME_LIMIT=10 shim "$CLIENT" plt reg=2
    equals '["2.30.7","libnccl.so.2"]' "$(records register '[.nccl, (.nccl_path | split("/") | last)]')"
  done
}

@test "another interposer that fails with an RTLD_LOCAL NCCL fails no other way with us" {
  PRELOAD=$BESIDE/libother.so shim "$LOADER" "local:$FAKE/libplugin.so"
  local alone=$output
  for order in "$SHIM $BESIDE/libother.so" "$BESIDE/libother.so $SHIM"; do
    PRELOAD=$order TIME_LIMIT=10 shim "$LOADER" "local:$FAKE/libplugin.so"
    [[ $output == "$alone" || $output == "libplugin.so flags=0 registrations=1 deregistrations=1"* ]] || { show; false; }
    equals 0 "$status"
  done
}

@test "another tool that hooks dlsym, before us" {
  for tool in libhookdlsym.so libhookdlsym-O0.so; do
    rm -f "$LOG"
    PRELOAD="$BESIDE/$tool $SHIM" TIME_LIMIT=10 shim "$CLIENT_DL" "handle:$NCCL" reg=2
    [[ $output == "register result=0 flags=0x"?" win=set errno=0"* && $output == *"hookdlsym: seen"* ]] || { show; false; }
    equals 0 "$status"
  done
}

@test "another tool that hooks dlsym, after us: we decide, and it sees the look-up" {
  for tool in libhookdlsym.so libhookdlsym-O0.so; do
    rm -f "$LOG"
    PRELOAD="$SHIM $BESIDE/$tool" TIME_LIMIT=10 shim "$CLIENT_DL" "handle:$NCCL" reg=2
    printed "register result=0 flags=0x0 win=set errno=0" "hookdlsym: seen"
    equals '"rewritten"' "$(records register .verdict)"
  done
}

@test "both other tools at once, in every order" {
  local a=$SHIM b=$BESIDE/libother.so c=$BESIDE/libhookdlsym.so order
  for order in "$a $b $c" "$a $c $b" "$b $a $c" "$b $c $a" "$c $a $b" "$c $b $a"; do
    rm -f "$LOG"
    PRELOAD=$order TIME_LIMIT=10 shim "$CLIENT" plt reg=2
    [[ $output == "register result=0 flags=0x0 win=set errno=0"* && $output == *"other: 1 calls"* ]] || { show; false; }
    equals 1 "$(records register | wc -l)"
  done
}

@test "the shim named twice in LD_PRELOAD decides once" {
  PRELOAD="$SHIM $SHIM" shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x0 win=set errno=0"
  equals 1 "$(records register | wc -l)"
}

@test "a program with gcc's AddressSanitizer" {
  ASAN_OPTIONS=verify_asan_link_order=0 shim "$FAKE/client-asan-gcc" plt reg=2 dereg
  printed "register result=0 flags=0x0 win=set errno=0" "deregister result=0 errno=0"
}

@test "a program with gcc's AddressSanitizer, preloaded before us" {
  local runtime
  runtime=$(ldd "$FAKE/client-asan-gcc" | sed -n 's/.*libasan.* => \([^ ]*\) .*/\1/p')
  PRELOAD="$runtime $SHIM" shim "$FAKE/client-asan-gcc" plt reg=2 dereg
  printed "register result=0 flags=0x0 win=set errno=0" "deregister result=0 errno=0"
}

@test "a program with clang's AddressSanitizer" {
  shim "$FAKE/client-asan-clang" plt reg=2 dereg
  printed "register result=0 flags=0x0 win=set errno=0" "deregister result=0 errno=0"
}

@test "a program with AddressSanitizer that looks NCCL up by dlsym" {
  shim "$FAKE/client-asan-clang" "handle:$NCCL" reg=2 dereg
  printed "register result=0 flags=0x0 win=set errno=0" "deregister result=0 errno=0"
}

@test "a program with ThreadSanitizer, 8 threads" {
  preload_only "its thread-local data finds no room beside an audit library"
  # Ours is not compiled with it, so it cannot see our atomics, nor blame the program.
  TSAN_OPTIONS=ignore_noninstrumented_modules=1 shim "$FAKE/client-tsan" plt threads=8,50
  [[ $status -eq 0 ]] || [[ $stderr != *"unexpected memory mapping"* ]] || lacking "memory layout that this TSan knows"
  printed "threads registrations=400"
  equals "" "$stderr"
  equals 400 "$(records register | wc -l)"
}

@test "jemalloc preloaded, before us and after" {
  [[ -n $JEMALLOC ]] || lacking "libjemalloc.so.2"
  # jemalloc by itself may leave an errno behind, where it finds no /sys.
  PRELOAD=$JEMALLOC TIME_LIMIT=10 shim "$CLIENT_DL" "handle:$NCCL" reg=2 threads=4,20
  local alone=${output//flags=0x2/flags=0x0}
  for order in "$JEMALLOC $SHIM" "$SHIM $JEMALLOC"; do
    PRELOAD=$order TIME_LIMIT=10 shim "$CLIENT_DL" "handle:$NCCL" reg=2 threads=4,20
    [[ $output == *"register result=0 flags=0x0 win=set"*"threads registrations=81" ]]
    equals "$alone" "$output"
  done
}

@test "an allocator that calls dlsym from malloc, before us and after" {
  for order in "$BESIDE/liballocator.so $SHIM" "$SHIM $BESIDE/liballocator.so"; do
    PRELOAD=$order TIME_LIMIT=10 shim "$CLIENT_DL" "handle:$NCCL" reg=2
    printed "register result=0 flags=0x0 win=set errno=0"
  done
}
