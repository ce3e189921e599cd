"""Tests the availability experiment: a held machine, heartbeats that survive its end, and a report
from them alone."""

import re
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from conftest import HANGS, eventually
from sshd import fleet_entry

FAKE_DRIVER = Path(__file__).resolve().parents[1] / "fake_cuda.c"


@pytest.fixture
def soak(story):
    story.heartbeats = story.folder / "kept" / "heartbeats"
    running = []

    def start(*options, **more):
        every = [] if "--every" in options else ["--every", "100ms"]
        running.append(story.start("soak", *every, "--heartbeats", story.heartbeats, *options,
                                   **more))
        return running[-1]

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
            process.communicate()


def lines(story, what=""):
    if not story.heartbeats.exists():
        return []
    return [line for line in story.heartbeats.read_text().splitlines() if line.startswith(what)]


def report(story, *options):
    return story.lapcast("soak", "report", story.heartbeats, "--json", *options).ok()


def test_soak_holds_the_machine_for_as_long_as_asked(story, soak):
    process = soak("--for", "5s")
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    assert "is held; heartbeats go to" in err.decode()
    assert len(lines(story, "begin ")) == len(lines(story, "end ")) == 1
    work = [int(line.split()[-1]) for line in lines(story, "beat ")]
    assert len(work) >= 3 and work == sorted(work)
    assert stat.S_IMODE(story.heartbeats.stat().st_mode) == 0o600
    assert stat.S_IMODE(story.heartbeats.parent.stat().st_mode) == 0o700
    [row] = report(story).rows("availability")
    assert (row["sessions"], row["cut"], row["availability"]) == (1, 0, 1)


def test_a_soak_that_is_killed_and_restarted_notices_the_gap(story, soak):
    first = soak()
    assert eventually(lambda: len(lines(story, "beat ")) >= 3)
    first.kill()
    first.wait()
    with open(story.heartbeats, "a") as file:
        file.write("beat 17 1")  # torn by the end of the machine
    second = soak()
    assert eventually(lambda: len(lines(story, "begin ")) == 2 and
                      len(lines(story, "beat ")) >= 6)
    second.send_signal(signal.SIGINT)
    second.communicate(timeout=HANGS)
    assert second.returncode == 130
    ended = report(story)
    rows = ended.rows("sessions")
    assert [row["fate"] for row in rows] == ["cut", "stopped by the user"]
    assert rows[0]["wait_s"] > 0 and rows[0]["length_s"] > 0
    assert "1 damaged lines were left out" in ended.notes("availability")
    [row] = ended.rows("availability")
    assert row["median_wait_s"] == rows[0]["wait_s"]
    held, wanted = row["held_s"], row["wanted_s"]
    assert held == pytest.approx(sum(row["length_s"] for row in rows))
    assert wanted == pytest.approx(held + rows[0]["wait_s"])


def test_two_cannot_write_the_same_heartbeats(story, soak):
    soak()
    assert eventually(lambda: lines(story, "begin "))
    story.lapcast("soak", "--heartbeats", story.heartbeats).refused(6, "written by another lapcast")


def test_the_report_of_the_papers_sessions(story):
    """Carneiro et al., IEEE Access 6, section V: 12 h, then 3 h, then 5 h without; all of it
    twice."""
    hour = 3600 * 10**9
    at, text = 1_600_000_000 * 10**9, ""
    for number, (length, wait) in enumerate([(12, 0), (3, 5), (12, 0), (3, 5), (12, 0)]):
        text += f"begin {at} {at} {number:012x} boot{number} {60 * 10**9} cuda colab here\n"
        for minute in range(60 * length):
            at += hour // 60
            text += f"beat {at} {at} {number:012x} {minute}\n"
        at += wait * hour
    (story.work / "h").write_text(text)
    ended = story.lapcast("soak", "report", "h", "--json").ok()
    [row] = ended.rows("availability")
    assert row["median_session_s"] == 12 * 3600 and row["cut"] == 4
    assert row["availability"] == pytest.approx(42 / 52)
    steps = ended.rows("session_survival")
    assert [(step["time_s"], step["at_risk"], step["ended"]) for step in steps] == [
        (3 * 3600, 5, 2), (12 * 3600, 3, 2)]
    assert [step["share"] for step in steps] == pytest.approx([0.6, 0.2])
    people = story.lapcast("soak", "report", "h").ok().out
    assert re.search(r"colab +cuda +5 +4 +12 h 00 min", people), people


def test_what_makes_no_sense_is_refused(story):
    story.lapcast("soak", "--every", "1ms").refused(2, "--every must be at least 100ms")
    story.lapcast("soak", "--load", "110%").refused(2, "--load")
    story.lapcast("soak", "--to", "box").refused(2, "belong together")
    story.lapcast("soak", "--heartbeats", "/dev/null").refused(6, "not a regular file")
    story.lapcast("soak", "report").refused(3, "cannot read the heartbeats")
    (story.work / "h").write_bytes(b"\x00\xff\n" * 10)
    story.lapcast("soak", "report", "h").refused(3, "there is no heartbeat in h")


def fake_driver(story, fail):
    if not shutil.which("cc"):
        pytest.skip("no C compiler to build an imitation of the CUDA driver")
    subprocess.run(["cc", "-shared", "-fPIC", "-w", f"-DFAIL={fail}", FAKE_DRIVER, "-o",
                    story.folder / "libcuda.so.1"], check=True)
    return {"LD_LIBRARY_PATH": str(story.folder)}


def test_a_gpu_is_loaded_through_the_driver(story, soak):
    process = soak("--device", "cuda", "--load", "50%", env=fake_driver(story, 0))
    assert eventually(lambda: lines(story, "beat ") and
                      int(lines(story, "beat ")[-1].split()[-1]) > 10), process
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130, err
    assert " cuda " in lines(story, "begin ")[0]


def test_a_missing_gpu_is_reported(story, soak):
    _, err = soak("--device", "cuda", env=fake_driver(story, 100)).communicate(timeout=HANGS)
    assert b"the load of the GPU ended: no CUDA device (CUDA error 100)" in err
    if not shutil.which("nvidia-smi"):
        _, err = soak("--device", "cuda").communicate(timeout=HANGS)
        assert b"there is no CUDA driver" in err


@pytest.fixture
def remote(remote, story):
    story.fleet(fleet_entry("remote", name="gpu-box"))
    return remote


def test_a_remote_machine_is_held_again_as_soon_as_it_is_back(story, soak, remote):
    process = soak("--to", "gpu-box", "fleet.toml")
    assert eventually(lambda: len(lines(story, "beat ")) >= 2, 30)
    remote.kill()  # for longer than three intervals
    assert eventually(lambda: lines(story, "lost ") and lines(story, "refused "), 30)
    remote.start()
    assert eventually(lambda: len(lines(story, "begin ")) == 2, 30)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and b"lost after" in err, err
    ended = report(story)
    [row] = ended.rows("availability")
    assert (row["machine"], row["sessions"], row["cut"]) == ("gpu-box", 2, 1)
    assert row["refusals"] >= 1 and 0 < row["availability"] < 1


def test_a_link_that_drops_briefly_ends_no_session(story, soak, remote):
    process = soak("--every", "2s", "--to", "gpu-box", "fleet.toml")
    assert eventually(lambda: len(lines(story, "beat ")) >= 1, 30)
    before = len(lines(story, "beat "))
    remote.break_links()
    assert eventually(lambda: len(lines(story, "beat ")) >= before + 2, 30)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=HANGS)
    assert len(lines(story, "begin ")) == 1 and not lines(story, "lost ")


def test_a_machine_that_cannot_be_reached_at_all(story, soak, remote):
    story.fleet(fleet_entry("nowhere.invalid", name="gone"))
    process = soak("--to", "gone", "fleet.toml", "--for", "500ms")
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode in (0, 6), err
    assert not lines(story, "begin ")
    story.lapcast("soak", "--to", "box", "fleet.toml").refused(2, "no machine 'box'")
