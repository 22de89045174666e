#!/usr/bin/env bats
# The tests of how calls are bound, with the audit library in the preload's place.

bats_require_minimum_version 1.5.0

# under_audit FILE
under_audit() {
  WINORD_ROUTE=audit run bats --tap "$BATS_TEST_DIRNAME/../$1" 3>&-
  [[ $status -eq 0 && $output == *"ok 1 "* ]] || { grep -v '^ok' <<<"$output"; return 1; }
}

@test "routes" { under_audit routes/routes.bats; }
@test "NCCL without the functions" { under_audit routes/missing.bats; }
@test "errno" { under_audit routes/errno.bats; }
@test "several copies" { under_audit copies/copies.bats; }
@test "communicators" { under_audit copies/communicators.bats; }
@test "dlsym's answers" { under_audit dlsym/semantics.bats; }
@test "other preloaded libraries, sanitizers and allocators" { under_audit dlsym/neighbours.bats; }
@test "programs without DT_DEBUG" { under_audit dlsym/untagged.bats; }
@test "threads, fork, exec, exit" { under_audit lifecycle/lifecycle.bats; }
@test "the real NCCL" { under_audit real/routes.bats; }
@test "aarch64" { under_audit aarch64/binding.bats; }
@test "what was registered" { under_audit observe/effect.bats; }
