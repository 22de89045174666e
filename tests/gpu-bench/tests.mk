$(T)/gpu-bench/results_test: bench/gpu/results.c bench/gpu/results_json.c bench/stress/scenario.c
# The libraries of a unit test come first on its line.
$(T)/gpu-bench/results_test: private override LDFLAGS += -Wl,--no-as-needed -ljansson
