"""Tests a rule for the tests: what several of them share lies in a module that is named after its noun."""

import ast
from pathlib import Path

import pytest

FOLDERS = [path.parent for path in sorted(Path(__file__).resolve().parents[1].glob("*/conftest.py"))]


def imported_by(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_nothing_imports_a_file_of_tests(folder):
    tests = {file.stem for file in folder.glob("test_*.py")}
    assert tests
    wrong = [f"{file.name} imports {name}" for file in sorted(folder.glob("*.py"))
             for name in imported_by(file) if name.split(".")[0] in tests]
    assert wrong == []
