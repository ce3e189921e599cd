"""The training programs of the suite: how each is given a small set of its own data.

Needs nothing but Python, so that what starts the programs need not have PyTorch.
"""

import dataclasses
import pathlib
import subprocess
import tempfile


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    maker: str
    batch: int  # the program's default


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
)}

def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def maker_options(maker, training, test):
    """Options that give at least so many samples in each part."""
    if maker == "make-embryos":  # a frame becomes 20 patches; a fifth of the embryos is the test
        frames = max(20, training // 4, test)
        return ["--frames", str(frames), "--embryos", str(max(5, frames // 20))]
    return ["--train", str(training), "--test", str(test)]


def missing_programs(folder, workload):
    """The programs of a workload that were not built in FOLDER."""
    programs = (workload.name, workload.maker)
    return [name for name in programs if not (pathlib.Path(folder) / name).exists()]


def make_data(folder, workload, out, training, test):
    """Writes a set of at least so many samples with the workload's maker, ready to train on."""
    if workload.maker == "make-embryos":
        with tempfile.TemporaryDirectory() as frames:
            run(f"{folder}/make-embryos", "--out", frames,
                *maker_options(workload.maker, training, test))
            run(f"{folder}/embryo-prepare", "--in", frames, "--out", out)
        return
    run(f"{folder}/{workload.maker}", "--out", out,
        *maker_options(workload.maker, training, test))


def write_step(folder, workload, data, file, batch):
    """One training step of the program, as a file for torch.load()."""
    run(f"{folder}/{workload.name}", "--data", data, "--batch", batch, "--threads", 1,
        "--write-step", file)


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
