STATS_TESTS := $(T)/stats/stats_test $(T)/stats/histogram_test
$(T)/stats/stats_test: bench/stress/stats.c tests/stats/reference.inc
$(T)/stats/histogram_test: bench/stress/histogram.c
# The libraries of a unit test come first on its line.
$(STATS_TESTS): private override LDFLAGS += -Wl,--no-as-needed -lm
