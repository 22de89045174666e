"""workers.py METHOD LIBRARY: registers a window in this process and in two workers, as vLLM's executors do."""
import ctypes
import multiprocessing
import sys


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_char * 128)]


def register(library):
    nccl = ctypes.CDLL(library)
    nccl.ncclCommInitRank.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, UniqueId, ctypes.c_int]
    nccl.ncclCommWindowRegister.argtypes = [
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int]
    comm = ctypes.c_void_p()
    window = ctypes.c_void_p()
    buffer = ctypes.create_string_buffer(4096)
    nccl.ncclCommInitRank(ctypes.byref(comm), 2, UniqueId(), 0)
    nccl.ncclCommWindowRegister(comm, buffer, len(buffer), ctypes.byref(window), 2)
    return hex(nccl.fakeLastFlags())


if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    print(register(sys.argv[2]), flush=True)
    for _ in range(2):
        with multiprocessing.Pool(1) as pool:
            print(pool.apply(register, (sys.argv[2],)), flush=True)
            pool.close()
            pool.join()
