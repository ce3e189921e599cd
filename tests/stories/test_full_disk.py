"""Tests that a full disk is reported, and that a store on it can be read."""

import os
import sqlite3
import subprocess
import sys

import pytest

from conftest import mounted_disk


@pytest.fixture
def small_disk(story):
    """Makes a file system of 2 MiB with few inodes."""
    yield from mounted_disk(story, "size=2m,nr_inodes=60")


def fill_blocks(folder):
    with open(folder / "filling", "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)) == 4096:
                pass
        except OSError:
            pass


def fill_inodes(folder):
    try:
        for number in range(1000):
            (folder / f"filling-{number}").touch()
    except OSError:
        pass


FILLS = [fill_blocks, fill_inodes]


@pytest.mark.parametrize("fill", FILLS)
def test_n_a_disk_that_is_full_at_the_start_is_named(story, small_disk, fill):
    fill(small_disk)
    ended = story.probe("--run-parent", small_disk)
    assert ended.code != 0 and not story.journal(), ended
    assert str(small_disk) in ended.err and "No space left on device" in ended.err, ended
    assert "--run-parent" in ended.err and "import lapcast" not in ended.err + ended.out
    assert not list(small_disk.glob("lapcast-run-*"))


def test_n_a_disk_that_the_program_fills_is_named(story, small_disk):
    script = 'cat /dev/zero >"$LAPCAST_RUN_DIR/data"; ' \
             'for i in 1 2 3; do "$LAPCAST" lap iteration 8; sleep 0.01; done; exit 0'
    ended = story.probe("--run-parent", small_disk, program=["sh", "-c", script],
                        env={"LAPCAST": os.environ["LAPCAST"]})
    assert ended.code == 4, ended
    last = ended.err.splitlines()[-1]
    assert f"nothing can be written into the run folder {small_disk}" in last, ended
    assert "No space left on device" in last and "--run-parent" in last
    assert "import lapcast" not in ended.err + ended.out


def test_n_laps_before_the_disk_was_full_count_with_a_warning(story, small_disk):
    script = 'for i in 1 2 3 4 5 6; do "$LAPCAST" lap iteration 8; sleep 0.01; done; ' \
             'cat /dev/zero >"$LAPCAST_RUN_DIR/data"; exit 0'
    ended = story.probe("--run-parent", small_disk, program=["sh", "-c", script],
                        env={"LAPCAST": os.environ["LAPCAST"]}).ok()
    assert "laps may be missing" in ended.err and "No space left on device" in ended.err


def test_n_the_hook_finds_another_place_when_the_disk_of_its_cache_is_full(story, small_disk):
    fill_blocks(small_disk)
    code = "import os; print(os.environ['PYTHONPATH'].split(':')[0])"
    story.probe(program=[sys.executable, "-c", code], env={"HOME": str(small_disk)})
    [run] = story.export()
    assert run["standard_output"].startswith(str(story.temporary / "lapcast-run-")), run
    assert not [text for text in run["warnings"] if "not observed" in text]
    assert not list((small_disk / ".cache" / "lapcast").glob("*"))


def leave_log(store):
    """Leaves a change in the write-ahead log only, as a killed writer does."""
    code = "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]); " \
           "c.execute('PRAGMA wal_autocheckpoint = 0'); " \
           "c.execute(\"UPDATE runs SET settings = 'of the log'\"); c.commit(); os._exit(0)"
    subprocess.run([sys.executable, "-c", code, store], check=True)
    assert os.path.getsize(f"{store}-wal") > 0
    os.unlink(f"{store}-shm")  # it may be missing after a copy or a reboot


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("with_log", [False, True], ids=["file", "file-and-log"])
def test_n_a_store_on_a_full_disk_can_be_read(story, small_disk, fill, with_log):
    story.environment["LAPCAST_STORE"] = str(small_disk / "lapcast.db")
    story.probe("--max-laps", 20, "--epochs", 2, "--price", "1").ok()
    expected = [story.lapcast(*command).ok().out for command in (["export"], ["show", "last"], ["rank"])]
    if with_log:
        leave_log(small_disk / "lapcast.db")
    fill(small_disk)
    for _ in range(2):
        listed = story.lapcast("runs").ok()
        assert ("of the log" in listed.out) == with_log, listed
    now = [story.lapcast(*command).ok().out for command in (["export"], ["show", "last"], ["rank"])]
    assert now == expected
    refused = story.probe()
    assert refused.code == 5 and str(small_disk) in refused.err, refused

    for path in small_disk.glob("filling*"):
        path.unlink()
    story.probe("--max-laps", 20).ok()
    database = sqlite3.connect(small_disk / "lapcast.db")
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert database.execute("SELECT count(*) FROM runs").fetchone() == (2,)
    database.close()
