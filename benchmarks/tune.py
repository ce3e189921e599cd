# Measures programs in the environment that `lapcast probe --tune` finds, relative to the default's.
# It needs the workloads. Goal: at most 0.7 for one of them, and a search of at most 5 % of a full
# run.
#
#   ./bench tune [--rounds N] [--repeats N] [--budget TIME] [PROGRAM ...]
#
# Two programs of the suite and a plain PyTorch script (peers/denoise.py) are tuned once for their
# full plan, with settings that keep the results. Shortened runs in the default environment and in
# that of the file which lapcast wrote then alternate, and are timed as whole processes. A program
# for which nothing is surely faster keeps the default and counts as 1. The last line is the smallest
# ratio, a geometric mean over pairs of runs.
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from common import ROOT, answer_of, print_figure
from peers.plain_python import ratio_interval, suite

# Lists the maker of the data with its sizes, the program's batch, the full plan as options of
# `lapcast probe`, and the options of a shortened run.
SUITE = {
    "mnist-cnn": (["make-digits", "--train", "6400", "--test", "128"], "128",
                  ["--epochs", "12", "--samples", "60000", "--val-samples", "10000"],
                  ["--steps", "100"]),
    "cifar10-resnet50": (["make-cifar10", "--train", "640", "--test", "128"], "32",
                         ["--epochs", "87", "--samples", "50000", "--val-samples", "10000"],
                         ["--steps", "20"]),
}
SCRIPT = "denoise"
FULL_SCRIPT, SHORT_SCRIPT = ["--epochs", "400"], ["--epochs", "1", "--samples", "2048"]


def programs(build, name, folder):
    """Returns the options of lapcast with the full plan, the full program and the shortened one."""
    workloads = pathlib.Path(build) / "workloads"
    if name == SCRIPT:
        python = suite.torch_python(suite.library_folder(workloads / "mnist-cnn"),
                                    [sys.executable, "python3"])
        if python is None:
            raise SystemExit("no Python at hand has the programs' PyTorch")
        script = [python, ROOT / "benchmarks" / "peers" / "denoise.py"]
        return [], [*script, *FULL_SCRIPT], [*script, *SHORT_SCRIPT]
    maker, batch, plan, short = SUITE[name]
    suite.run(workloads / maker[0], "--out", folder / name, *maker[1:])
    program = [workloads / name, "--data", folder / name, "--batch", batch]
    return plan, program, [*program, "--val-samples", "128", *short]


def tune(folder, name, plan, program, options):
    """Returns what the tuning found, as JSON, and its file, None where nothing is surely faster."""
    file = folder / f"{name}.env"
    answer = answer_of(f"{options.build}/lapcast", folder / "runs.db", "probe", "--tune", "--repeats",
                       options.repeats, "--budget", options.budget, "--env-file", file, *plan, "--",
                       *program)
    return answer["tuned"], file if file.exists() else None


def in_file(file, program):
    """Returns the command that runs a program in the environment of a file, as a user does."""
    return ["sh", "-c", '. "$0" && exec "$@"', file, *program]


def usage_of(command):
    """Returns the wall time, the CPU time in the kernel and the minor page faults of a program."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} ended with exit code {process.returncode}")
    return time.perf_counter() - begin, usage.ru_stime, usage.ru_minflt


def print_runs(label, runs):
    times, kernel, faults = zip(*runs)
    print(f"  {label:8} {statistics.median(times):.1f} s ({min(times):.1f} to {max(times):.1f}), "
          f"in the kernel {statistics.median(kernel):.1f} s of CPU time, "
          f"{statistics.median(faults):,.0f} page faults", flush=True)


def compare(file, program, rounds):
    """Runs a program in turn without and with the file. Returns the ratio of the times."""
    usage_of(program)  # files are read from disk once
    default, tuned = [], []
    for number in range(rounds):
        pair = [(default, program), (tuned, in_file(file, program))]
        for runs, command in pair if number % 2 == 0 else reversed(pair):
            runs.append(usage_of(command))
    print_runs("default", default)
    print_runs("tuned", tuned)
    low, ratio, high = ratio_interval([run[0] for run in tuned], [run[0] for run in default])
    print(f"  {ratio:.3f} ({low:.3f} to {high:.3f}) times the default's time, {rounds} pairs")
    return ratio


def measure(name, folder, options):
    """Tunes a program, prints its lines and returns the ratio of its shortened runs."""
    plan, program, short = programs(options.build, name, folder)
    found, file = tune(folder, name, plan, program, options)
    settings = " ".join(f"{key}={value}" for key, value in found["settings"].items())
    print(f"{name}: {settings if file else 'nothing'} is surely faster; the search took "
          f"{found['search_s']:.0f} s, {100 * found['search_share']:.2f} % of a full run "
          f"({found['default_time_s'] / 3600:.2f} h by forecast)", flush=True)
    if file is None:
        return 1.0
    print(f"  the tuning itself says {found['time_ratio']:.3f} ({found['time_ratio_low']:.3f} to "
          f"{found['time_ratio_high']:.3f}), {found['pairs']} pairs")
    return compare(file, short, options.rounds)


def main():
    names = [*SUITE, SCRIPT]
    parser = argparse.ArgumentParser(prog="./bench tune")
    parser.add_argument("build")
    parser.add_argument("programs", nargs="*", help=f"of {', '.join(names)} [all]")
    parser.add_argument("--rounds", type=int, default=5, help="pairs of shortened runs")
    parser.add_argument("--repeats", type=int, default=5, help="pairs of runs in the search")
    parser.add_argument("--budget", default="60s", help="of one probe of the search")
    options = parser.parse_intermixed_args()
    if unknown := set(options.programs) - set(names):
        raise SystemExit(f"tune: no program is called {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        ratios = {name: measure(name, pathlib.Path(folder), options)
                  for name in options.programs or names}
    print(f"the smallest of {len(ratios)} is {min(ratios, key=ratios.get)}'s")
    print_figure("tune", min(ratios.values()), "times the default's time")


main()
