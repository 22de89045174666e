"""client.py PATH: registers a window by ctypes, as vLLM's pynccl does, with no communicator and with a bad one."""
import ctypes
import sys

nccl = ctypes.CDLL(sys.argv[1], use_errno=True)
nccl.ncclCommWindowRegister.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int]
nccl.ncclGetLastError.restype = ctypes.c_char_p
nccl.ncclGetLastError.argtypes = [ctypes.c_void_p]

window = ctypes.c_void_p()
buffer = ctypes.create_string_buffer(8192)
for name, comm in ("no", None), ("bad", ctypes.create_string_buffer(8192)):
    ctypes.set_errno(1234)
    result = nccl.ncclCommWindowRegister(comm, buffer, len(buffer), ctypes.byref(window), 2)
    print(f"{name} communicator: result {result}, errno {ctypes.get_errno()}, {nccl.ncclGetLastError(None).decode()}")
