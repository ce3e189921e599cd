"""Takes a share of every CPU that this process may use, in slices of a few milliseconds. The share
changes in steps of 2 to 200 s. Writes each step to a file: monotonic seconds, share.

usage: thief.py SEED FILE"""

import os
import random
import sys
import time

PERIOD = 0.01  # seconds
SHARES = [0, 0, 0.1, 0.2, 0.35, 0.5]


def take(cpu, seed, file):
    """Never returns. All CPUs have the same steps; the process of the first one writes them."""
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    steps = random.Random(seed)
    while True:
        share = steps.choice(SHARES)
        end = time.monotonic() + 2 * 100 ** steps.random()
        if file:
            print(time.monotonic(), share, file=file, flush=True)
        while (now := time.monotonic()) < end:
            while time.monotonic() < now + share * PERIOD:
                pass
            time.sleep((1 - share) * PERIOD)


def main():
    seed, path = int(sys.argv[1]), sys.argv[2]
    first, *others = sorted(os.sched_getaffinity(0))
    for cpu in others:
        if os.fork() == 0:
            end_with_parent()
            take(cpu, seed, None)
    with open(path, "w") as file:
        take(first, seed, file)


def end_with_parent():
    """Asks the kernel to end this process with the one that forked it."""
    import ctypes
    import signal
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


main()
