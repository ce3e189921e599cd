"""Tests how cmake/hook_files.cmake embeds the Python hook into the binary, with files of the
story."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "cmake/hook_files.cmake"


def embedded(source, output):
    if not shutil.which("cmake"):
        pytest.skip("no cmake")
    subprocess.run(["cmake", f"-DSOURCE={source}", f"-DOUTPUT={output}", "-P", SCRIPT], check=True)
    entries = re.findall(r'\{"(.*)", \{"(.*)", (\d+)\}\}', output.read_text())
    files = [(path, bytes.fromhex(text.replace("\\x", ""))) for path, text, _ in entries]
    assert [len(text) for _, text in files] == [int(size) for _, _, size in entries]
    return files


def test_every_byte_of_the_package_and_its_hook_is_embedded(tmp_path):
    odd = bytes(range(256)) + b'"\\x41;${SOURCE}\n[[]]'
    for name, text in {"lapcast/__init__.py": b"", "lapcast/deep/er.py": odd, "lapcast/py.typed": b"",
                       "hook/sitecustomize.py": b"import lapcast\n", "hook/other.py": b"no",
                       "lapcast/notes.txt": b"no"}.items():
        file = tmp_path / "python" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    assert embedded(tmp_path / "python", tmp_path / "hook_files.cc") == [
        ("sitecustomize.py", b"import lapcast\n"), ("lapcast/__init__.py", b""),
        ("lapcast/deep/er.py", odd), ("lapcast/py.typed", b"")]


def test_a_build_without_a_hook(tmp_path):
    assert embedded(tmp_path / "missing", tmp_path / "hook_files.cc") == []
