"""strip_debug.py FROM TO: a copy of a program whose dynamic section has no DT_DEBUG, as ld.lld -z rodynamic makes them."""
import shutil
import struct
import sys

PT_DYNAMIC, DT_DEBUG, ENTRY = 2, 21, 16

shutil.copy(sys.argv[1], sys.argv[2])
with open(sys.argv[2], "r+b") as program:
    header = program.read(64)
    (table,), size, count = struct.unpack_from("<Q", header, 32), *struct.unpack_from("<HH", header, 54)
    for i in range(count):
        program.seek(table + i * size)
        kind, _, offset, _, _, length = struct.unpack("<IIQQQQ", program.read(40))
        if kind == PT_DYNAMIC:
            program.seek(offset)
            old = program.read(length)
            entries = [old[at:at + ENTRY] for at in range(0, length, ENTRY)]
            new = b"".join(entry for entry in entries if struct.unpack_from("<q", entry)[0] != DT_DEBUG)
            assert len(new) == length - ENTRY, "no DT_DEBUG"
            program.seek(offset)
            program.write(new.ljust(length, b"\0"))
