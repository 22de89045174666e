# A stand-in for libibverbs.so.1, one as it was before rdma-core 28, and NCCLs that register through them.
OBSERVE_T := $(T)/observe
OBSERVE_HEADERS := tests/observe/verbs.h tests/fake/fakenccl.h
define stub_verbs
FAKES += $(OBSERVE_T)/$(1)/libibverbs.so.1
$(OBSERVE_T)/$(1)/libibverbs.so.1: tests/observe/libibverbs.c tests/observe/libibverbs.map tests/observe/verbs.h
	@mkdir -p $$(@D)
	$$(CC) $$(TEST_CFLAGS) $(2) -fPIC -shared -Wl,-soname,libibverbs.so.1 \
	  -Wl,--version-script=tests/observe/libibverbs.map -o $$@ $$<
endef
$(eval $(call stub_verbs,stub,))
$(eval $(call stub_verbs,old,-DSTUB_OLD))

define observed_nccl
FAKES += $(OBSERVE_T)/$(1)/libnccl.so.2
$(OBSERVE_T)/$(1)/libnccl.so.2: tests/observe/nccl.c $(OBSERVE_HEADERS)
	@mkdir -p $$(@D)
	$$(CC) $$(FAKE_CFLAGS) -DFAKE_VERSION=$(2) $(LAZY) -Wl,-soname,libnccl.so.2 -Wl,--version-script=tests/fake/nccl.map \
	  -o $$@ $$< -ldl
endef
$(eval $(call observed_nccl,2.30.7,23007))
$(eval $(call observed_nccl,2.28.9,22809))

$(eval $(call program,observe/versions,observe/versions.c))
FAKES += $(BUILD)/libwinord-verbs.so
$(BUILD)/tests/observe/registrations_test: observe/registrations.c

# For tests/gpu/observe: a libibverbs whose devices NCCL's own transport can use. Needs <infiniband/verbs.h>.
.PHONY: gpu-verbs
gpu-verbs: $(T)/gpu/libibverbs.so.1
$(T)/gpu/libibverbs.so.1: tests/gpu/verbs.c tests/gpu/verbs.map
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) -O2 -fPIC -shared -Wl,-soname,libibverbs.so.1 -Wl,--version-script=tests/gpu/verbs.map -o $@ $< -pthread
