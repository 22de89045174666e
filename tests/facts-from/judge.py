#!/usr/bin/env python3
"""judge.py WINORD EXPECTED CASE...: what `WINORD facts --from` answers about saved outputs, against EXPECTED, and about
copies of them. Prints what is wrong, nothing where all is well.

The answer: each value that EXPECTED names is there and equal; a text "A, or unknown: B" accepts A and exactly that
reason; the list of devices is complete and in order. The host may tell more than EXPECTED names. Of `never` the rules
below are the general form.
Copies that only look different (CRLF, tabs, indented, no-break spaces, terminal colours, UTF-16) give the same answer.
Damaged copies (cut, wrapped, rows in reverse) may know less, but what they know is what the whole file says.
"""
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path


def answer(winord, name, data):
    """Our answer about these bytes."""
    done = subprocess.run([winord, "facts", "--json", "--from", "-"], input=data, capture_output=True, timeout=10)
    if done.returncode != 0 or done.stderr:
        return {"file": name, "failed": f"exit {done.returncode}, {done.stderr.decode(errors='replace')}"}
    return json.loads(done.stdout)


def accepted(expected):
    """The answers that a value of EXPECTED accepts."""
    if not isinstance(expected, str) or ", or unknown: " not in expected:
        return [expected]
    value, reason = expected.split(", or ", 1)
    return [int(value) if value.isdigit() else value, reason]


def differences(expected, actual, where):
    """Lines that say where the two differ."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key, value in expected.items():
            if key not in actual:
                yield f"{where}.{key}: missing"
            else:
                yield from differences(value, actual[key], f"{where}.{key}")
        for key in () if where.startswith("host") else actual.keys() - expected.keys():
            yield f"{where}.{key}: not expected: {actual[key]!r}"
    elif where == "devices" and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{where}: {[device['device'] for device in actual]}"
        for i, (wanted, given) in enumerate(zip(expected, actual)):
            yield from differences(wanted, given, f"{where}[{i}]")
    elif not any(type(actual) is type(value) and actual == value for value in accepted(expected)):
        yield f"{where}: {actual!r} instead of {expected!r}"


def leaves(value, path=()):
    """What an answer claims to know: (path, value), without what is unknown, counted or summed up."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key not in ("file", "worst", "note", "count", "warn", "virt"):
                yield from leaves(member, path + (key,))
    elif isinstance(value, list) and path == ("devices",):
        for device in value:
            known = {key: member for key, member in device.items() if key != "device"}
            yield from leaves(known, path + (device["device"],))
    elif not str(value).startswith("unknown"):
        yield path, value


def surplus(whole, part):
    """What an answer about a damaged copy claims and the one about the whole file does not."""
    known = dict(leaves(whole))
    for path, value in leaves(part):
        if path not in known or known[path] != value:
            yield f"{'.'.join(path)}: {value!r}, of the whole file {known.get(path)!r}"


def named_zeros(part):
    """Devices in mode 0 in an answer about a copy that names none."""
    for device in part["devices"]:
        if device["pci_atomic_mode"]["current"] == 0 and device["device"] != "unknown: no Device line":
            yield f"{device['device']} is in mode 0"


def reverse_rows(text):
    """Rows of each table in reverse."""
    lines, out = text.split("\n"), []
    while lines:
        out.append(lines.pop(0))
        if re.search(r"Configurations:|DEVICE_TYPE|GPU0\s+GPU1|^Device #", out[-1]):
            end = next((i for i, line in enumerate(lines) if not line.strip() or line.startswith("The '")), len(lines))
            out += reversed(lines[:end])
            del lines[:end]
    return "\n".join(out)


def fold(text, words):
    """Lines wrapped at 80 columns, as a terminal (in the middle of words) or a mail program does."""
    out = []
    for line in text.split("\n"):
        out += textwrap.wrap(line, 80, break_long_words=not words, break_on_hyphens=False, drop_whitespace=words,
                             replace_whitespace=False, expand_tabs=False) if words else \
            [line[i:i + 80] for i in range(0, len(line), 80)]
        out += [] if line else [""]
    return "\n".join(out)


def same_copies(data):
    """Copies that say the same: (name, bytes)."""
    text = data.decode()
    yield "crlf", text.replace("\n", "\r\n").encode()
    yield "tab for each blank", text.replace(" ", "\t").encode()
    yield "tab for blanks", re.sub(" +", "\t", text).encode()
    yield "indented", re.sub("(?m)^", "    ", text).encode()
    yield "no-break spaces", text.replace("  ", "\u00a0 ").encode()
    yield "colours", re.sub("(?m)^(.+)$", "\033[4m\\1\033[0m", text).encode()
    yield "utf-16", text.encode("utf-16")
    yield "twice", data + data


def damaged_copies(data):
    """Copies that say less."""
    text = data.decode()
    for eighth in range(1, 8):
        yield f"cut at {eighth}/8", data[:len(data) * eighth // 8]
    yield "rows reversed", reverse_rows(text).encode()
    yield "wrapped in words", fold(text, False).encode()
    yield "wrapped at blanks", fold(text, True).encode()
    yield "lines reversed", "\n".join(reversed(text.split("\n"))).encode()
    yield "doubled line ends", text.replace("\n", "\n\n").encode()
    yield "without names", re.sub(r"(?m)^\s*(PCI device:|Device:|\"device\").*\n|\\nDevice:[^\\]*", "", text).encode()
    yield "without headers", re.sub("(?m)^ *Configurations:.*\n", "", text).encode()


def judge(winord, expected, case):
    """Lines that say what is wrong with the answers about one case."""
    data = case.read_bytes()
    whole = dict(answer(winord, case.name, data), file=case.name)
    for part in ("file", "devices", "host"):
        yield from differences(expected[part], whole.get(part), part)
    for name, copy in same_copies(data):
        given = dict(answer(winord, case.name, copy), file=case.name)
        if given != whole:
            yield f"{name}: {json.dumps(given)} instead of {json.dumps(whole)}"
    for name, copy in damaged_copies(data):
        given = answer(winord, case.name, copy)
        if "failed" in given:
            yield f"{name}: {given['failed']}"
        elif name == "without names":
            yield from (f"{name}: {line}" for line in named_zeros(given))
        else:
            yield from (f"{name}: {line}" for line in surplus(whole, given))


def main():
    winord, expected_file, *cases = sys.argv[1:]
    with open(expected_file, encoding="utf-8") as lines:
        expected = {line["file"]: line for line in map(json.loads, lines)}
    wrong = 0
    for case in map(Path, cases):
        for line in judge(winord, expected[case.name], case):
            print(f"{case.name}: {line}")
            wrong += 1
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
