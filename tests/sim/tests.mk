SIM := $(BUILD)/sim/libnccl.so.2
SIM_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
$(T)/sim/fabric_test: $(FABRIC_SOURCES) bench/fabric/litmus.c tests/sim/lanes.c
$(T)/sim/fabric_test: TEST_CFLAGS += -O2 -D_GNU_SOURCE $(SIM_SANITIZE) -pthread

# Programs on the simulated NCCL: file below build/tests, source.
define sim_program
PROGRAMS += $(T)/$(1)
$(T)/$(1): tests/$(2) bench/fabric/fabric.h bench/fabric/nccl.h $(SIM)
	@mkdir -p $$(@D)
	$$(CC) $$(filter-out -MMD -MP,$$(TEST_CFLAGS)) -D_GNU_SOURCE -O2 $(LAZY) -o $$@ $$< -L$(BUILD)/sim -l:libnccl.so.2 \
	  -Wl,-rpath,'$$$$ORIGIN/../../sim' -pthread
endef
$(eval $(call sim_program,sim/rank,sim/rank.c))
$(eval $(call sim_program,sim/speed,sim/speed.c))
$(eval $(call preload,libno-memory.so,sim/no_memory.c,-O2))
