"""megabyte.py NAME SCRIPT ARGUMENT...: runs the script with NAME's value, or "x", repeated up to a megabyte."""
import os
import runpy
import sys

name = sys.argv[1]
value = os.environ.get(name, "x")
if name != "WINORD_LOG":
    value = "x"
os.environ[name] = value * ((1 << 20) // len(value))
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
