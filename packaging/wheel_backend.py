"""Builds the wheel with scikit-build-core, and tags it for what it is: the binary is static, so it
runs on every Linux of its architecture, with glibc or musl."""

import pathlib
import subprocess
import sys
import zipfile

from scikit_build_core import build as backend
from scikit_build_core.build import *  # noqa: F403

ELF_INTERPRETER = b"/ld-"  # stands in every dynamic program, as in /lib64/ld-linux-x86-64.so.2


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = backend.build_wheel(wheel_directory, config_settings, metadata_directory)
    wheel = pathlib.Path(wheel_directory) / name
    if not is_static(wheel):
        return name
    architecture = name.removesuffix(".whl").rsplit("-", 1)[1].removeprefix("linux_")
    tags = f"manylinux_2_17_{architecture}.musllinux_1_1_{architecture}"
    command = [sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tags, str(wheel)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(done.stdout.split()[-1]).name


def is_static(wheel):
    with zipfile.ZipFile(wheel) as files:
        [program] = [name for name in files.namelist() if name.endswith("/scripts/lapcast")]
        return ELF_INTERPRETER not in files.read(program)[:4096]
