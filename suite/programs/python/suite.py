"""Runs the training programs of the suite: makes their data, describes and times them.

Needs nothing but Python, so a caller of the programs need not have PyTorch.
"""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    maker: str
    batch: int  # the program's default
    second: bool = False  # of the suite's second part: text, retina, detection


WORKLOADS = {workload.name: workload for workload in (
    Workload("mnist-mlp", "make-digits", 128),
    Workload("mnist-cnn3", "make-digits", 128),
    Workload("mnist-rnn", "make-digits", 128),
    Workload("mnist-lstm", "make-digits", 128),
    Workload("mnist-autoencoder", "make-digits", 32),
    Workload("mnist-cnn", "make-digits", 128),
    Workload("seismic-fcn", "make-seismic", 256),
    Workload("cifar10-resnet50", "make-cifar10", 256),
    Workload("embryo-cnn", "make-embryos", 480),
    Workload("nn-twins", "make-io-observations", 32),
    Workload("rnn-sa", "make-reviews", 1024, second=True),
    Workload("ic-dr", "make-retinas", 32, second=True),
)}


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def maker_options(maker, training, test):
    """Returns the maker's options for so many samples in each part."""
    size = ["--size", "640x480", "--shards", "256"] if maker == "make-retinas" else []
    return ["--train", str(training), "--test", str(test), *size]


def describe(folder, workload):
    """Returns what the program prints with --describe."""
    return json.loads(subprocess.run([f"{folder}/{workload.name}", "--describe"], check=True,
                                     stdout=subprocess.PIPE).stdout)


def missing_programs(folder, workload):
    """Returns the programs of a workload that are missing in FOLDER."""
    programs = (workload.name, workload.maker)
    return [name for name in programs if not (pathlib.Path(folder) / name).exists()]


def make_data(folder, workload, out, training, test):
    """Writes a set of so many samples with the workload's maker, ready for training."""
    if workload.maker == "make-embryos":
        with tempfile.TemporaryDirectory() as frames:
            run(f"{folder}/make-embryos", "--out", frames,
                *maker_options(workload.maker, training, test))
            run(f"{folder}/embryo-prepare", "--in", frames, "--out", out)
        return
    run(f"{folder}/{workload.maker}", "--out", out,
        *maker_options(workload.maker, training, test))


def write_step(folder, workload, data, file, batch):
    """Writes one training step of the program to a file for torch.load()."""
    run(f"{folder}/{workload.name}", "--data", data, "--batch", batch, "--threads", 1,
        "--write-step", file)


def torchvision_python():
    """Returns a Python that has torchvision, or nothing."""
    for python in ("/usr/bin/python3", sys.executable, "python3"):
        found = subprocess.run([python, "-W", "ignore", "-c", "import torchvision.models.detection"],
                               capture_output=True, check=False)
        if found.returncode == 0:
            return python
    return None


def torch_python(library_folder, candidates):
    """Returns the first interpreter whose PyTorch is the one (by its folder of libraries) that the
    programs are linked with, or None. Interpreters may be in the same virtual environment."""
    library_folder = pathlib.Path(library_folder).resolve()
    own = library_folder.parents[4] / "bin" / "python3" if len(library_folder.parents) > 4 else None
    for python in [own, *candidates]:
        code = "import torch, os; print(os.path.join(os.path.dirname(torch.__file__), 'lib'))"
        try:
            found = subprocess.run([str(python), "-W", "ignore", "-c", code], check=True, text=True,
                                   capture_output=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            continue
        if pathlib.Path(found).resolve() == library_folder:
            return str(python)
    return None


def library_folder(program):
    """Returns the folder of the LibTorch libraries that a program is linked with."""
    output = subprocess.run(["ldd", program], check=True, text=True, stdout=subprocess.PIPE).stdout
    for line in output.splitlines():
        if line.strip().startswith("libtorch_cpu.so"):
            return pathlib.Path(line.split("=>")[1].split()[0]).resolve().parent
    raise SystemExit(f"{program} is not linked with LibTorch")


def lap_ends(folder):
    """Returns the ends of the laps, in seconds, of the one lap log in the folder."""
    (log,) = pathlib.Path(folder).iterdir()
    events = (line.split() for line in log.read_text().splitlines())
    return [int(event[0]) * 1e-9 for event in events if event[1:2] == ["i"]]


class Program:
    """Runs the suite's program anew for each measurement."""

    def __init__(self, folder, workload, data, batch, threads):
        self.command = [f"{folder}/{workload.name}", "--data", str(data), "--batch", str(batch),
                        "--threads", str(threads), "--val-samples", str(min(batch, 64))]

    def run(self, steps, logs):
        """Returns the CPU seconds of the whole program."""
        process = subprocess.Popen([*self.command, "--steps", str(steps)],
                                   env=dict(os.environ, LAPCAST_LOG_DIR=logs),
                                   stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{self.command[0]} ended with exit code {process.returncode}")
        return usage.ru_utime + usage.ru_stime

    def seconds_per_step(self, warmup, steps):
        with tempfile.TemporaryDirectory() as logs:
            self.run(warmup + steps, logs)
            ends = lap_ends(logs)
        assert len(ends) == warmup + steps, f"{len(ends)} laps"
        return (ends[-1] - ends[warmup - 1]) / steps

    def cpu_per_step(self, warmup, steps):
        """Returns the CPU seconds of a step: a run minus a run of the warm-up alone, divided by
        steps."""
        with tempfile.TemporaryDirectory() as logs:
            return (self.run(warmup + steps, logs) - self.run(warmup, logs)) / steps


SECONDS = 1.5  # the approximate length of one measurement
LEAST_STEPS = 4
SAMPLES = {"make-digits": 30000, "make-seismic": 10240, "make-cifar10": 2048,
           "make-embryos": 2880, "make-io-observations": 64000, "make-reviews": 5120, "make-retinas": 160}


def samples_to_time(workload, batch):
    """Returns the number of training samples for timing, so that a measurement fits in one
    epoch."""
    return max(SAMPLES[workload.maker], (LEAST_STEPS + 1) * batch)


def choose_steps(program, most):
    """Returns (warm-up, steps) for about SECONDS and at most `most` steps, by a short
    measurement."""
    second = program.seconds_per_step(1, LEAST_STEPS)
    steps = max(LEAST_STEPS, min(most * 9 // 10, round(SECONDS / second)))
    return max(1, min(steps // 10, most - steps)), steps
