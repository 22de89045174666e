$(T)/ab/stats_test: cli/ab_stats.c
$(T)/ab/metric_test: cli/ab_metric.c cli/text.c cli/say.c
# The library of a unit test comes first on its line.
$(T)/ab/stats_test: private override LDFLAGS += -Wl,--no-as-needed -lm
