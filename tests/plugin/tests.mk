# The RMA plugin without NCCL and without a GPU: a program that drives it, and a libcuda.so.1 for machines without one.
PLUGIN := $(BUILD)/libwinord-fabric.so
PLUGIN_TEST := $(wildcard tests/plugin/*.h) bench/plugin/rma_api.h tests/plugin/tests.mk
DIRECT_SOURCES := $(filter-out tests/plugin/cuda.c,$(wildcard tests/plugin/*.c))
PROGRAMS += $(T)/plugin/direct
$(T)/plugin/direct: $(DIRECT_SOURCES) $(PLUGIN_TEST) $(PLUGIN)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(TEST_CFLAGS)) -D_GNU_SOURCE -o $@ $(DIRECT_SOURCES) -ldl -pthread

FAKES += $(F)/cuda/libcuda.so.1
$(F)/cuda/libcuda.so.1: tests/plugin/cuda.c
	@mkdir -p $(@D)
	$(CC) $(TEST_CFLAGS) -D_GNU_SOURCE -fPIC -shared -Wl,-soname,libcuda.so.1 -o $@ $< -pthread
