# What lanes, the oracle and puts cost on GPUs: build/bench-gpu. Needs nvcc and NCCL in NCCL_HOME, as `make gpu` does; after
# bench/stress/stress.mk.
GPU_BENCH_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/gpu/*.c)) $(patsubst %.cu,$(BUILD)/%.o,$(wildcard bench/gpu/*.cu)) \
  $(patsubst %,$(BUILD)/bench/stress/gpu/%.o,blocks plan session devcomm lsa shared/outcome shared/histogram shared/scenario)

$(BUILD)/bench-gpu: $(GPU_BENCH_OBJECTS)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(GPU_BENCH_OBJECTS) $(JANSSON_A) -L$(NCCL_HOME)/lib -l:libnccl.so.2 -L$(CUDA_HOME)/lib64 \
	  -L$(CUDA_HOME)/targets/x86_64-linux/lib -lcudart_static -lstdc++ -lrt -lpthread -ldl -lm

$(BUILD)/bench/gpu/%.o: bench/gpu/%.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -Wstrict-prototypes,$(ALL_CFLAGS)) -fgnu89-inline $(GPU_INCLUDES) -D_GNU_SOURCE -c -o $@ $<

$(BUILD)/bench/gpu/%.o: bench/gpu/%.cu
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -lineinfo -gencode arch=compute_$(GPU_ARCH),code=sm_$(GPU_ARCH) $(GPU_CUDA_INCLUDES) -MMD -MP -c -o $@ $<

.PHONY: bench-gpu-build bench-gpu
bench-gpu-build: $(BUILD)/bench-gpu

# OUT: where the tables and the JSON go.
bench-gpu: bench-gpu-build
	@BUILD='$(BUILD)' NCCL_HOME='$(NCCL_HOME)' bench/gpu/run '$(OUT)'
