# The shim's reader as a program; parts of the collector, alone.
PROGRAMS += $(T)/facts-live/proof
$(T)/facts-live/proof: tests/facts-live/proof.c $(BUILD)/libpolicy.a $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) -o $@ $< $(BUILD)/libpolicy.a $(INIH_A)

$(T)/facts-live/tool_test: collect/tool.c collect/root.c

PROGRAMS += $(T)/facts-live/ask_verbs
$(T)/facts-live/ask_verbs: tests/facts-live/ask_verbs.c $(patsubst %.c,$(BUILD)/%.o,$(wildcard collect/*.c facts/*.c)) \
  $(BUILD)/libpolicy.a
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) -o $@ $^ $(INIH_A) $(JANSSON_A) -ldl

ifneq ($(shell echo '\#include <infiniband/verbs.h>' | $(CC) -E - >/dev/null 2>&1 && echo yes),)
FAKES += $(T)/facts-live/libibverbs.so.1
$(T)/facts-live/libibverbs.so.1: tests/facts-live/libibverbs.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) -fPIC -shared -Wl,-soname,libibverbs.so.1 -o $@ $<
endif
