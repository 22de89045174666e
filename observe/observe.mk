# libwinord-verbs.so: what `winord run --observe` has NCCL open in place of libibverbs.so.1.
OBSERVE_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard observe/*.c)) $(BUILD)/shim/elf.o $(BUILD)/shim/linker.o

$(BUILD)/observe/%.o: observe/%.c
	@mkdir -p $(@D)
	$(CC) $(PIC_CFLAGS) -D_GNU_SOURCE -c -o $@ $<

# An empty library of the real one's name: to need that one takes no more of it.
$(BUILD)/observe/libibverbs.so.1:
	@mkdir -p $(@D)
	$(CC) -shared -nostdlib -x c /dev/null -Wl,-soname,libibverbs.so.1 -o $@

$(BUILD)/libwinord-verbs.so: $(OBSERVE_OBJECTS) $(BUILD)/observe/libibverbs.so.1 observe/verbs.map
	$(CC) $(SHIM_LDFLAGS) -Wl,--version-script=observe/verbs.map -Wl,-soname,libwinord-verbs.so -o $@ $(OBSERVE_OBJECTS) \
	  -Wl,--push-state,--no-as-needed -L$(BUILD)/observe -l:libibverbs.so.1 -Wl,--pop-state
