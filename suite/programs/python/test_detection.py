"""Compares mask-rcnn with torchvision (Debian's python3-torchvision, or any other) through files of
weights and results. WORKLOADS names the folder of the programs. Skipped where no Python has
torchvision.
"""

import json
import os
import pathlib
import subprocess

import pytest
from suite import torchvision_python

HERE = pathlib.Path(__file__).resolve().parent


def test_the_same_objects_are_found_as_by_torchvision(tmp_path):
    program = pathlib.Path(os.environ["WORKLOADS"]) / "mask-rcnn"
    if not program.exists():
        pytest.skip("mask-rcnn is not built")
    python = torchvision_python()
    if python is None:
        pytest.skip("no Python has torchvision: apt-get install python3-torchvision")
    ended = subprocess.run([python, "-W", "ignore", HERE / "compare_detection.py", program, tmp_path],
                           check=True, stdout=subprocess.PIPE)
    compared = json.loads(ended.stdout)
    assert compared["objects"] == 10 and compared["same_labels"]
    assert compared["boxes"] < 1e-3 and compared["scores"] < 1e-4 and compared["masks"] < 1e-4
