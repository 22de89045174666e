# A program that makes its own faults, which needs the names it defines seen by the libraries.
$(eval $(call program,faults/worker,faults/worker.c,libnccl.so.2,-rdynamic -fno-builtin))
$(T)/faults/worker: tests/faults/inject.c tests/faults/inject.h
FAULT_TESTS := $(patsubst tests/%.c,$(T)/%,$(wildcard tests/faults/*_test.c))
$(FAULT_TESTS): tests/faults/harness.c
$(eval $(call program,faults/soaking,faults/soaking.c,libnccl.so.2))
