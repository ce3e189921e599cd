"""Tests forecasts of programs under the hook, from a probe by the real binary, against the time that
the whole training takes by itself. The start of the programs, which depends on what else the machine
does, is left out."""

import json
import os
import subprocess

import pytest

from conftest import environment, frameworks_python

# As nanoGPT trains: steps by hand without a loader, and evaluations whose samples nobody counts.
# Half of the time goes into these.
EVALUATES = """
import time
import torch

max_iters, eval_interval, eval_iters = 300, 50, 15
tokens = torch.randn(500, 8)
net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.1), torch.nn.Linear(8, 1))
adamw = torch.optim.AdamW(net.parameters())


def batch():
    return tokens[torch.randint(500, (4,))]


@torch.no_grad()
def estimate_loss():
    net.eval()
    for split in ("train", "val"):
        for _ in range(eval_iters):
            net(batch()).square().mean().item()
            time.sleep(0.025)
    net.train()


begin = time.monotonic()
for iteration in range(max_iters):
    if iteration % eval_interval == 0:
        estimate_loss()
    net(batch()).square().mean().backward()
    time.sleep(0.015)
    adamw.step()
    adamw.zero_grad()
print(time.monotonic() - begin)
"""


@pytest.fixture
def command(tmp_path):
    """Returns the command line of the training."""
    if not os.environ.get("LAPCAST"):
        pytest.skip("LAPCAST has to name the program")
    python = frameworks_python()
    if not python.exists():
        pytest.skip(f"no virtual environment with the frameworks: {python}")
    (tmp_path / "train.py").write_text(EVALUATES)
    return [python, "train.py"]


def probe(command, folder, *options):
    """Returns the parts of the forecast of a probe, by name, in seconds."""
    lapcast = [os.environ["LAPCAST"], "--store", folder / "runs.db", "--quiet", "probe", "--json"]
    ended = subprocess.run([*lapcast, *options, "--", *command], cwd=folder, env=environment(),
                           capture_output=True, timeout=3000)
    assert ended.returncode == 0, ended.stderr.decode()
    return {row["part"]: row["time_s"] for row in json.loads(ended.stdout)["parts"]}


def test_evaluations_whose_samples_nobody_counts_are_in_the_forecast(command, tmp_path):
    # At the same time, so that what else the machine does slows both.
    with subprocess.Popen(command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE) as whole:
        parts = probe(command, tmp_path, "--precision", "0.01%", "--max-laps", "120", "--budget", "24h")
        real = float(whole.communicate(timeout=3000)[0])
    forecast = parts["total"] - parts["init"] - parts.get("tear-down", 0)
    assert abs(forecast / real - 1) < 0.35, (parts, real)
    assert 0.35 < parts["validation"] / forecast < 0.65, (parts, real)
