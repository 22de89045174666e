# The parsers of saved outputs under libFuzzer, from the cases: `make fuzz-facts TIME=600`. It leaves what it finds in
# the build folder.
TIME ?= 20
FUZZ_FACTS := $(T)/facts-from/fuzz_from
$(FUZZ_FACTS): tests/facts-from/fuzz_from.c $(wildcard facts/*.c facts/*.h)
	@mkdir -p $(@D)
	$(CLANG) -std=gnu11 -D_GNU_SOURCE $(WARNINGS) -O1 -g -fsanitize=fuzzer,address,undefined \
	  -fno-sanitize-recover=undefined -I. -o $@ $(filter %.c,$^) $(JANSSON_A)

.PHONY: fuzz-facts
fuzz-facts: $(FUZZ_FACTS)
	@mkdir -p '$(T)/facts-from/corpus'
	$(FUZZ_FACTS) -max_total_time=$(TIME) -timeout=20 -max_len=16384 -rss_limit_mb=1024 -print_final_stats=0 -verbosity=0 \
	  -dict=tests/facts-from/words.dict -artifact_prefix='$(T)/facts-from/' '$(T)/facts-from/corpus' tests/facts-from/cases
