"""client.py LIBRARY: registers a window of the (fake) NCCL as vLLM's pynccl does, by ctypes."""
import ctypes
import sys

nccl = ctypes.CDLL(sys.argv[1])


class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_char * 128)]


nccl.ncclCommInitRank.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, UniqueId, ctypes.c_int]
nccl.ncclCommWindowRegister.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int]

comm = ctypes.c_void_p()
window = ctypes.c_void_p()
buffer = ctypes.create_string_buffer(4096)
nccl.ncclCommInitRank(ctypes.byref(comm), 16, UniqueId(), 3)
result = nccl.ncclCommWindowRegister(comm, buffer, len(buffer), ctypes.byref(window), 2)
print(f"register result={result} flags={nccl.fakeLastFlags():#x}")
