# Counts the executions of all fuzz targets together in a given time: `./bench fuzz-long 30m`.
# It needs the fuzz targets. They run under sanitizers for a quarter of the time, otherwise without,
# which is several times as fast. Targets with fewer than a million executions go first. Findings
# are kept in build/fuzz-corpus and run again under sanitizers at the end; `--save` copies small
# inputs that reach most code to fuzz/corpus.
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
ENOUGH = 1_000_000  # per target
SANITIZED_EVERY = 4  # slices of a target
SANITIZED, BARE = "sanitized", "bare"
SLICE = 20  # seconds that a target runs at a time
LIMITS = ["-rss_limit_mb=2048", "-timeout=10", "-max_len=2048"]
MOST_SAVED = 60  # inputs per target


def seconds(text):
    found = re.fullmatch(r"(\d+)(s|m|h)", text)
    if not found:
        raise argparse.ArgumentTypeError("a time is written 90s, 30m or 2h")
    return int(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


class Fuzzing:
    """Runs targets in turn; `bare` holds the same targets without sanitizers."""

    def __init__(self, targets, bare):
        self.targets = targets
        self.bare = bare
        self.executions = collections.Counter()  # by (target's name, kind of build)
        self.spent = collections.Counter()
        self.slices = collections.Counter()
        self.busy = set()
        self.broken = {}
        self.lock = threading.Lock()

    def take(self):
        """Returns the name and kind of the next target to run: the one that ran least often."""
        with self.lock:
            free = [t for t in self.targets if t not in self.busy and t not in self.broken]
            if not free:
                return None
            hungry = [t for t in free if self.executions_of(t) < ENOUGH]
            name = min(hungry or free, key=lambda t: self.slices[t])
            self.busy.add(name)
            self.slices[name] += 1
            return name, BARE if self.slices[name] % SANITIZED_EVERY else SANITIZED

    def executions_of(self, name):
        return self.executions[name, SANITIZED] + self.executions[name, BARE]

    def run(self, name, kind, time_left):
        target = (self.targets if kind == SANITIZED else self.bare)[name]
        corpus = GROWN / name
        corpus.mkdir(parents=True, exist_ok=True)
        for seed in (SAVED / name).glob("*"):
            shutil.copy(seed, corpus)
        artifacts = GROWN / "found"
        artifacts.mkdir(exist_ok=True)
        time_slice = max(1, int(min(SLICE, time_left)))
        ended = subprocess.run(
            [target, f"-max_total_time={time_slice}", "-print_final_stats=1", *LIMITS,
             f"-artifact_prefix={artifacts}/{name}-", corpus],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        found = re.search(r"number_of_executed_units: (\d+)", ended.stderr)
        with self.lock:
            self.executions[name, kind] += int(found[1]) if found else 0
            self.spent[name, kind] += time_slice
            self.busy.discard(name)
            if ended.returncode != 0:
                self.broken[name] = ended.stderr[-4000:]

    def go_on_until(self, end):
        while (left := end - time.monotonic()) > 0:
            taken = self.take()
            if taken is None:
                return
            self.run(*taken, left)

    def replay(self):
        """Runs all findings under sanitizers, which takes little time beside the search."""
        for name, target in self.targets.items():
            ended = subprocess.run([target, "-runs=0", *LIMITS, GROWN / name], stderr=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, text=True)
            if ended.returncode != 0:
                self.broken[name] = ended.stderr[-4000:]


def programs_in(build):
    """Returns the fuzz targets of a build by name."""
    programs = sorted((ROOT / "build" / build / "fuzz").glob("*_fuzz"))
    return {path.name: path for path in programs if os.access(path, os.X_OK)}


def save(targets):
    """Saves the smallest inputs of the set that covers most, so that the corpus stays small."""
    for target in targets.values():
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
    targets, bare = programs_in("sanitize"), programs_in("fuzz")
    fuzzing = Fuzzing(targets, bare)
    end = time.monotonic() + options.time
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for _ in range(os.cpu_count()):
            pool.submit(fuzzing.go_on_until, end)
    fuzzing.replay()
    if options.save:
        save(targets)
    print(f"{'':24}{'sanitized':>14}{'a second':>10}{'bare':>14}{'a second':>10}")
    for name in targets:
        columns = ""
        for kind in (SANITIZED, BARE):
            count = fuzzing.executions[name, kind]
            columns += f"{count:14,}{count / max(1, fuzzing.spent[name, kind]):10,.0f}"
        print(f"{name:24}{columns}{'  BROKEN' * (name in fuzzing.broken)}")
    for name, words in fuzzing.broken.items():
        print(f"{name}: {words}", file=sys.stderr)
    print(f"fewest of one target: {min(map(fuzzing.executions_of, targets)):,}")
    print_figure("fuzz-long", sum(fuzzing.executions.values()), "executions")
    return 1 if fuzzing.broken else 0


if __name__ == "__main__":
    sys.exit(main())
