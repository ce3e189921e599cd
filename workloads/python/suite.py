"""The training programs of the suite: how each is given a small set of its own data.

Needs nothing but Python, so that what starts the programs need not have PyTorch.
"""

import dataclasses
import pathlib
import subprocess


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    maker: str
    batch: int  # the program's default
    dropouts: int = 0  # layers


WORKLOADS = {workload.name: workload for workload in (
    Workload("mnist-mlp", "make-digits", 128, dropouts=2),
    Workload("mnist-cnn3", "make-digits", 128, dropouts=1),
    Workload("mnist-rnn", "make-digits", 128, dropouts=1),
    Workload("mnist-lstm", "make-digits", 128, dropouts=1),
    Workload("mnist-autoencoder", "make-digits", 32),
    Workload("mnist-cnn", "make-digits", 128, dropouts=1),
    Workload("seismic-fcn", "make-seismic", 256, dropouts=2),
    Workload("cifar10-resnet50", "make-cifar10", 256),
    Workload("embryo-cnn", "make-embryos", 480),
    Workload("nn-twins", "make-io-observations", 32),
)}

# How many samples a maker is asked for, by its own options; the rest is its default.
MAKER_OPTIONS = {
    "make-digits": ("--train", "--test"),
    "make-seismic": ("--train", "--test"),
    "make-cifar10": ("--train", "--test"),
    "make-embryos": ("--train", "--test"),
    "make-io-observations": ("--train", "--test"),
}


def missing_programs(folder, workload):
    """The programs of a workload that were not built in FOLDER."""
    programs = (workload.name, workload.maker)
    return [name for name in programs if not (pathlib.Path(folder) / name).exists()]


def make_data(folder, workload, out, training, test):
    """Writes a set of so many samples with the workload's maker."""
    first, second = MAKER_OPTIONS[workload.maker]
    subprocess.run([f"{folder}/{workload.maker}", "--out", str(out), first, str(training), second,
                    str(test)], check=True, stdout=subprocess.DEVNULL)


def write_step(folder, workload, data, file, batch):
    """One training step of the program, as a file for torch.load()."""
    subprocess.run([f"{folder}/{workload.name}", "--data", str(data), "--batch", str(batch),
                    "--threads", "1", "--write-step", str(file)], check=True,
                   stdout=subprocess.DEVNULL)


def torch_python(library_folder, candidates):
    """The first of the interpreters whose PyTorch is the one that the programs are linked with
    (its folder of libraries), or None. One of them may lie in the same virtual environment."""
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
