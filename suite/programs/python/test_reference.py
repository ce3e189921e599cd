"""Compares every program of the suite with the same network in plain PyTorch.

Both start from the same weights. The outputs, loss and gradients of one training step and the
weights after it agree to 1e-5. WORKLOADS names the folder of the programs and LIBTORCH that of
their libraries. The tests are skipped when no available Python has that PyTorch.
"""

import functools
import json
import os
import pathlib
import subprocess
import sys

import pytest

import suite

HERE = pathlib.Path(__file__).resolve().parent
BATCH, TRAINING, TEST = 16, 32, 16
LARGEST = 1e-5


@functools.lru_cache
def torch_python():
    return suite.torch_python(os.environ["LIBTORCH"], [sys.executable, "python3"])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Returns data(workload): a folder with a small set, made once for all workloads with one
    maker."""
    folders = {}

    def data_of(workload):
        if workload.maker not in folders:
            folders[workload.maker] = tmp_path_factory.mktemp(workload.maker)
            suite.make_data(os.environ["WORKLOADS"], workload, folders[workload.maker], TRAINING,
                            TEST)
        return folders[workload.maker]

    return data_of


@pytest.fixture(scope="module")
def differences(data, tmp_path_factory):
    """Returns the differences of every program that is built, by its name: one interpreter compares
    all, because importing PyTorch takes longer than a step."""
    if torch_python() is None:
        pytest.skip("no Python at hand has the PyTorch that the programs are linked with")
    steps = {}
    for name, workload in suite.WORKLOADS.items():
        if not suite.missing_programs(os.environ["WORKLOADS"], workload):
            steps[name] = tmp_path_factory.mktemp(name) / "step.pt"
            suite.write_step(os.environ["WORKLOADS"], workload, data(workload), steps[name], BATCH)
    output = subprocess.run([torch_python(), "-W", "ignore", HERE / "compare_step.py",
                             *(f"{name}={file}" for name, file in steps.items())],
                            check=True, stdout=subprocess.PIPE).stdout
    return dict(zip(steps, map(json.loads, output.splitlines())))


@pytest.mark.parametrize("name", suite.WORKLOADS)
def test_a_training_step_is_that_of_plain_pytorch(name, differences):
    missing = suite.missing_programs(os.environ["WORKLOADS"], suite.WORKLOADS[name])
    if missing:
        pytest.skip(f"not built: {', '.join(missing)}")
    assert {"outputs", "loss"} < set(differences[name])
    assert {what: value for what, value in differences[name].items() if not value <= LARGEST} == {}
