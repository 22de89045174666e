S := $(T)/stress
STRESS_TESTS := $(S)/code_test $(S)/look_test $(S)/scenario_test $(S)/outcome_test $(S)/options_test $(S)/plan_test

$(S)/look_test: bench/stress/look.c bench/stress/outcome.c bench/stress/histogram.c
$(S)/scenario_test $(S)/options_test $(S)/plan_test: bench/stress/scenario.c
$(S)/plan_test: bench/stress/gpu/plan.c
$(S)/outcome_test: bench/stress/outcome.c bench/stress/histogram.c
$(S)/options_test: bench/stress/options.c
$(STRESS_TESTS): private override LDFLAGS += -Wl,--no-as-needed -lm
