"""Runs programs, computes medians and intervals and prints the last line for the benchmarks."""

import json
import math
import os
import pathlib
import shutil
import site
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def print_figure(name, value, unit):
    """Prints the last line of a benchmark with three significant digits."""
    print(f"{name}: {value:.3g} {unit}")


def seconds_of(arguments, **options):
    """Returns the wall time of a program; its output is thrown away."""
    begin = time.perf_counter()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, **options)
    return time.perf_counter() - begin


def cpu_of(arguments, **options):
    """Returns the CPU time of a program and all the children that it waited for."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, **options)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, output, process.returncode


def answer_of(lapcast, store, *arguments, **options):
    """Returns the object that a command prints as JSON. Exit code 1 is not a failure: a candidate that
    cannot run is a row with its reason."""
    done = subprocess.run([lapcast, "--store", store, "--quiet", "--json", *map(str, arguments)],
                          stdout=subprocess.PIPE, **options)
    if done.returncode not in (0, 1):
        raise SystemExit(f"lapcast {arguments[0]} with {store} ended with exit code {done.returncode}")
    return json.loads(done.stdout)


def opencv_python():
    """Returns the interpreter of $LAPCAST_OPENCV, a virtual environment with OpenCV, else this one."""
    folder = os.environ.get("LAPCAST_OPENCV")
    return f"{folder}/bin/python" if folder else sys.executable


class RateServer:
    """Is a program that has started and told its version; for each line it answers with a rate."""

    def __init__(self, arguments, **options):
        self.process = subprocess.Popen(arguments, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, **options)
        self.version = self.process.stdout.readline().strip()

    def rate(self):
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def chromium(folder):
    """Returns Chromium, driven by the Selenium of $LAPCAST_BROWSER, with its profile in the folder;
    None where one of them is missing."""
    for packages in pathlib.Path(os.environ.get("LAPCAST_BROWSER", "")).glob("lib/python*/site-packages"):
        site.addsitedir(str(packages))
    try:
        from selenium import webdriver
    except ImportError:
        return None
    driver = shutil.which("chromedriver")
    if not driver or not shutil.which("chromium"):
        return None
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     "--window-size=1440,900", f"--user-data-dir={folder}/profile"):
        options.add_argument(argument)
    return webdriver.Chrome(options, webdriver.ChromeService(driver))


def frameworks_python(benchmark):
    """Returns the interpreter of the environment with the frameworks."""
    folder = os.environ.get("LAPCAST_FRAMEWORKS", str(ROOT / "build" / "frameworks"))
    if not os.path.exists(f"{folder}/bin/python"):
        raise SystemExit(f"{benchmark}: no frameworks in {folder}; ./check installs them")
    return f"{folder}/bin/python"


def mean_interval(values):
    """Returns the 95 % Student t interval of the mean of 2 to 30 values."""
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
    """Runs the demo's matrix once: probes, then all candidates to the end. Returns the rows of
    `lapcast verify`."""
    settings = demo_settings()
    lapcast, workloads = f"{build}/lapcast", pathlib.Path(build) / "workloads"
    with tempfile.TemporaryDirectory() as folder:
        digits = f"{folder}/digits"
        options = ["--store", f"{folder}/demo.db", "--quiet", "--json"]
        quiet = {"stdout": subprocess.DEVNULL}
        subprocess.run([workloads / "make-digits", "--out", digits, "--train",
                        settings["DEMO_TRAIN"], "--test", settings["DEMO_VALIDATION"]],
                       check=True, **quiet)
        # Exit code 1: a machine type that cannot run on this machine is a row with its reason.
        swept = subprocess.run(
            [lapcast, *options, "sweep", ROOT / "examples/one-box.toml", "--batch",
             settings["DEMO_BATCH"], "--confirm", "3", "--budget", "12s", "--",
             workloads / "mnist-cnn", "--data", digits, "--batch", "{batch}", "--epochs",
             settings["DEMO_EPOCHS"]], **quiet)
        if swept.returncode not in (0, 1):
            raise SystemExit(f"the sweep ended with exit code {swept.returncode}")
        verified = subprocess.run([lapcast, *options, "verify", "--all"], check=True,
                                  stdout=subprocess.PIPE)
    return json.loads(verified.stdout)["verified"]


# Lists what races are measured on: the maker of the data with its sizes, the program with its batch
# size, the epochs of a demo that the slowest machine type finishes in about half a minute, and the
# plan of the suite: epochs, training and validation samples.
RACES = {
    "mnist-cnn": (["make-digits", "--train", "1280", "--test", "128"], 64, 2, (12, 60000, 10000)),
    "mnist-lstm": (["make-digits", "--train", "2560", "--test", "500"], 128, 2, (20, 60000, 10000)),
    "mnist-autoencoder": (["make-digits", "--train", "1600", "--test", "128"], 32, 2,
                          (30, 60000, 10000)),
    "seismic-fcn": (["make-seismic", "--train", "1024", "--test", "128"], 64, 2, (13, 40512, 212)),
}


def raced_workloads(names):
    """Returns the workloads of these names, or all of them without names."""
    unknown = [name for name in names if name not in RACES]
    if unknown:
        raise SystemExit(f"no such workload: {', '.join(unknown)}; there are {', '.join(RACES)}")
    return names or RACES


class RaceTrial:
    """Runs one workload on the machine types of examples/one-box.toml, in a folder with data and
    stores."""

    def __init__(self, build, name, folder, demo):
        """demo: the program runs the epochs of the demo, otherwise those of the suite."""
        self.lapcast, self.name, self.folder = f"{build}/lapcast", name, folder
        workloads = pathlib.Path(build) / "workloads"
        maker, batch, epochs, self.full_plan = RACES[name]
        data = pathlib.Path(folder) / "-".join(maker)
        if not data.exists():
            subprocess.run([workloads / maker[0], "--out", data, *maker[1:]], check=True,
                           stdout=subprocess.DEVNULL)
        self.program = [workloads / name, "--data", data, "--batch", str(batch), "--epochs",
                        str(epochs if demo else self.full_plan[0])]

    def tables(self, store, *arguments):
        return answer_of(self.lapcast, f"{self.folder}/{self.name}-{store}.db", *arguments)

    def sweep(self, store, *options):
        return self.tables(store, "sweep", ROOT / "examples/one-box.toml", *options, "--",
                           *self.program)

    def runs(self, store):
        """Returns the runs of a store as they are exported."""
        text = subprocess.run([self.lapcast, "--store", f"{self.folder}/{self.name}-{store}.db",
                               "export"], check=True, stdout=subprocess.PIPE).stdout
        return [json.loads(line) for line in text.splitlines()]


def settings_text(settings):
    """Returns "batch=64 lr=0.1"."""
    return " ".join(f"{name}={value}" for name, value in sorted(settings.items()))


def ran_seconds(run):
    """Returns the time from the start of the process to its end, without pauses."""
    paused = sum(pause["end_ns"] - pause["begin_ns"] for pause in run.get("pauses", []))
    return (run["ended_ns"] - run["started_ns"] - paused) * 1e-9


def dollars(runs):
    """Returns the cost of all these runs without rounding to a billing step."""
    return sum(ran_seconds(run) * float(run["price"]["usd_per_hour"]) / 3600 for run in runs)


def regret(rows, forecast, real):
    """Returns the relative loss of the candidate with the smallest forecast against the best."""
    pick = min(rows, key=lambda row: float(row[forecast]))
    best = min(float(row[real]) for row in rows)
    return float(pick[real]) / best - 1, pick
