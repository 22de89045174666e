# Libraries whose functions jump to NCCL in place of a call: name, the copy each is linked to, options.
define thin
FAKES += $(F)/libthin-$(1).so
$(F)/libthin-$(1).so: tests/copies/thin.c tests/copies/thin.h $(F)/$(2)
	$$(CC) $$(TEST_CFLAGS) $(3) -O2 -foptimize-sibling-calls -fPIC -shared $(LAZY) -o $$@ $$< -L$(F)/$(dir $(2)) -l:$(notdir $(2)) \
	  -Wl,-rpath,'$$$$ORIGIN/$(dir $(2))'
endef
$(eval $(call thin,a,copy1/libnccl.so.2))
$(eval $(call thin,b,libncclx.so.1))
$(eval $(call thin,b-silent,libncclx.so.1,-DNO_CALLS))

$(eval $(call program,copies/crossed,copies/crossed.c))
$(T)/copies/crossed: tests/copies/thin.h
$(eval $(call program,copies/churn,copies/churn.c,libnccl.so.2))
