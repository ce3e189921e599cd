#!/usr/bin/env python3
"""Acts as the login shell of a hostile machine: `hostile_shell.py MODE -c COMMAND`. It prints the
marker that lapcast waits for and then the output of the mode instead of the command's."""

import json
import os
import re
import sys
import time

MODE, COMMAND = sys.argv[1], sys.argv[3]
ESCAPE = "\x1b[2J\x1b]0;owned\x07\x9b31m"
out = sys.stdout.buffer


def say(*pieces):
    for piece in pieces:
        out.write(piece.encode("latin-1") if isinstance(piece, str) else piece)
    out.flush()


def flood(piece, total=1 << 30, to=out):
    for _ in range(total // len(piece)):
        to.write(piece)


def forever(*pieces):
    while True:
        say(*pieces)
        time.sleep(0.01)


def log_in():
    say("\n", re.search(r"echo (lapcast-[0-9a-f]+)", COMMAND).group(1), "\n")


def request():
    return json.loads(sys.stdin.buffer.readline())


def agent():
    if MODE == "garbage":
        say("B\nS \0\0\0\nP -1 nan x\nR {\"format\":\"lapcast-run\",\n", ESCAPE, "\n")
    elif MODE == "escapes":
        say("B\nP 1 1 1 1 1 - ", ESCAPE, "\nX ", ESCAPE, "its reason\n")
    elif MODE == "says-no":
        say("X ", ESCAPE, "A" * 10_000, "\n")
    elif MODE == "not-lapcast":
        say("usage: lapcast [-h] ", ESCAPE, "\n")
    elif MODE == "other-system":
        say("N tool ", ESCAPE, "Plan9 mips\n")
    elif MODE == "keeps-nothing":
        say("N program\n")
    elif MODE == "no-line":
        say("B\n")
        flood(b"x" * (1 << 20))
    elif MODE == "answer-without-line":
        flood(b"x" * (1 << 16))
    elif MODE == "lost":
        say("B\n")
        sys.stderr.write(ESCAPE + "out of luck\n")
        sys.exit(3)
    elif MODE == "endless":
        request()
        say("B\n")
        forever("P 1 1 1 1 1 - ", ESCAPE, "\nL\n")
    elif MODE == "other-run":
        run = request()["run"]
        claims = {"id": "0123456789ab", "program": ["rm", "-rf"], "settings": {"batch": "666"}, "sweep": "feed",
                  "working_dir": "/etc", "place": "here", "imported_from": "nowhere", "offer": "free"}
        run |= {"outcome": {"kind": "not-started", "why": ESCAPE + "claims"}, "started_ns": 1, "ended_ns": 2}
        run |= claims
        run["machine_type"] = {"name": "another"}
        say("B\nR ", json.dumps(run), "\n")
    elif MODE == "many-values":
        say("B\nR {\"format\":\"lapcast-run\",\"version\":1,\"cpus\":[")
        flood(b"1," * (1 << 19), 100 << 20)
        say("1]}\n")
    elif MODE == "deep":
        say("B\nR ", "[" * 1_000_000, "\n")


def checks():
    """Answers in place of `lapcast agent checks`."""
    for line in sys.stdin.buffer:
        if line.startswith(b"clock"):
            say("clock ", {"garbage": "-99999999999999999999", "escapes": ESCAPE}.get(MODE, "1"), "\n")
        elif line.startswith(b"take"):
            sys.stdin.buffer.read(int(line.split()[1]))
            say("took", ESCAPE, "\n")
        elif MODE == "no-line":
            flood(b"x" * (1 << 16))
        elif MODE == "escapes":
            say("machine {}\nfolder ", ESCAPE, "\nend\n")
        elif MODE == "garbage":
            say("disk_free -1\nmachine \0\n", "program x\n" * 100, "end\n")
        else:
            flood(b"program \x1b[2J\n" * 1000)


if MODE == "login-flood":
    flood(b"y\n" * (1 << 15))
    time.sleep(100)
log_in()
if MODE == "error-flood":
    flood(b"\x1b[31mwoe\n" * (1 << 13), to=sys.stderr.buffer)
    time.sleep(100)
elif re.search(r"\bagent\W+checks\b", COMMAND):
    checks()
elif re.search(r"\bagent\W+(begin|follow)\b", COMMAND):
    agent()
elif MODE == "output-flood":
    flood(b"x" * (1 << 16))
else:
    os.execvp("sh", ["sh", "-c", COMMAND[COMMAND.index("exec "):]])
