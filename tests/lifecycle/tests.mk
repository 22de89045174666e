# A library whose constructor has a thread register a window, and waits for it.
FAKES += $(F)/libconstructor.so
$(F)/libconstructor.so: tests/lifecycle/constructor.c $(F)/libnccl.so.2
	$(CC) $(TEST_CFLAGS) -fPIC -shared $(LAZY) -Wl,-soname,$(@F) -o $@ $< -L$(F) -l:libnccl.so.2 -Wl,-rpath,'$$ORIGIN' -pthread
