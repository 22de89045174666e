# Fuzzing: `make fuzz TIME=seconds` runs every target so long, two at a time, from the tests' own inputs, and fails when there is a
# finding; each stands in build/fuzz/findings. FUZZ="policy hca": these alone. Figures: docs/reliability.md.
TIME ?= 20
FUZZ_TARGETS := policy facts hca glob json journal $(if $(filter x86_64,$(ARCH)),dlsym)
FUZZ ?= $(FUZZ_TARGETS) facts-from
Z := $(BUILD)/fuzz
FUZZ_CFLAGS := $(STANDARD) -D_GNU_SOURCE= $(WARNINGS) -O1 -g -fno-omit-frame-pointer -I. -MMD -MP \
  -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined

FUZZ_POLICY := $(wildcard policy/*.c)
FUZZ_policy := $(FUZZ_POLICY) $(filter-out cli/main.c,$(wildcard cli/*.c)) $(wildcard report/*.c facts/*.c collect/*.c)
FUZZ_facts := $(FUZZ_POLICY)
FUZZ_hca := $(FUZZ_POLICY)
FUZZ_glob := $(FUZZ_POLICY)
FUZZ_json := shim/json.c policy/text.c
FUZZ_journal := $(FUZZ_POLICY) cli/expect.c cli/say.c cli/text.c report/scan.c report/scan_json.c report/fields.c
FUZZ_dlsym := shim/dlsym.c shim/dl.c shim/elf.c shim/linker.c
# The target's own look-ups stand in for those of shim/dl.c.
$(Z)/dlsym: FUZZ_LDFLAGS := -Wl,-z,muldefs

$(Z)/o/%.o: %.c
	@mkdir -p $(@D)
	$(CLANG) $(FUZZ_CFLAGS) -c -o $@ $<

# The stub under another name: the program's own dlsym, which the sanitizers use, stays libc's.
$(Z)/o/fuzz/stub.o: shim/$(ARCH)/dlsym.S
	@mkdir -p $(@D)
	$(CLANG) -Ddlsym=stub_dlsym -c -o $@ $<

# What a target shares with no other stands in an archive, so that only what it calls is linked.
define fuzz_target
$$(Z)/$(1).a: $$(FUZZ_$(1):%.c=$$(Z)/o/%.o)
	rm -f $$@
	$$(AR) rcs $$@ $$^
$$(Z)/$(1): $$(Z)/o/fuzz/$(1).o $$(Z)/o/fuzz/fuzz.o $(if $(filter dlsym,$(1)),$$(Z)/o/fuzz/stub.o) $$(Z)/$(1).a
	$$(CLANG) -fsanitize=fuzzer,address,undefined $$(FUZZ_LDFLAGS) -o $$@ $$^ $$(INIH_A) $$(JANSSON_A) -ldl
endef
$(foreach target,$(FUZZ_TARGETS),$(eval $(call fuzz_target,$(target))))

# The unit tests' own inputs: the same programs, with a reader in between that keeps what they read.
FUZZ_KEPT := $(addprefix $(Z)/keep/,policy/errors_test policy/files_test policy/decide_test policy/doubts_test policy/glob_test \
  guard/guard_test facts/facts_test facts/hca_test)
$(FUZZ_KEPT): $(Z)/keep/%: tests/%.c fuzz/keep.c $(BUILD)/libpolicy.a
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) -D_GNU_SOURCE -Wl,--wrap=policy_read,--wrap=facts_read,--wrap=ib_hca_allows,--wrap=glob_match \
	  -o $@ $(filter %.c,$^) $(BUILD)/libpolicy.a $(INIH_A) -lcmocka

.PHONY: fuzz fuzz-targets fuzz-corpora
fuzz-targets: $(FUZZ_TARGETS:%=$(Z)/%) $(FUZZ_FACTS)
fuzz-corpora: $(FUZZ_KEPT)
	@fuzz/corpora '$(BUILD)'

fuzz:
	@$(MAKE) --no-print-directory -s fuzz-targets fuzz-corpora
	@MAKE='$(MAKE)' fuzz/run '$(BUILD)' '$(TIME)' $(FUZZ)
