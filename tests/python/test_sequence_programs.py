"""Runs the scripts of tests/sequences, whose comments `# truth CASE: LENGTHS` say which lengths of sequences each case
must report; `# truth BACKEND CASE:` holds on one backend of Keras. A case without any has batches with
another axis that changes, or sequences that are equally long. Which axis of frames is time is known from the
second batch on, and the first line waits for three."""

import os
import re
import subprocess

import pytest

import lap_log
from conftest import HOOK, ROOT, environment, frameworks_python, skip_if_long, without_dynamo

FOLDER = ROOT / "tests" / "sequences"
PROGRAMS = [("torch_speech", None), ("jax_laps", None), ("keras_tf_data", None), ("keras_models", "tensorflow"),
            ("keras_models", "torch"), ("keras_models", "jax")]


def truth_of(script, backend):
    found = re.findall(r"^# truth (?:(\w+) )?(\w+): ?(.*)$", script.read_text(), re.M)
    return {name: text for of, name, text in sorted(found) if of in ("", backend)}


@pytest.mark.parametrize("name, backend", PROGRAMS)
def test_program(name, backend, tmp_path):
    script, python = FOLDER / f"{name}.py", frameworks_python()
    skip_if_long(script)
    library = name.split("_")[0]
    missing = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({library!r}) is None)"
    if not python.exists() or subprocess.run([python, "-c", missing]).returncode:
        pytest.skip(f"not installed: {library}")
    kept = {"KERAS_BACKEND": backend} if backend else {}
    path = [str(HOOK), str(FOLDER), *without_dynamo(script).values()]
    ended = subprocess.run([python, script], cwd=tmp_path, capture_output=True, text=True, timeout=3000, env=environment(
        PYTHONPATH=os.pathsep.join(path), LAPCAST_LOG_DIR=str(tmp_path), **kept))
    found = {}
    for line in ended.stdout.splitlines():
        case, process = line.split()
        [file] = tmp_path.glob(f"laps.*{process}*.log")
        log = lap_log.parse(file.read_text("ascii"))
        assert len(log.laps()) >= 5, case
        found[case] = ", ".join(log.lengths())
    assert found == truth_of(script, backend), ended.stderr
