"""pynccl.py WRAPPER LIBRARY: registers windows by vLLM's pynccl_wrapper.py, unchanged, in a process without the rest of vLLM.

What the wrapper imports of vLLM is stood in for, and PyTorch too where it is not installed. LIBRARY is NCCL, or the tests' fake
one: then there is a communicator; of functions that it lacks the wrapper is not told. Real NCCL gets none, since that takes a
GPU, and then a bad one. Printed is what Python gets: the same with and without winord.
"""
import ctypes
import importlib.util
import logging
import sys
import types


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    sys.modules[name] = module


def load_wrapper(path, library):
    if importlib.util.find_spec("torch") is None:
        stand_in("torch", dtype=object)
        stand_in("torch.distributed", ReduceOp=object)
    stand_in("vllm")
    stand_in("vllm.envs", VLLM_USE_NCCL_SYMM_MEM=True)
    stand_in("vllm.logger", init_logger=logging.getLogger)
    stand_in("vllm.platforms", current_platform=types.SimpleNamespace(is_rocm=lambda: False))
    stand_in("vllm.utils")
    stand_in("vllm.utils.nccl", find_nccl_library=lambda: library)
    spec = importlib.util.spec_from_file_location("pynccl_wrapper", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def register(nccl, name, comm):
    buffer = ctypes.create_string_buffer(1 << 20)
    for flags in range(4):
        try:
            window = nccl.ncclCommWindowRegister(comm, ctypes.addressof(buffer), len(buffer), flags)
            print(f"{name} communicator, {flags}: window {'set' if window else 'null'}")
            nccl.ncclCommWindowDeregister(comm, window)
        except RuntimeError as error:
            print(f"{name} communicator, {flags}: {str(error)!r}")


def main(path, library):
    wrapper = load_wrapper(path, library)
    copy = ctypes.CDLL(library)
    fake = hasattr(copy, "fakeLastFlags")
    if fake:
        known = [f for f in wrapper.NCCLLibrary.exported_functions if hasattr(copy, f.name)]
        wrapper.NCCLLibrary.exported_functions = known
    nccl = wrapper.NCCLLibrary()
    print("NCCL", nccl.ncclGetVersion(), "PyTorch", getattr(sys.modules["torch"], "__version__", "none"))
    if fake:
        register(nccl, "own", nccl.ncclCommInitRank(2, nccl.ncclGetUniqueId(), 1))
        return
    register(nccl, "no", None)
    nothing = ctypes.create_string_buffer(8192)
    register(nccl, "bad", ctypes.addressof(nothing))


main(*sys.argv[1:])
