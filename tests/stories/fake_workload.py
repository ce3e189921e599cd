#!/usr/bin/env python3
"""Acts as a program or maker of the suite, depending on the name by which it was started. It writes
its lap log itself, with times that it chooses, and a line in $FAKE_JOURNAL.

$FAKE_SPREAD   relative difference between the laps of two seeds
$FAKE_UNTIL    file for which it waits
$FAKE_HOLD     N: the program that writes the N-th line of the journal waits for its end
$FAKE_FASTER   how many times as fast the solver of N-Queens is
$FAKE_FAIL     text for stderr; it then exits with status 2
$FAKE_FAIL_AT  N: only the program that writes the N-th line of the journal does so
$FAKE_SAMPLES  training samples in all
$FAKE_MEMORY   bytes that a training holds for each sample of a batch
$FAKE_DEVICE_MEMORY  "1000 10": it reports that its device held 1000 bytes, and 10 for each sample
"""

import json
import os
import sys
import time

NAME = os.path.basename(sys.argv[0])
OPTIONS = dict(zip(sys.argv[1:], sys.argv[2:] + [""]))


def note():
    with open(os.environ["FAKE_JOURNAL"], "a", encoding="utf-8") as journal:
        journal.write(json.dumps({"name": NAME, "pid": os.getpid(), "arguments": sys.argv[1:]}) + "\n")


def take_time():
    with open(os.environ["FAKE_JOURNAL"], encoding="utf-8") as journal:
        line = len(journal.readlines())
    hold = line == int(os.environ.get("FAKE_HOLD", 0))
    while hold or not os.path.exists(os.environ.get("FAKE_UNTIL", "/")):
        time.sleep(0.02)
    if "FAKE_FAIL" in os.environ and line == int(os.environ.get("FAKE_FAIL_AT", line)):
        sys.exit(print(f"{NAME}: {os.environ['FAKE_FAIL']}", file=sys.stderr) or 2)


class Log:
    """Writes a lap log on the run's clock and moves its events to chosen times."""

    def __init__(self):
        self.ns = 0
        self.lines = ["lapcast-laps 1", f"0 hello clock={time.monotonic_ns()} wall=1795176000.0 "
                      f"pid={os.getpid()} rank=0 world=1 host=fake emitter=fake/1"]

    def say(self, text, after_ms=0.0):
        self.ns += int(after_ms * 1e6)
        self.lines.append(f"{self.ns} {text}")

    def stage(self, name, ms):
        self.say(f"stage-begin {name}")
        self.say(f"stage-end {name}", ms)

    def write(self):
        if folder := os.environ.get("LAPCAST_LOG_DIR"):
            with open(f"{folder}/laps.{os.getpid()}.log", "w", encoding="utf-8") as file:
                file.write("\n".join(self.lines) + "\n")


def train():
    batch, epochs = int(OPTIONS.get("--batch", 32)), int(OPTIONS.get("--epochs", 2))
    laps = int(OPTIONS.get("--steps", 10))
    seed = int(OPTIONS.get("--seed", 1))
    speed = 8 if OPTIONS.get("--device") == "cuda" else 1
    slower = 1 + float(os.environ.get("FAKE_SPREAD", 0)) * (seed % 3 - 1)
    samples = min(batch, int(os.environ.get("FAKE_SAMPLES", batch)))
    held = b"x" * (batch * int(os.environ.get("FAKE_MEMORY", 0)))
    log = Log()
    log.say(f"plan epochs={epochs} batch={batch} train={laps * batch} validation=10")
    log.stage("data-load", 0.3)
    log.stage("pre-process", 0.2)
    log.stage("compile", 0.1)
    log.say("stage-begin train")
    for epoch in range(1, epochs + 1):
        log.say(f"epoch-begin {epoch}")
        for _ in range(laps):
            log.say(f"i {samples}", 0.08 * slower / speed)
        log.say(f"epoch-end {epoch}")
        log.say(f"metric val_accuracy {0.8 + 0.01 * epoch + 0.001 * seed:.4f}")
        log.say("metric val_loss 0.5")
    if device := os.environ.get("FAKE_DEVICE_MEMORY"):
        fixed, each = map(int, device.split())
        log.say(f"device-memory {fixed + each * batch}")
    del held
    log.say("stage-end train")
    if "--evaluate" in sys.argv:
        log.stage("evaluate", 0.4 / speed)
    log.say("bye")
    take_time()
    log.write()


def count_queens():
    known = {8: 92, 9: 352, 10: 724, 12: 14200, 13: 73712, 15: 2279184}
    n, threads = int(OPTIONS["--n"]), int(OPTIONS.get("--threads", 1))
    speed = 18 if OPTIONS.get("--device") == "cuda" else threads
    speed *= float(os.environ.get("FAKE_FASTER", 1))
    piece, pieces = map(int, OPTIONS.get("--piece", "1/1").split("/"))
    share = known[n] * piece // pieces - known[n] * (piece - 1) // pieces
    log = Log()
    log.say("i 1", n / speed)
    log.say(f"metric solutions {share + int(os.environ.get('FAKE_WRONG', 0))}")
    log.say(f"metric nodes {1000 * n // pieces}")
    log.say(f"metric seconds {0.001 * n / speed}")
    if OPTIONS.get("--device") == "cuda":
        log.say(f"metric kernel_seconds {0.0005 * n / speed}")
    log.say("bye")
    take_time()
    log.write()


def search_pictures():
    height, width = OPTIONS["--sizes"].split("x")
    speed = 4 if OPTIONS["--device"] == "cuda" else 1
    speed *= float(os.environ.get("FAKE_FASTER", 1))
    log = Log()
    for _ in range(int(OPTIONS["--repeats"])):
        log.say("i 1", 1)
    log.say(f"metric seconds {1e-6 * int(height) * int(width) / speed}")
    log.say("metric objects 7")
    log.say("bye")
    take_time()
    log.write()


def make():
    os.makedirs(OPTIONS["--out"], exist_ok=True)
    with open(OPTIONS["--out"] + "/train", "w", encoding="utf-8") as file:
        file.write("x" * int(OPTIONS["--train"]))
    take_time()
    with open(OPTIONS["--out"] + "/test", "w", encoding="utf-8") as file:
        file.write("x" * int(OPTIONS["--test"]))


def main():
    note()
    if NAME.startswith("make-"):
        make()
    elif NAME == "mask-rcnn":
        search_pictures()
    elif NAME == "nqueens":
        count_queens()
    else:
        if not os.path.isdir(OPTIONS["--data"]):
            sys.exit(print(f"{NAME}: no data", file=sys.stderr) or 1)
        train()


main()
