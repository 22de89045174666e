# `make check`: builds everything the tests need, then lets prove run them all.
# tests/B/X_test.c becomes build/tests/B/X_test, a cmocka program linked with the policy core; tests/B/X.bats runs as it is.
# What a folder needs beyond stands in its own tests/B/tests.mk: more sources as prerequisites of its programs, more PROGRAMS.
T := $(BUILD)/tests
F := $(T)/fake
CLANG ?= clang

TEST_CFLAGS = -std=gnu11 $(WARNINGS) $(CFLAGS) -I. -Itests/fake -MMD -MP
# Internal calls of public functions go through the PLT, as in the real library.
FAKE_CFLAGS = $(TEST_CFLAGS) -O2 -fPIC -fsemantic-interposition -shared
# Lazy, whatever the distribution's compiler does by default: a program must start although NCCL lacks a function.
LAZY := -Wl,-z,lazy

UNIT_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/*/*_test.c))

HEADERS := $(wildcard policy/*.h collect/*.h facts/*.h tests/*/*.h bench/*/*.h bench/*/*/*.h)
$(UNIT_TESTS): $(BUILD)/tests/%_test: tests/%_test.c $(BUILD)/libpolicy.a $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) $(LDFLAGS) -o $@ $(filter %.c,$^) $(BUILD)/libpolicy.a $(INIH_A) -lcmocka

# Copies of the fake NCCL: file below build/tests/fake, SONAME, version code, further options.
FAKE_DEPENDS := tests/fake/nccl.c tests/fake/fakenccl.h tests/fake/nccl.map tests/tests.mk
define fake_nccl
FAKES += $(F)/$(1)
$(F)/$(1): $(FAKE_DEPENDS)
	@mkdir -p $$(@D)
	$$(CC) $$(FAKE_CFLAGS) -DFAKE_VERSION=$(3) $(4) $(LAZY) -Wl,-soname,$(2) -Wl,--version-script=tests/fake/nccl.map \
	  -o $$@ $$<
endef
$(eval $(call fake_nccl,libnccl.so.2,libnccl.so.2,23007,))
$(eval $(call fake_nccl,libncclx.so.1,libncclx.so.1,22907,))
$(eval $(call fake_nccl,2.26.2/libnccl.so.2,libnccl.so.2,22602,-DFAKE_NO_WINDOWS))
$(eval $(call fake_nccl,2.28.9/libnccl.so.2,libnccl.so.2,22809,))
$(eval $(call fake_nccl,2.29.7/libnccl.so.2,libnccl.so.2,22907,))
$(eval $(call fake_nccl,2.30.7/libnccl.so.2,libnccl.so.2,23007,))
$(eval $(call fake_nccl,2.32.3/libnccl.so.2,libnccl.so.2,23203,))
$(eval $(call fake_nccl,tail/libnccl.so.2,libnccl.so.2,23007,-DFAKE_TAIL_CALL))
$(foreach n,1 2 3 4 5 6 7 8 9 10,$(eval $(call fake_nccl,copy$(n)/libnccl.so.2,libnccl.so.2,23007,)))

# Libraries that call NCCL: file, the copy they are linked with (below build/tests/fake).
define plugin
FAKES += $(F)/$(1)
$(F)/$(1): tests/fake/plugin.c tests/fake/plugin.h tests/fake/plugin.map $(F)/$(2)
	$$(CC) $$(TEST_CFLAGS) -O2 -fPIC -shared $(LAZY) -Wl,--version-script=tests/fake/plugin.map -o $$@ $$< \
	  -L$(F)/$(dir $(2)) -l:$(notdir $(2)) -Wl,-rpath,'$$$$ORIGIN/$(dir $(2))'
endef
$(eval $(call plugin,libplugin.so,2.30.7/libnccl.so.2))
$(eval $(call plugin,libplugin-tail.so,tail/libnccl.so.2))
$(eval $(call plugin,libplugin-x.so,libncclx.so.1))

# NCCL built into another library: for all to see, and hidden.
FAKES += $(F)/libbig.so $(F)/libbig-hidden.so
$(F)/libbig.so: tests/fake/big.map
$(F)/libbig-hidden.so: tests/fake/plugin.map
$(F)/libbig.so $(F)/libbig-hidden.so: tests/fake/nccl.c tests/fake/plugin.c tests/fake/fakenccl.h tests/fake/plugin.h
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(FAKE_CFLAGS)) -DFAKE_VERSION=22907 $(LAZY) -Wl,-soname,$(@F) \
	  -Wl,--version-script=$(firstword $(filter %.map,$^)) -o $@ $(filter %.c,$^)

# Other preloaded libraries, careful (-O0: no jump in place of a call) and usual.
define preload
FAKES += $(F)/$(1)
$(F)/$(1): tests/$(2)
	@mkdir -p $$(@D)
	$$(CC) $$(TEST_CFLAGS) $(3) -fPIC -shared $(LAZY) -Wl,-soname,$(1) -o $$@ $$< -ldl
endef
$(eval $(call preload,libother.so,fake/other.c,-O2))
$(eval $(call preload,libother-O0.so,fake/other.c,-O0))
$(eval $(call preload,libhookdlsym.so,fake/hookdlsym.c,-O2))
$(eval $(call preload,libhookdlsym-O0.so,fake/hookdlsym.c,-O0))
$(eval $(call preload,liballocator.so,fake/allocator.c,-O2))
$(eval $(call preload,liblow.so,dlsym/low.c,-O2))
$(eval $(call preload,libmid.so,dlsym/mid.c,-O2))
$(eval $(call preload,libmid-O0.so,dlsym/mid.c,-O0))

FAKES += $(F)/liblate.so
$(F)/liblate.so: tests/fake/late_library.c $(F)/libnccl.so.2
	$(CC) $(TEST_CFLAGS) -fPIC -shared $(LAZY) -Wl,-soname,$(@F) -o $@ $< -L$(F) -l:libnccl.so.2 -Wl,-rpath,'$$ORIGIN'

# Programs: file below build/tests, source, libraries below build/tests/fake, options, compiler.
define program
PROGRAMS += $(T)/$(1)
$(T)/$(1): tests/$(2) tests/fake/fakenccl.h $(addprefix $(F)/,$(3))
	@mkdir -p $$(@D)
	$(or $(5),$$(CC)) $$(filter-out -MMD -MP,$$(TEST_CFLAGS)) $(LAZY) $(4) -o $$@ $$(filter %.c,$$^) $(if $(3),-Wl$(,)--no-as-needed -L$(F) $(addprefix -l:,$(3)) \
	  -Wl$(,)-rpath$(,)'$$$$ORIGIN/../fake' -Wl$(,)--enable-new-dtags) -ldl -pthread
endef
, := ,
$(eval $(call program,fake/client,fake/client.c,libnccl.so.2))
$(eval $(call program,fake/client-now,fake/client.c,libnccl.so.2,-Wl$(,)-z$(,)now))
$(eval $(call program,fake/client-noplt,fake/client.c,libnccl.so.2,-fno-plt))
$(eval $(call program,fake/client-end,fake/client.c,libnccl.so.2,-DEND_BY_ADDRESS))
$(eval $(call program,fake/client-dl,fake/client.c,,-DNO_NCCL))
$(eval $(call program,fake/client-big,fake/client.c,libbig.so))
$(eval $(call program,fake/loader,fake/loader.c))
$(eval $(call program,fake/two,fake/two.c,libnccl.so.2))
$(eval $(call program,fake/many,fake/many.c))
$(eval $(call program,dlsym/lookup,dlsym/lookup.c,,-O2))
$(eval $(call program,dlsym/lookup-O0,dlsym/lookup.c,,-O0))
$(eval $(call program,dlsym/chain,dlsym/chain.c,libmid.so liblow.so))
$(eval $(call program,dlsym/chain-O0,dlsym/chain.c,libmid-O0.so liblow.so))
BINDING_TESTS := $(FAKES) $(PROGRAMS)

$(eval $(call program,fake/late,fake/late.c,libnccl.so.2 liblate.so))
$(eval $(call program,fake/client-asan-gcc,fake/client.c,libnccl.so.2,-fsanitize=address,gcc))
$(eval $(call program,fake/client-asan-clang,fake/client.c,libnccl.so.2,-fsanitize=address,$(CLANG)))
$(eval $(call program,fake/client-tsan,fake/client.c,libnccl.so.2,-fsanitize=thread,gcc))

include $(wildcard tests/*/tests.mk)

.PHONY: test-programs binding-tests
binding-tests: $(BINDING_TESTS)
test-programs: $(FAKES) $(PROGRAMS) $(UNIT_TESTS)

.PHONY: check
check:
	@scripts/setup check
	@$(MAKE) --no-print-directory -s -j2 all test-programs
	@scripts/test '$(BUILD)'

# What takes longer than `make check` may: tests/B/full, by hand.
.PHONY: check-full
check-full: check
	@'$(BUILD)/winord-stress' --prove
	@for test in tests/*/full; do [ ! -x "$$test" ] || WINORD_BUILD='$(abspath $(BUILD))' "$$test" || exit 1; done
