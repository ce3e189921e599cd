"""What the benchmark scripts share: running programs, medians, intervals, the last line."""

import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def print_figure(name, value, unit):
    """The last line of a benchmark: three significant digits."""
    print(f"{name}: {value:.3g} {unit}")


def seconds_of(arguments, **options):
    """Wall time of a program from its start to its end, output thrown away."""
    begin = time.perf_counter()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, **options)
    return time.perf_counter() - begin


def cpu_of(arguments, **options):
    """CPU time of a program and all the children that it waited for."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, **options)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, output, process.returncode


def mean_interval(values):
    """95 % Student t interval of the mean; the quantiles for 2 to 30 values."""
    quantiles = [12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
                 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                 2.060, 2.056, 2.052, 2.048, 2.045]
    mean = statistics.mean(values)
    half = quantiles[len(values) - 2] * statistics.stdev(values) / math.sqrt(len(values))
    return mean - half, mean, mean + half


def demo_settings():
    lines = (ROOT / "examples/demo.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def run_demo(build):
    """The demo's matrix once: probes, then all candidates to the end. Rows of `lapcast verify`."""
    settings = demo_settings()
    lapcast, workloads = f"{build}/lapcast", pathlib.Path(build) / "workloads"
    with tempfile.TemporaryDirectory() as folder:
        digits = f"{folder}/digits"
        options = ["--store", f"{folder}/demo.db", "--quiet", "--json"]
        quiet = {"stdout": subprocess.DEVNULL}
        subprocess.run([workloads / "make-digits", "--out", digits, "--train",
                        settings["DEMO_TRAIN"], "--test", settings["DEMO_VALIDATION"]],
                       check=True, **quiet)
        # Exit code 1: a type that cannot run here is a row with its reason.
        swept = subprocess.run(
            [lapcast, *options, "sweep", ROOT / "examples/one-box.toml", "--batch",
             settings["DEMO_BATCH"], "--confirm", "3", "--budget", "12s", "--",
             workloads / "mnist-cnn", "--data", digits, "--batch", "{batch}", "--epochs",
             settings["DEMO_EPOCHS"]], **quiet)
        if swept.returncode not in (0, 1):
            raise SystemExit(f"the sweep ended with exit code {swept.returncode}")
        verified = subprocess.run([lapcast, *options, "verify", "--all"], check=True,
                                  stdout=subprocess.PIPE)
    return json.loads(verified.stdout)[0]["rows"]


def regret(rows, forecast, real):
    """How much the candidate with the smallest forecast lost against the best, relative."""
    pick = min(rows, key=lambda row: float(row[forecast]))
    best = min(float(row[real]) for row in rows)
    return float(pick[real]) / best - 1, pick
