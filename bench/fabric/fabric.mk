# The simulated NCCL, build/sim/libnccl.so.2: for the hunter and the tests, never installed.
FABRIC_SOURCES := $(filter-out bench/fabric/litmus.c,$(wildcard bench/fabric/*.c))
FABRIC_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(FABRIC_SOURCES))

# As in the real library: public functions are called through the PLT, names come lazily, one anonymous version node.
$(BUILD)/sim/libnccl.so.2: $(FABRIC_OBJECTS) bench/fabric/nccl.map bench/fabric/fabric.mk
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -Wl,-z,lazy -Wl,-z,defs -Wl,-soname,libnccl.so.2 \
	  -Wl,--version-script=bench/fabric/nccl.map $(LDFLAGS) -o $@ $(FABRIC_OBJECTS) -lrt -pthread

$(BUILD)/bench/fabric/%.o: bench/fabric/%.c bench/fabric/fabric.mk
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -D_GNU_SOURCE -fPIC -pthread -c -o $@ $<
