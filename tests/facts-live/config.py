#!/usr/bin/env python3
"""config.py: devices' PCI configuration spaces, as sysfs shows them. On standard input a line for each:

FILE endpoint|bridge WORD...
relaxed, requester   the enable bits of its PCI Express capability
acs                  a bridge that redirects peer-to-peer requests
buses=P,S,U          a bridge's primary, secondary and subordinate bus, hexadecimal
class=C, id=V:D      class, vendor and device, hexadecimal
user                 the first 64 bytes alone: what an ordinary user reads
"""
import struct
import sys


def space(kind, words):
    options = dict(word.split("=") for word in words if "=" in word)
    config = bytearray(4096)
    vendor, device = options.get("id", "8086:0000").split(":")
    struct.pack_into("<HH", config, 0x00, int(vendor, 16), int(device, 16))
    struct.pack_into("<H", config, 0x06, 0x10)  # status: there is a list of capabilities
    struct.pack_into("<I", config, 0x08, int(options.get("class", "060400"), 16) << 8)
    config[0x34] = 0x60
    if kind == "bridge":
        config[0x0E] = 1
        config[0x18:0x1B] = bytes(int(bus, 16) for bus in options["buses"].split(","))
    struct.pack_into("<BBH", config, 0x60, 0x10, 0, 2)  # PCI Express
    struct.pack_into("<H", config, 0x68, 0x10 if "relaxed" in words else 0)
    struct.pack_into("<H", config, 0x88, 0x40 if "requester" in words else 0)
    struct.pack_into("<I", config, 0x100, 0x000D | 1 << 16)  # ACS
    struct.pack_into("<H", config, 0x106, 0x1D if "acs" in words else 0x01)
    return config[:64] if "user" in words else config


for line in sys.stdin:
    name, what, *rest = line.split()
    with open(name, "wb") as out:
        out.write(space(what, rest))
