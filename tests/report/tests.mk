# The scanner against jansson, and the set of numbers seen against an array.
$(BUILD)/tests/report/scan_test: report/scan.c report/fields.c report/scan_json.c report/scan.h
$(BUILD)/tests/report/scan_test: INIH_A += $(JANSSON_A)
$(BUILD)/tests/report/sequence_test: report/sequence.c report/memory.c cli/say.c report/sequence.h
