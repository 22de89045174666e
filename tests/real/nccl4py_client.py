"""Registers a window by nccl4py, NVIDIA's own binding, with no communicator and with a bad one."""
import ctypes

from nccl.bindings import nccl

print("NCCL", nccl.get_version())
buffer = ctypes.create_string_buffer(8192)
no_comm = ctypes.create_string_buffer(8192)
for name, address in ("no", 0), ("bad", ctypes.addressof(no_comm)):
    try:
        nccl.comm_window_register(nccl.Comm(address), ctypes.addressof(buffer), len(buffer), 2)
        print(f"{name} communicator: accepted")
    except nccl.NCCLError as error:
        print(f"{name} communicator: {type(error).__name__} {error}")
