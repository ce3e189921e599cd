"""Kills lapcast sixty times while it rents: no machine lives on, and no money is spent unseen."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rented import fakecloud

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "rent_kills.py"


def test_sixty_kills_leave_nothing_behind():
    if reason := fakecloud.why_not():
        pytest.skip(reason)
    done = subprocess.run([sys.executable, BENCHMARK, os.environ["LAPCAST_BUILD"], "60"], capture_output=True, text=True)
    assert "rent-kills: 5 of 5 goals met" in done.stdout, done.stdout + done.stderr
    troubles = sum(int(n) for sweeps in re.findall(r"sweeps .*?: (.*)", done.stdout)
                   for n in re.findall(r"[a-z]+ (\d+)", sweeps))
    assert troubles >= 60, done.stdout
