# The RMA plugin, build/libwinord-fabric.so: a test instrument, never installed. libcuda is loaded when it is needed.
PLUGIN_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/plugin/*.c)) \
  $(BUILD)/bench/fabric/ordering.o $(BUILD)/bench/fabric/faults.o

# nodelete: NCCL may unload it while a thread of another communicator is on its way out.
$(BUILD)/libwinord-fabric.so: $(PLUGIN_OBJECTS) bench/plugin/plugin.map bench/plugin/plugin.mk
	$(CC) $(CFLAGS) -shared -Wl,-z,defs -Wl,-z,nodelete -Wl,-soname,libwinord-fabric.so \
	  -Wl,--version-script=bench/plugin/plugin.map $(LDFLAGS) -o $@ $(PLUGIN_OBJECTS) -lm -ldl -pthread

$(BUILD)/bench/plugin/%.o: bench/plugin/%.c bench/plugin/plugin.mk
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -D_GNU_SOURCE -fPIC -pthread -c -o $@ $<
