"""Finds the Python of the virtual environment with the frameworks, for stories that read what
lapcast wrote with the tools that it is for."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def python_with(*modules):
    """Returns an interpreter that has these modules; skips the story where there is none."""
    folder = Path(os.environ.get("LAPCAST_FRAMEWORKS", ROOT / "build" / "frameworks"))
    python = folder / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no virtual environment with the frameworks: {python}")
    look = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))"
    found = subprocess.run([python, "-c", look, *modules], capture_output=True)
    if found.returncode != 0:
        pytest.skip(f"{python} lacks one of: {', '.join(modules)}")
    return python


def run_python(python, text, *arguments, cwd=None, env=None):
    """Runs a text in that interpreter and returns what it prints."""
    done = subprocess.run([python, "-c", text, *map(str, arguments)], cwd=cwd, env=env,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout
