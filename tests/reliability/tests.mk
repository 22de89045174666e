# Instruments: fuzzing, sanitizers, valgrind, gcc's analyzer, line coverage. Figures and how to read them: docs/reliability.md.
include fuzz/fuzz.mk

# `make check-asan`, `make check-tsan`: the whole suite on instrumented programs. The library itself is preloaded into plain
# programs too, and stays plain; its policy core, and its own code where a unit test links it, are instrumented.
SANITIZED := winord winord-stress sim/libnccl.so.2 libwinord-fabric.so $(UNIT_TESTS:$(BUILD)/%=%) \
  $(addprefix tests/,fabric/litmus facts-live/ask_verbs facts-live/proof plugin/direct sim/rank sim/speed)

# Name, options of the compiler, options of the run time. A report is a failure, whatever the test thought of it.
define sanitized_check
.PHONY: check-$(1)
check-$(1): private override BUILD := $(BUILD)/$(1)
check-$(1):
	@scripts/setup check
	@$$(MAKE) --no-print-directory -s -j2 BUILD='$$(BUILD)' all test-programs
	@$$(MAKE) --no-print-directory -s -j2 BUILD='$$(BUILD)/instrumented' CFLAGS='-O1 -g -fno-omit-frame-pointer $(2)' SIM_SANITIZE= \
	  $$(SANITIZED:%='$$(BUILD)/instrumented/%')
	@cd '$$(BUILD)/instrumented' && cp --parents $$(SANITIZED) ..
	@tests/reliability/sanitized '$$(BUILD)' $(3)
endef
$(eval $(call sanitized_check,asan,-fsanitize=address$(,)undefined -fno-sanitize-recover=undefined,ASAN))
$(eval $(call sanitized_check,tsan,-fsanitize=thread,TSAN))

# `make coverage`: lines of policy/ and shim/ that the suite executes. The counted library has constructors and imports that the real
# one may not have, so that the tests of these (tests/abi) fail on it; those failures are listed and do not count here.
COVERED := libwinord.so libwinord-nodlsym.so winord $(UNIT_TESTS:$(BUILD)/%=%) tests/facts-live/proof
.PHONY: coverage
coverage: private override BUILD := $(BUILD)/coverage
coverage:
	@scripts/setup check
	@$(MAKE) --no-print-directory -s -j2 BUILD='$(BUILD)' all test-programs
	@$(MAKE) --no-print-directory -s -j2 BUILD='$(abspath $(BUILD))/instrumented' CFLAGS='-O0 -g --coverage -fprofile-update=atomic' \
	  LDFLAGS=--coverage SIM_SANITIZE= $(COVERED:%='$(abspath $(BUILD))/instrumented/%')
	@cd '$(BUILD)/instrumented' && cp --parents $(COVERED) ..
	@tests/reliability/coverage '$(BUILD)'

.PHONY: valgrind analyze
valgrind: all test-programs
	@tests/reliability/valgrind '$(BUILD)'
analyze:
	@tests/reliability/analyze

$(T)/reliability/json_test: shim/json.c
# Copies of the fake NCCL with the old hash table alone.
$(eval $(call fake_nccl,sysv/libnccl.so.2,libnccl.so.2,23007,-Wl$(,)--hash-style=sysv))
$(eval $(call fake_nccl,sysv-old/libnccl.so.2,libnccl.so.2,22602,-DFAKE_NO_WINDOWS -Wl$(,)--hash-style=sysv))
