"""Trains nothing: takes --fixed bytes and --each more for each sample of a batch, touches them all, and writes
a lap log. Options: --batch N, --laps N, --floor BYTES (its start takes so much, then gives it back),
--train N: samples of the training set, --grow BYTES: kept after every lap, --validation BYTES and
--checkpoint BYTES: taken for three seconds after the laps."""

import argparse
import os
import time

options = argparse.ArgumentParser()
for name in ("batch", "laps", "fixed", "each", "floor", "train", "grow", "validation", "checkpoint"):
    options.add_argument(f"--{name}", type=int, default=0)
given = options.parse_args()


def taken(size):
    return b"x" * size  # every page is written


class Log:
    def __init__(self):
        self.start = time.monotonic_ns()
        folder = os.environ.get("LAPCAST_LOG_DIR")
        self.file = open(os.path.join(folder, f"laps.{os.getpid()}.log"), "x") if folder else None
        if self.file:
            self.file.write(f"lapcast-laps 1\n0 hello clock={self.start} wall={time.time():.6f} pid={os.getpid()}\n")

    def event(self, text):
        if self.file:
            self.file.write(f"{time.monotonic_ns() - self.start} {text}\n")
            self.file.flush()


log = Log()
batch = min(given.batch, given.train or given.batch)
log.event(f"plan steps={given.laps} batch={given.batch}")
taken(given.floor)
kept = [taken(given.fixed)]
for lap in range(given.laps):
    activations = taken(given.each * batch)
    time.sleep((2 + batch / 100) / 1000)
    log.event(f"i {batch}")
    del activations
    kept.append(taken(given.grow))
for moment in ("validation", "checkpoint"):
    if getattr(given, moment):
        log.event(f"{moment}-begin")
        held = taken(getattr(given, moment))
        time.sleep(3)  # lapcast looks every two seconds at the least
        del held
        log.event(f"{moment}-end 8")
log.event("bye")
