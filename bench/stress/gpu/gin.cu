/* The device API's puts and signals (GIN). */
#include <nccl_device.h>

#include "bench/stress/gpu/kernels.h"
#include "bench/stress/gpu/lanes.cuh"

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 7)
#define STRONG(NAME) ncclGin_Strong##NAME
#define WEAK(NAME) ncclGin_Weak##NAME
#define LOCAL ncclGin_WeakCounterInc
#else /* signals have one strength, told to be strong: a weak one is asked for by that name */
#define STRONG(NAME) ncclGin_##NAME
#define WEAK(NAME) ncclGin_##NAME
#define LOCAL ncclGin_CounterInc
#endif

namespace winord {

struct gin_net {
  static constexpr bool has_source = true;
  const ncclDevComm &comm;
  const ncclWindow_t window;
  const stress &how;
  char *const local;
  uint64_t completions; /* on the lane's counter, at the start */

  __device__ gin_net(const ncclDevComm &comm_, ncclWindow_t window_, char *local_, const arguments &all)
      : comm(comm_), window(window_), how(all.how), local(local_), completions(0) {
    const end &lane = all.ends[blockIdx.x];
    if (!lane.receiving)
      completions = context_of(lane.context).readCounter(lane.counter);
  }

  __device__ ncclGin context_of(unsigned context) const { return ncclGin(comm, (int)(context % comm.ginContextCount)); }

  /* Calls act with the remote action that this lane's signal is. */
  template <typename Act> __device__ void with_signal(const end &lane, uint64_t add, Act act) const {
    if (how.va && how.strong)
      act(STRONG(VASignalAdd){window, lane.signal, add});
    else if (how.va)
      act(WEAK(VASignalAdd){window, lane.signal, add});
    else if (how.strong)
      act(STRONG(SignalAdd){lane.number, add});
    else
      act(WEAK(SignalAdd){lane.number, add});
  }

  template <typename Action>
  __device__ void put_with(const end &lane, uint64_t to, uint64_t from, unsigned bytes, Action action) const {
    const ncclGin gin = context_of(lane.context);
    if (how.reuse == REUSE_COMPLETED)
      gin.put(ncclTeamWorld(comm), (int)lane.peer, window, to, window, from, bytes, action, LOCAL{lane.counter});
    else
      gin.put(ncclTeamWorld(comm), (int)lane.peer, window, to, window, from, bytes, action);
  }

  __device__ void put(const end &lane, uint64_t to, uint64_t from, unsigned bytes, uint64_t add, unsigned, unsigned) {
    if (threadIdx.x != 0)
      return;
    if (!add)
      put_with(lane, to, from, bytes, ncclGin_None{});
    else
      with_signal(lane, add, [&](auto action) { put_with(lane, to, from, bytes, action); });
  }

  __device__ void signal(const end &lane, unsigned context, uint64_t add) const {
    with_signal(lane, add, [&](auto action) { context_of(context).signal(ncclTeamWorld(comm), (int)lane.peer, action); });
  }

  __device__ void word(unsigned peer, unsigned context, uint64_t to, uint64_t value) const {
    context_of(context).putValue(ncclTeamWorld(comm), (int)peer, window, to, value);
  }

  __device__ void begin(const end &lane, uint64_t value) const { word(lane.peer, lane.context, lane.final, value); }

  __device__ void flag(const end &lane, uint64_t value, bool) const { word(lane.peer, lane.context, lane.signal, value); }

  __device__ void completed(const end &lane, unsigned puts) const {
    if (threadIdx.x == 0)
      context_of(lane.context).waitCounter(ncclCoopThread(), lane.counter, completions + puts);
    __syncthreads();
  }

  __device__ void flush(const end &lane) const {
    if (threadIdx.x == 0)
      context_of(lane.context).flush(ncclCoopThread());
    __syncthreads();
  }

  __device__ uint64_t value(const end &lane) const {
    const unsigned context = lane.context + (how.shape == SHAPE_CROSS_CONTEXT); /* each context has its own signals */
    return how.va ? load_acquire(local + lane.signal) : context_of(context).readSignal(lane.number);
  }
};

__global__ void __launch_bounds__(CTA_THREADS) gin_block(const __grid_constant__ ncclDevComm comm,
                                                          ncclWindow_t window, const __grid_constant__ arguments all) {
  char *const local = (char *)ncclGetLocalPointer(window, 0);
  gin_net net(comm, window, local, all);
  run_end(all, local, net);
}

} // namespace winord

extern "C" int gin_launch(const void *comm, void *window, const struct launch_of_block *launch, void *stream) {
  winord::gin_block<<<launch->ends, CTA_THREADS, 0, (cudaStream_t)stream>>>(
      *(const ncclDevComm *)comm, (ncclWindow_t)window, winord::arguments_of(launch));
  return (int)cudaGetLastError();
}

extern "C" int gin_capacity(void) { return winord::capacity_of((const void *)winord::gin_block); }
