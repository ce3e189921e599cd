"""Builds programs of this checkout for the parts that run them, with what the machine has."""

import os
import shutil
import sys

from session import ROOT, Skipped


def build(session, source, name, *options, targets=()):
    """Configures and builds a folder of the checkout; returns the folder with the programs."""
    session.needs("cmake")
    folder = session.folder / name
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    configured = session.run("cmake", "-S", ROOT / source, "-B", folder, *generator,
                             "-DCMAKE_BUILD_TYPE=Release", *options)
    if configured.code != 0:
        raise Skipped(f"cmake cannot configure {source}: {last_line(configured.err)}")
    chosen = ["--target", *targets] if targets else []
    built = session.run("cmake", "--build", folder, "-j", os.cpu_count() or 1, *chosen)
    session.check(built.code == 0, f"{source} is built in {built.seconds:.0f} s: {last_line(built.out)}")
    session.figure(f"build of {source}, s", round(built.seconds, 1))
    return folder


def torch_folder(session):
    """Returns the folder of PyTorch's files for CMake."""
    return session.run(sys.executable, "-c", "import torch; print(torch.utils.cmake_prefix_path)").out.strip()


def last_line(text):
    return (text.strip().splitlines() or ["?"])[-1][:200]
