# Executions of all fuzz targets together in a given time (needs the fuzz targets): `./bench fuzz-long
# 30m`. Targets with fewer than a million executions go first. What they find is kept in
# build/fuzz-corpus; `--save` puts the smallest set of it that reaches the same code into fuzz/corpus.
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

from common import ROOT, print_figure

SAVED = ROOT / "fuzz/corpus"
GROWN = ROOT / "build/fuzz-corpus"
ENOUGH = 1_000_000
SLICE = 20  # seconds that a target runs at a time
LIMITS = ["-rss_limit_mb=2048", "-timeout=10", "-max_len=2048"]
MOST_SAVED = 60  # inputs of one target


def seconds(text):
    found = re.fullmatch(r"(\d+)(s|m|h)", text)
    if not found:
        raise argparse.ArgumentTypeError("a time is written 90s, 30m or 2h")
    return int(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


class Fuzzing:
    def __init__(self, targets):
        self.targets = targets
        self.executions = collections.Counter()
        self.spent = collections.Counter()
        self.busy = set()
        self.broken = {}
        self.lock = threading.Lock()

    def take(self):
        """The next target to run: the one with the fewest executions, later the least time."""
        with self.lock:
            free = [t for t in self.targets if t not in self.busy and t not in self.broken]
            if not free:
                return None
            hungry = [t for t in free if self.executions[t] < ENOUGH]
            target = min(hungry or free, key=lambda t: self.spent[t])
            self.busy.add(target)
            return target

    def run(self, target, time_left):
        corpus = GROWN / target.name
        corpus.mkdir(parents=True, exist_ok=True)
        for seed in (SAVED / target.name).glob("*"):
            shutil.copy(seed, corpus)
        artifacts = GROWN / "found"
        artifacts.mkdir(exist_ok=True)
        time_slice = max(1, int(min(SLICE, time_left)))
        ended = subprocess.run(
            [target, f"-max_total_time={time_slice}", "-print_final_stats=1", *LIMITS,
             f"-artifact_prefix={artifacts}/{target.name}-", corpus],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        found = re.search(r"number_of_executed_units: (\d+)", ended.stderr)
        with self.lock:
            self.executions[target] += int(found[1]) if found else 0
            self.spent[target] += time_slice
            self.busy.discard(target)
            if ended.returncode != 0:
                self.broken[target] = ended.stderr[-4000:]

    def go_on_until(self, end):
        while (left := end - time.monotonic()) > 0:
            target = self.take()
            if target is None:
                return
            self.run(target, left)


def save(targets):
    """Keeps the smallest inputs of the set that covers most, so that the corpus stays small."""
    for target in targets:
        chosen = SAVED / target.name
        shutil.rmtree(chosen, ignore_errors=True)
        chosen.mkdir(parents=True)
        subprocess.run([target, "-set_cover_merge=1", *LIMITS, chosen, GROWN / target.name],
                       stderr=subprocess.DEVNULL, check=True)
        for file in sorted(chosen.iterdir(), key=lambda file: file.stat().st_size)[MOST_SAVED:]:
            file.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("time", type=seconds, nargs="?", default=600)
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    folder = ROOT / "build/sanitize/fuzz"
    targets = sorted(path for path in folder.glob("*_fuzz") if os.access(path, os.X_OK))
    fuzzing = Fuzzing(targets)
    end = time.monotonic() + options.time
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for _ in range(os.cpu_count()):
            pool.submit(fuzzing.go_on_until, end)
    if options.save:
        save(targets)
    for target in targets:
        count, spent = fuzzing.executions[target], max(1, fuzzing.spent[target])
        print(f"{target.name:24}{count:14,}{count / spent:12,.0f}/s{'  BROKEN' * (target in fuzzing.broken)}")
    for target, words in fuzzing.broken.items():
        print(f"{target.name}: {words}", file=sys.stderr)
    print(f"fewest of one target: {min(fuzzing.executions[t] for t in targets):,}")
    print_figure("fuzz-long", sum(fuzzing.executions.values()), "executions")
    return 1 if fuzzing.broken else 0


if __name__ == "__main__":
    sys.exit(main())
