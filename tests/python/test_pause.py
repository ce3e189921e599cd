"""Tests how a program answers a request for a pause (docs/lap-log.md), and what it tells of an
exception that ends it. Its device is an imitation whose work is queued; no GPU is needed."""

import subprocess
import sys
import time

import lap_log
from conftest import HOOK, ROOT, environment

PROGRAM = [sys.executable, str(ROOT / "tests" / "queued_device.py"), "--epochs", "1000", "--laps", "20",
           "--depth", "3", "--lap-ms", "20"]


class Program:
    """Runs a program under the hook, until the end of the test."""

    def __init__(self, folder, *words, **env):
        self.folder = folder
        env = environment(PYTHONPATH=str(HOOK), LAPCAST_LOG_DIR=str(folder), **env)
        self.process = subprocess.Popen([*PROGRAM, *words], env=env, stdout=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()

    def text(self):
        return "".join(file.read_text() for file in self.folder.glob("laps.*.log"))

    def ask(self, number):
        (self.folder / "pause.new").write_text(f"{number}\n")
        (self.folder / "pause.new").rename(self.folder / "pause")

    def answer(self, number):
        return self.folder / f"paused.{number}.{self.process.pid}"


def wait_for(condition):
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def known_ends(log):
    """Returns how many laps a log has, and of how many the end is known."""
    return len(log.ends()), sum(end is not None for end in log.ends())


def test_a_pause_finds_an_idle_device_and_the_end_of_every_lap(tmp_path):
    with Program(tmp_path) as program:
        wait_for(lambda: program.text().count(" q ") > 5)
        assert (tmp_path / "hook.pause").exists()
        program.ask(1)
        wait_for(lambda: program.answer(1).exists() and program.answer(1).read_text().endswith("\n"))
        at = int(program.answer(1).read_text())
        assert at <= time.monotonic_ns()
        paused = program.text()
        [log] = lap_log.read_folder(tmp_path)
        laps, known = known_ends(log)
        assert laps == known > 5
        assert max(log.ends()) + int(log.hello["clock"]) <= at
        (tmp_path / "pause").unlink()
        wait_for(lambda: program.text().count(" q ") > paused.count(" q "))
        assert program.text().startswith(paused)
        program.ask(2)
        wait_for(lambda: program.answer(2).exists())


def test_a_program_that_nobody_suspends_goes_on(tmp_path):
    with Program(tmp_path) as program:
        wait_for(lambda: program.text().count(" q ") > 5)
        program.ask(1)
        wait_for(lambda: program.answer(1).exists())
        paused = program.text().count(" q ")
        wait_for(lambda: program.text().count(" q ") > paused + 5)
        assert [file.name for file in tmp_path.glob("paused.*")] == [program.answer(1).name]


def test_a_rank_of_a_distributed_run_does_not_answer(tmp_path):
    with Program(tmp_path, RANK="0", WORLD_SIZE="2") as program:
        wait_for(lambda: program.text().count(" q ") > 5)
        program.ask(1)
        asked = program.text().count(" q ")
        wait_for(lambda: program.text().count(" q ") > asked + 20)
        assert list(tmp_path.glob("paused.*")) == []


def test_a_program_without_a_device_does_not_offer_to_answer(tmp_path):
    with Program(tmp_path, "--kind", "cpu") as program:
        wait_for(lambda: program.text().count(" i ") > 5)
        assert not (tmp_path / "hook.pause").exists()


def test_an_exception_that_nobody_catches_is_told_with_the_peak_of_memory(tmp_path):
    code = """
import sys, types
torch = types.ModuleType("torch")
torch.cuda = types.SimpleNamespace(is_initialized=lambda: True, device_count=lambda: 2,
                                   max_memory_allocated=lambda index: [5, 7][index])
sys.modules["torch"] = torch
from lapcast import _hook, _raised
_raised.watch(_hook.tell)
_raised.watch(_hook.tell)
raise MemoryError("CUDA out of memory")
"""
    env = environment(PYTHONPATH=str(HOOK), LAPCAST_LOG_DIR=str(tmp_path))
    ended = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == "MemoryError: CUDA out of memory"
    assert (tmp_path / "hook.raised").exists()
    [log] = lap_log.read_folder(tmp_path)
    assert log.counts("device-memory") == [7]
