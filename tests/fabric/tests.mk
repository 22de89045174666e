ORDERING := bench/fabric/ordering.c bench/fabric/litmus.c
$(T)/fabric/ordering_test: $(ORDERING)
$(eval $(call program,fabric/litmus,fabric/litmus.c))
$(T)/fabric/litmus: $(ORDERING) bench/fabric/litmus.h bench/fabric/ordering.h
