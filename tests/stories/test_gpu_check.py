"""Tests `./check --gpu` without a GPU: all its parts against imitations of driver and device, and how
it ends parts that fail, hang or are interrupted."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from conftest import HANGS, eventually
from frameworks import ROOT, python_with

GPU = ROOT / "tests" / "gpu"
FAKE_PARTS = """
from collections import namedtuple
Part = namedtuple("Part", "name about short_s whole_s module")
SHORT_S = 3600
PARTS = [Part(name, name, 3 if name == "hangs" else 60, 60, "parts." + name)
         for name in ("bad", "hangs", "skips", "good", "lacks", "waits")]
"""
FAKES = {
    "bad": "1 / 0",
    "hangs": "import os, subprocess, time; subprocess.Popen(['sleep', '987654'], start_new_session=True); "
             "time.sleep(1000)",
    "skips": "from session import Skipped; raise Skipped('there is no such thing')",
    "good": "session.figure('a | b', 1.23456, (lambda value: value < 2, '< 2')); session.lapcast('--version')",
    "lacks": "session.check(False, 'what must hold'); session.figure('c', 3, (lambda value: value < 2, '< 2'))",
    "waits": "import pathlib, time; pathlib.Path(session.environment['HOME'], 'waits').touch(); time.sleep(1000)",
}


@pytest.fixture
def parts(tmp_path):
    """Returns start(NAME...), which starts these parts of a copy of tests/gpu with parts of its own."""
    copy = tmp_path / "tests" / "gpu"
    shutil.copytree(GPU, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tests" / "python").symlink_to(ROOT / "tests" / "python")
    (copy / "parts" / "__init__.py").write_text(FAKE_PARTS)
    for name, code in FAKES.items():
        (copy / "parts" / f"{name}.py").write_text(f"def run(session):\n    {code}\n")
    (copy / "torch.py").write_text(
        "from types import SimpleNamespace\n__version__ = '0'\ncuda = SimpleNamespace(is_available=lambda: True)\n")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(copy), "HOME": str(tmp_path), "TMPDIR": str(temporary)}

    def start(*names):
        return subprocess.Popen(
            [sys.executable, copy / "run.py", "--short", "--into", tmp_path / "found", *names],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    yield start
    assert list(temporary.iterdir()) == []
    assert not any("987654" in command for command in commands()), "a part's process is left"


def commands():
    for entry in Path("/proc").iterdir():
        try:
            yield (entry / "cmdline").read_bytes().decode("utf-8", "replace")
        except (OSError, ValueError):
            pass


def found(folder):
    record = json.loads((folder / "found" / "report.json").read_text())
    return {part["part"]: part for part in record["parts"]}


def test_a_part_that_fails_or_hangs_does_not_stop_the_next(parts, tmp_path):
    process = parts("bad", "hangs", "skips", "good", "lacks")
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 1, err
    records = found(tmp_path)
    assert {name: record["result"] for name, record in records.items()} == {
        "bad": "failed", "hangs": "failed", "skips": "skipped", "good": "passed", "lacks": "failed"}
    assert "ZeroDivisionError" in records["bad"]["reason"]
    assert records["hangs"]["reason"] == "took longer than its limit of 3 s"
    assert "1 passed, 3 failed, 1 skipped" in out
    page = (tmp_path / "found" / "report.md").read_text()
    assert "a \\| b 1.235 (goal < 2)" in page and "missed: c 3, goal < 2" in page
    assert "**fails**: what must hold" in page and "there is no such thing" in page
    with tarfile.open(tmp_path / "found" / "runs.tar.gz") as archive:
        assert "good/output.log" in archive.getnames()
    files = list((tmp_path / "found").iterdir())
    assert len(files) <= 8 and sum(file.stat().st_size for file in files) <= 16 << 20


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_all_and_still_writes_the_report(parts, tmp_path, how):
    process = parts("waits", "good")  # in the order of the list: good, waits
    assert eventually((tmp_path / "waits").exists)
    process.send_signal(how)
    process.communicate(timeout=HANGS)
    assert process.returncode == 130
    records = found(tmp_path)
    assert records["good"]["result"] == "passed"
    assert (records["waits"]["result"], records["waits"]["reason"]) == ("failed", "interrupted")


def check_gpu(*arguments, python=sys.executable, **options):
    return subprocess.run([python, GPU / "run.py", *arguments], capture_output=True, text=True,
                          timeout=HANGS, **options)


def test_what_cannot_be_is_refused():
    assert check_gpu("no-such-part").returncode == 2
    assert "--imitate" in check_gpu("--help").stdout
    nothing = check_gpu(env={**os.environ, "LAPCAST": "/nothing/lapcast"})
    assert nothing.returncode == 6 and "lapcast cannot be started" in nothing.stderr


def test_the_short_forms_share_eight_minutes_and_a_whole_one_has_eight():
    rows = [line.split()[1:5] for line in check_gpu("--list").stdout.splitlines()]
    assert len(rows) == 12 and all(int(row[3]) <= 480 for row in rows)
    shared = subprocess.run([sys.executable, "-c", "import parts; print(parts.SHORT_S)"], cwd=GPU,
                            capture_output=True, text=True, check=True)
    assert int(shared.stdout) <= 470


def test_the_time_of_all_short_forms_ends_the_last(parts, tmp_path):
    list_of_parts = tmp_path / "tests" / "gpu" / "parts" / "__init__.py"
    text = list_of_parts.read_text().replace("SHORT_S = 3600", "SHORT_S = 3")
    list_of_parts.write_text(text.replace('"bad", "hangs", "skips", "good", "lacks", "waits"', '"waits",'))
    process = parts()
    process.communicate(timeout=HANGS)
    assert process.returncode == 1
    records = found(tmp_path)
    assert records["waits"]["reason"] == "the 3 s of all short forms were over"


def test_without_a_gpu_the_imitations_are_named():
    python = python_with("torch")
    ended = check_gpu(python=python)
    assert ended.returncode == 6 and "--imitate" in ended.stderr


def test_every_part_passes_against_imitations(tmp_path):
    """Without LAPCAST_LONG_TESTS the two that take longest are left out."""
    python = python_with("torch")
    parts = [line.split()[0] for line in check_gpu("--list").stdout.splitlines()]
    if "LAPCAST_LONG_TESTS" not in os.environ:
        parts = [part for part in parts if part not in ("forecasts", "hook")]
    ended = check_gpu("--imitate", "--short", "--into", tmp_path / "found", *parts, python=python)
    page = (tmp_path / "found" / "report.md").read_text() if (tmp_path / "found").exists() else ""
    assert ended.returncode == 0, ended.stderr + page
    records = found(tmp_path)
    assert sorted(records) == sorted(parts) and len(parts) >= 10
    skipped = {name: record["reason"] for name, record in records.items() if record["result"] == "skipped"}
    possible = ("needs root", "is not built", "no C compiler")
    assert all(any(text in reason for text in possible) for reason in skipped.values()), skipped
