"""Ends processes with all that they started, also what has left their process group."""

import ctypes
import os
import signal
import time

PR_SET_CHILD_SUBREAPER = 36


def be_their_reaper():
    """Makes this process the parent of those of its descendants whose parents have ended."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def parents():
    """Returns the parent of every living process by its number."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    state, parent = file.read().rsplit(")", 1)[1].split()[:2]
            except OSError:
                continue
            if state != "Z":
                found[int(entry)] = int(parent)
    return found


def descendants(pid):
    by_pid, found, newest = parents(), set(), {pid}
    while newest:
        newest = {child for child, parent in by_pid.items() if parent in newest} - found
        found |= newest
    return found


def name_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode("utf-8", "replace")[:100].strip()
    except OSError:
        return "?"


def end_tree(pid, itself=True):
    """Kills the descendants of a process, and the process if `itself`; returns the command lines of
    those descendants."""
    names = []
    for _ in range(20):
        living = descendants(pid)
        names += [name_of(child) for child in living] if not names else []
        for child in living | ({pid} if itself else set()):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if not living:
            break
        time.sleep(0.02)
    return names


def end_all(pid, grace_s):
    """Asks the group that a process leads to end, as Ctrl-C does, and kills after a while what is
    left of it and of all that it started."""
    try:
        os.killpg(pid, signal.SIGINT)
    except ProcessLookupError:
        pass
    until = time.monotonic() + grace_s
    while time.monotonic() < until and pid in parents():
        time.sleep(0.05)
    end_tree(pid)
