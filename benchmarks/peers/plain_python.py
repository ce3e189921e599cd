"""Measures programs of the suite and the same networks in Python in turn.

Both have the same batch, threads, samples and PyTorch; Python uses a DataLoader over tensors, once
as users run it and once with malloc configured as in suite/programs/common/memory.h. The laps after a
warm-up are timed.
"""

import argparse
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from common import ROOT, mean_interval, print_figure

sys.path.insert(0, str(ROOT / "suite" / "programs" / "python"))
import suite  # noqa: E402

MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 62),
          "MALLOC_TOP_PAD_": str(64 << 20), "MALLOC_ARENA_MAX": "1"}
DIFFERENT = 512  # samples of Python's set, which are repeated


class Python:
    """Is a process that trains when asked."""

    def __init__(self, python, workload, file, samples, batch, threads, memory):
        script = ROOT / "suite" / "programs" / "python" / "train_reference.py"
        self.process = subprocess.Popen(
            [python, "-W", "ignore", script, workload.name, file, "--samples", str(samples),
             "--batch", str(batch), "--threads", str(threads)],
            env={**os.environ, **(MEMORY if memory else {})}, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)

    def ask(self, warmup, steps):
        """Returns (wall, CPU) seconds per step."""
        self.process.stdin.write(f"{warmup} {steps}\n")
        self.process.stdin.flush()
        return [float(value) for value in self.process.stdout.readline().split()]

    def seconds_per_step(self, warmup, steps):
        return self.ask(warmup, steps)[0]

    def cpu_per_step(self, warmup, steps):
        return self.ask(warmup, steps)[1]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def interval_text(values, form):
    low, mean, high = mean_interval(values)
    return f"{form.format(mean)} ({form.format(low)} to {form.format(high)})"


def ratio_interval(others, ours):
    """Returns the interval of the geometric mean of the ratios, pair by pair."""
    logs = [math.log(other / own) for other, own in zip(others, ours)]
    return tuple(math.exp(value) for value in mean_interval(logs))


def measure(programs, warmup, steps, rounds, cpu_time):
    """Returns the seconds per step of each round by program; the programs take turns."""
    times = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            timed = program.cpu_per_step if cpu_time else program.seconds_per_step
            times[name].append(timed(warmup, steps))
    return times


def compare(folder, workload, options, scratch):
    """Measures a workload and prints its line. Returns the ratio against the better Python."""
    batch = options.batch or workload.batch
    python = suite.torch_python(suite.library_folder(f"{folder}/{workload.name}"),
                                [sys.executable, "python3"])
    if python is None:
        raise SystemExit("no Python at hand has the programs' PyTorch")
    samples = suite.samples_to_time(workload, batch)
    data, file = scratch / workload.maker, scratch / f"{workload.name}.pt"
    if not data.exists():
        suite.make_data(folder, workload, data, samples, 64)
    suite.write_step(folder, workload, data, file, min(batch, DIFFERENT))
    program = suite.Program(folder, workload, data, batch, options.threads)
    plain, tuned = (Python(python, workload, file, samples, batch, options.threads, memory)
                    for memory in (False, True))
    steps = suite.choose_steps(plain, samples // batch)
    times = measure({"program": program, "Python": plain, "tuned": tuned}, *steps, options.rounds,
                    options.cpu_time)
    plain.close()
    tuned.close()
    return report(workload, batch, steps, times)


def report(workload, batch, steps, times):
    print(f"{workload.name}, batch {batch}, {steps[1]} steps x {len(times['program'])} rounds")
    labels = {"program": "program", "Python": "Python as users run it",
              "tuned": "Python, same memory settings"}
    best = math.inf
    for name, label in labels.items():
        milliseconds = interval_text([1e3 * value for value in times[name]], "{:.3f}")
        line = f"  {label:28} {milliseconds} ms a step"
        if name != "program":
            low, ratio, high = ratio_interval(times[name], times["program"])
            best = min(best, ratio)
            line += f", {ratio:.3f} ({low:.3f} to {high:.3f}) times as long"
        print(line, flush=True)
    return best


def measure_suite(benchmark, workloads, others=None):
    """Runs the main() of a benchmark of these workloads, by name; prints the smallest ratio. `others`
    are functions by name that measure a program in their own way, and return a ratio or nothing."""
    others = others or {}
    parser = argparse.ArgumentParser(prog=f"./bench {benchmark}")
    parser.add_argument("build")
    parser.add_argument("workloads", nargs="*", help="all by default")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--batch", type=int, help="instead of each workload's own")
    parser.add_argument("--cpu-time", action="store_true",
                        help="CPU instead of wall time: for one thread on a busy machine")
    options = parser.parse_intermixed_args()
    folder = pathlib.Path(options.build) / "workloads"
    unknown = set(options.workloads) - set(workloads) - set(others)
    if unknown:
        raise SystemExit(f"{benchmark}: no workload is called {', '.join(sorted(unknown))}")
    ratios = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.workloads or [*workloads, *others]:
            if name in others:
                ratio = others[name](folder, options, pathlib.Path(scratch))
                if ratio is not None:
                    ratios[name] = ratio
                continue
            workload = workloads[name]
            if missing := suite.missing_programs(folder, workload):
                print(f"{name}: not built: {', '.join(missing)}")
                continue
            ratios[name] = compare(folder, workload, options, pathlib.Path(scratch))
    if not ratios:
        raise SystemExit(f"{benchmark}: nothing could be measured")
    print(f"the smallest of {len(ratios)} is {min(ratios, key=ratios.get)}'s")
    print_figure(benchmark, min(ratios.values()), "times Python's throughput")
