"""Tests what the package promises to others: its types, and data frames of what it drives. And the
rules for its modules."""

import ast
import json
import os
import subprocess

import pytest

from conftest import PACKAGE, ROOT, environment, frameworks_python

USE = """
import json, os
import lapcast, lapcast.__main__

lapcast.__main__.binary = lambda: os.environ["LAPCAST"]
train = ["sh", "-c", 'for i in 1 2 3 4 5; do sleep 0.02; "$0" lap iteration 8; done',
         os.environ["LAPCAST"]]
lapcast.sweep([*train, "{batch}"], batch=[16, 32], price=1)
rows = lapcast.runs()[-1:].to_pandas()
laps = lapcast.runs()[-1].laps().to_pandas()
ranked = lapcast.rank(epochs=2, samples=800).to_pandas()
print(json.dumps({"runs": list(rows["run"]), "laps": list(laps["lap"]),
                  "lap_s": laps["lap_s"].sum(), "batches": sorted(ranked["settings.batch"]),
                  "usd": list(ranked["cost_usd"])}))
"""


@pytest.fixture
def python_with():
    """Returns python_with(library), the interpreter of the frameworks, which has the library."""
    def found(library):
        python = frameworks_python()
        command = [python, "-c", f"import {library}"]
        if not python.exists() or subprocess.run(command, capture_output=True).returncode != 0:
            pytest.skip(f"not installed in {python.parents[1]}: {library}")
        return python

    return found


def test_data_frames_have_the_rows_of_the_command_line(python_with, tmp_path):
    if "LAPCAST" not in os.environ:
        pytest.skip("LAPCAST names no binary")
    env = {**environment(PYTHONPATH=str(PACKAGE)), "LAPCAST": os.environ["LAPCAST"],
           "LAPCAST_STORE": str(tmp_path / "runs.db")}
    done = subprocess.run([python_with("pandas"), "-c", USE], env=env, cwd=tmp_path,
                          capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["runs"]) == 1 and found["laps"] == [0, 1, 2, 3, 4] and found["lap_s"] > 0.08
    assert found["batches"] == [16, 32] and min(found["usd"]) > 0


def test_the_types_are_strictly_right(python_with):
    # The oldest Python that the package supports; the cache makes a second run take a second.
    command = [python_with("mypy"), "-m", "mypy", "--python-version", "3.9", "--cache-dir",
               frameworks_python().parents[1] / "mypy", "lapcast"]
    done = subprocess.run(command, cwd=ROOT / "python", env=environment(), capture_output=True,
                          text=True, timeout=3000)
    assert done.returncode == 0, done.stdout + done.stderr


MODULES = {path.stem: ast.parse(path.read_text()) for path in (PACKAGE / "lapcast").glob("*.py")}


def imported_by(module):
    """Returns the modules of the package that a module imports anywhere, for its types too."""
    names = set()
    for node in ast.walk(MODULES[module]):
        if isinstance(node, ast.ImportFrom) and node.module == "lapcast":
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").removeprefix("lapcast."))
        elif isinstance(node, ast.Import):
            names |= {each.name.removeprefix("lapcast.") for each in node.names}
    return names & MODULES.keys()


def test_no_module_imports_one_that_imports_it():
    left = {module: imported_by(module) for module in MODULES}
    while free := [module for module, needs in left.items() if not needs & left.keys()]:
        for module in free:
            del left[module]
    assert not left, f"these import each other: {', '.join(sorted(left))}"


def test_no_module_has_variables():
    changed = [f"{module}.py:{node.lineno}" for module, tree in MODULES.items()
               for node in ast.walk(tree) if isinstance(node, ast.Global)]
    assert not changed, "state belongs to an object"


def test_files_and_functions_are_short():
    for module, tree in MODULES.items():
        length = len((PACKAGE / "lapcast" / f"{module}.py").read_text().splitlines())
        assert length < 350, f"{module}.py has {length} lines"
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = node.end_lineno - node.lineno + 1
                assert length < 46, f"{module}.py: {node.name} has {length} lines"
