#!/usr/bin/env python3
"""complete.py SHELL RC: presses TAB in an interactive SHELL that has read the file RC, whose prompt is READY>.

Each line of standard input is `LINE => WORD...`: after LINE and TAB the terminal must show all words, the line so far not
counted. A word that begins with ! must not be shown. Prints what fails; ends with status 1 if anything did.
"""
import os
import pty
import re
import select
import signal
import sys
import time

PROMPT = b"READY>"
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\x07\r]")


def read_until(terminal, done, seconds):
    """What the terminal shows, until done(of it) or so many seconds have passed."""
    text, end = b"", time.monotonic() + seconds
    while not done(text) and time.monotonic() < end:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                text += os.read(terminal, 65536)
            except OSError:
                break
    return ESCAPES.sub(b"", text)


def start(shell, rc):
    environment = dict(os.environ, TERM="dumb", INPUTRC="/dev/null", COLUMNS="200", ZDOTDIR=os.path.dirname(rc))
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(shell, [shell, "-i"] if shell == "zsh" else [shell, "--rcfile", rc, "-i"], environment)
    return child, terminal


def press(terminal, line, words):
    """Presses TAB behind the line; returns what is wrong, or None."""
    wanted = [word.encode() for word in words if word[0] != "!"]
    typed = line.encode()

    def shown(text):
        return ESCAPES.sub(b"", text).partition(typed)[2]

    os.write(terminal, typed + b"\t")
    text = read_until(terminal, lambda text: all(word in shown(text) for word in wanted), 10)
    lacking = [word for word in words if word[0] != "!" and word.encode() not in shown(text)]
    lacking += [word for word in words if word[0] == "!" and re.search(rb"(?<![\w-])" + re.escape(word[1:].encode()), shown(text))]
    # Not Ctrl-C, which throws away what is typed next. The arithmetic: what is echoed while it is typed is no answer.
    os.write(terminal, b"\x15echo DONE$((1 + 1))\r")
    read_until(terminal, lambda text: PROMPT in text.partition(b"DONE2")[2], 10)
    return f"{line!r}: {' '.join(lacking)}: {shown(text)!r}" if lacking else None


def main():
    child, terminal = start(*sys.argv[1:3])
    failures = []
    try:
        if PROMPT not in read_until(terminal, lambda text: PROMPT in text, 20):
            sys.exit("the shell shows no prompt")
        for case in sys.stdin:
            line, _, words = case.rstrip("\n").partition(" => ")
            failures.append(press(terminal, line, words.split()))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    failed = [failure for failure in failures if failure]
    print("\n".join(failed) or f"{len(failures)} lines completed")
    sys.exit(1 if failed or not failures else 0)


main()
