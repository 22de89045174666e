"""torch_windows.py LIBRARY: PyTorch registers NCCL windows in its two ways, by a memory pool and as symmetric memory.

LIBRARY is allocator.c, built. It prints what was done. One process, one GPU, world size 1. Each way stands alone: one that fails is printed and the other still runs. It knows
nothing of winord: what it prints must be the same with and without.
"""
import inspect
import sys

import torch
import torch.distributed as dist

DEVICE = torch.device("cuda", 0)
NUMBERS = 1 << 20


def nccl_version():
    """The version of the NCCL that is loaded, which torch.cuda.nccl.version() may not be: that is of the build."""
    import ctypes

    version = ctypes.c_int(0)
    ctypes.CDLL("libnccl.so.2").ncclGetVersion(ctypes.byref(version))
    return version.value


def register_pool(backend, pool):
    """Registers every segment of the pool as a symmetric window; returns the call that did."""
    try:
        backend.register_mem_pool(pool, symm=True)
        return "register_mem_pool(pool, symm=True)"
    except TypeError:
        backend.register_mem_pool(pool)
        return "register_mem_pool(pool)"


def allocator_of(backend):
    """NCCL's memory, by the backend's own allocator or else by ours, and the name of it."""
    try:
        return backend.mem_allocator, "the backend's allocator"
    except RuntimeError as error:
        print(f"memory_pool: no mem_allocator: {error}", file=sys.stderr)
        ours = torch.cuda.memory.CUDAPluggableAllocator(sys.argv[1], "pool_allocate", "pool_free")
        return ours.allocator(), "an allocator of ours, by ncclMemAlloc"


def make_pool(allocator):
    """A pool of NCCL's memory; before PyTorch 2.9 it was the pool that was told to be symmetric."""
    parameters = inspect.signature(torch.cuda.MemPool.__init__).parameters
    old = [name for name in ("symmetric", "symm_mem") if name in parameters]
    return torch.cuda.MemPool(allocator, **{name: True for name in old[:1]})


def memory_pool():
    backend = dist.group.WORLD._get_backend(DEVICE)
    allocator, name = allocator_of(backend)
    yield name
    pool = make_pool(allocator)
    with torch.cuda.use_mem_pool(pool):
        tensor = torch.ones(NUMBERS, device=DEVICE)
    yield register_pool(backend, pool)
    dist.all_reduce(tensor)
    torch.cuda.synchronize()
    yield f"all_reduce: {tensor.sum().item() == NUMBERS}"
    backend.deregister_mem_pool(pool)
    yield "deregister_mem_pool(pool)"


def symmetric_memory():
    import torch.distributed._symmetric_memory as symmetric

    symmetric.set_backend("NCCL")
    yield f"backend {symmetric.get_backend(DEVICE)}"
    tensor = symmetric.empty(NUMBERS, dtype=torch.float32, device=DEVICE)
    yield "empty"
    handle = symmetric.rendezvous(tensor, group=dist.group.WORLD)
    yield f"rendezvous: rank {handle.rank} of {handle.world_size}, {handle.buffer_size} bytes"
    tensor.fill_(1)
    torch.cuda.synchronize()
    yield f"filled: {tensor.sum().item() == NUMBERS}"


def run(way):
    try:
        for step in way():
            print(f"{way.__name__}: {step}", flush=True)
        return True
    except Exception as error:  # whatever it is, the other way runs too
        text = str(error).strip().splitlines()
        print(f"{way.__name__}: {type(error).__name__}: {text[0] if text else ''}", flush=True)
        print(f"{way.__name__}: {error}", file=sys.stderr, flush=True)
        return False


def main():
    torch.cuda.set_device(DEVICE)
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1, device_id=DEVICE)
    dist.all_reduce(torch.ones(1, device=DEVICE))
    torch.cuda.synchronize()
    print(f"torch {torch.__version__}, NCCL {nccl_version()}", flush=True)
    done = [run(way) for way in (memory_pool, symmetric_memory)]
    try:
        dist.destroy_process_group()
    except Exception as error:
        print(f"destroy_process_group: {error}", file=sys.stderr)
    return 0 if any(done) else 1


if __name__ == "__main__":
    sys.exit(main())
