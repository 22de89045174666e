# The hunter. It loads the simulated NCCL, or the library of the GPU backends, at run time: the windows go through whatever is
# preloaded.
STRESS_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/stress/*.c))
$(BUILD)/winord-stress: $(STRESS_OBJECTS) $(BUILD)/libpolicy.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(STRESS_OBJECTS) $(BUILD)/libpolicy.a $(INIH_A) $(JANSSON_A) -lm -ldl

# `winord qualify` tells ranks as the hunter does.
CLI_OBJECTS += $(BUILD)/bench/stress/launch.o
$(BUILD)/winord: $(BUILD)/bench/stress/launch.o

$(BUILD)/bench/stress/%.o: bench/stress/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -D_GNU_SOURCE -c -o $@ $<

# The GPU backends, build/winord-stress-gpu.so, by `make gpu`: needs nvcc, and NCCL (2.29.7 to 2.32.3) in NCCL_HOME, whose headers
# come first: the toolkit has older ones. It runs on that version of NCCL and on later ones.
NVCC ?= nvcc
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(realpath $(shell command -v $(NVCC))))
NCCL_HOME ?= $(CUDA_HOME)
GPU_ARCH ?= 90
GPU_INCLUDES = -I. -isystem $(NCCL_HOME)/include -isystem $(CUDA_HOME)/include
# nvcc looks into the toolkit after -I, but before -isystem.
GPU_CUDA_INCLUDES = -I. -I$(NCCL_HOME)/include
GPU_C_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/stress/gpu/*.c)) \
  $(patsubst %,$(BUILD)/bench/stress/gpu/shared/%.o,outcome histogram scenario)
GPU_CUDA_OBJECTS := $(patsubst %.cu,$(BUILD)/%.o,$(wildcard bench/stress/gpu/*.cu))

.PHONY: gpu
gpu: $(BUILD)/winord-stress-gpu.so

$(BUILD)/winord-stress-gpu.so: $(GPU_C_OBJECTS) $(GPU_CUDA_OBJECTS) bench/stress/gpu/gpu.map
	$(CC) -shared $(LDFLAGS) -Wl,--version-script=bench/stress/gpu/gpu.map -o $@ $(GPU_C_OBJECTS) $(GPU_CUDA_OBJECTS) \
	  -L$(NCCL_HOME)/lib -l:libnccl.so.2 -L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/targets/x86_64-linux/lib -lcudart_static -lstdc++ \
	  -lrt -lpthread -ldl -lm

# NCCL's headers declare functions of no arguments the old way.
$(BUILD)/bench/stress/gpu/%.o: bench/stress/gpu/%.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -Wstrict-prototypes,$(ALL_CFLAGS)) -fgnu89-inline $(GPU_INCLUDES) -D_GNU_SOURCE -fPIC -c -o $@ $<

$(BUILD)/bench/stress/gpu/shared/%.o: bench/stress/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -D_GNU_SOURCE -fPIC -c -o $@ $<

$(BUILD)/bench/stress/gpu/%.o: bench/stress/gpu/%.cu
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -lineinfo -gencode arch=compute_$(GPU_ARCH),code=sm_$(GPU_ARCH) $(GPU_CUDA_INCLUDES) -Xcompiler -fPIC \
	  -MMD -MP -c -o $@ $<
