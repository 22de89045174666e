#!/usr/bin/env bats
# libwinord-verbs.so as a libibverbs.so.1: these functions in these versions are its own, everything else is the real one's.

# shellcheck disable=SC2154 # set by bats
load ../helpers

setup() { LIBRARY=$WINORD_BUILD/libwinord-verbs.so; }

@test "exports exactly the registration calls, in the real library's versions, and one function of ours" {
  equals 'ibv_dereg_mr@@IBVERBS_1.1
ibv_reg_dmabuf_mr@@IBVERBS_1.12
ibv_reg_mr@@IBVERBS_1.1
ibv_reg_mr_iova2@@IBVERBS_1.8
ibv_reg_mr_iova@@IBVERBS_1.7
winord_registrations_1@@WINORD_1' "$(nm -D --defined-only "$LIBRARY" | awk '$2 == "T" {print $3}' | LC_ALL=C sort)"
}

@test "needs libibverbs.so.1 and libc, and nothing newer than GLIBC_2.17" {
  equals $'libc.so.6\nlibibverbs.so.1' "$(readelf -dW "$LIBRARY" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort)"
  equals GLIBC_2.17 "$({ echo GLIBC_2.17; objdump -T "$LIBRARY" | grep -o 'GLIBC_[0-9.]*'; } | sort -V | tail -n 1)"
}

@test "imports nothing of verbs, and nothing of the dynamic linker's but the list of objects" {
  equals '' "$(nm -D --undefined-only "$LIBRARY" | grep -E 'ibv_|dlopen|dlsym|malloc|pthread' || true)"
}

@test "no TLS segment, no constructor, no rpath, no name like libnccl" {
  equals '' "$(readelf -lW "$LIBRARY" | grep -w TLS || true)"
  equals '' "$(readelf -dW "$LIBRARY" | grep -E '\((INIT|INIT_ARRAY|FINI|FINI_ARRAY|RPATH|RUNPATH)\)' || true)"
  equals '  libwinord-verbs.so' "  $(readelf -dW "$LIBRARY" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"
}

# found LIBRARY_PATH: where each function that NCCL asks for is found, by dlvsym on our handle.
found() {
  run env LD_LIBRARY_PATH="$1" timeout -k 2 20 "$WINORD_BUILD/tests/observe/versions" "$LIBRARY"
  equals 0 "$status"
}

@test "the distribution's libibverbs: every function that NCCL asks for is found" {
  ldconfig -p | grep -q 'libibverbs\.so\.1' || lacking libibverbs1
  found ''
  local ours=(ibv_reg_mr ibv_reg_mr_iova2 ibv_reg_dmabuf_mr ibv_dereg_mr 'unversioned ibv_reg_mr')
  equals "$(printf '%s libwinord-verbs.so\n' "${ours[@]}" | sort)" "$(grep libwinord-verbs <<<"$output" | sort)"
  equals '' "$(grep missing <<<"$output" | grep -v '^ibv_query_port_speed ' || true)" # IBVERBS_1.16: rdma-core 62
  equals '' "$(grep -vE 'libwinord-verbs|libibverbs\.so\.1|missing|^devices ' <<<"$output" || true)"
  equals 29 "$(grep -vc '^devices ' <<<"$output")"
  grep -q '^devices ' <<<"$output"
}
