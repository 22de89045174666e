"""full_pipe.py SHIM CMD...: runs it preloaded; its standard error is a pipe with room for one page, which nobody reads."""
import os
import subprocess
import sys

reader, writer = os.pipe()
os.set_blocking(writer, False)
try:
    while True:
        os.write(writer, b"x" * 4096)
except BlockingIOError:
    pass
os.read(reader, 4096)
os.set_blocking(writer, True)
environment = dict(os.environ, LD_PRELOAD=sys.argv[1])
try:
    sys.exit(subprocess.run(sys.argv[2:], stderr=writer, env=environment, timeout=8, check=False).returncode)
except subprocess.TimeoutExpired:
    sys.exit("full_pipe.py: it hangs")
