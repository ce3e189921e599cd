"""Imitates a machine with two GPUs: NVIDIA's library (tests/fake_nvml.c), and the driver's file in a mount
namespace."""

import os
import subprocess
from pathlib import Path

import pytest

MACHINE = """#!/bin/sh
exec unshare -m sh -c '
mount -t tmpfs none /proc/driver && mkdir /proc/driver/nvidia && : >/proc/driver/nvidia/version || exit 77
exec "$@"' sh {program} "$@"
"""


@pytest.fixture
def gpus(story, monkeypatch):
    """Lets the story see two GPUs; returns the environment in which they are busy by so much."""
    (story.folder / "machine").write_text(MACHINE.format(program=os.environ["LAPCAST"]))
    (story.folder / "machine").chmod(0o755)
    if subprocess.run([story.folder / "machine", "--version"], capture_output=True).returncode != 0:
        pytest.skip("a mount namespace needs root")
    monkeypatch.setenv("LAPCAST", str(story.folder / "machine"))
    story.environment["LD_LIBRARY_PATH"] = str(Path(os.environ["FAKE_TRAINER"]).parent / "fake_nvml")
    return lambda busy: {"FAKE_NVML_BUSY": busy}
