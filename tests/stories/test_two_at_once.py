"""Tests that two equal commands at once measure once: the second lapcast waits."""

import re
import signal

import pytest

from conftest import eventually
from fake_suite import Suite

FLEET = "".join(f'[[machine]]\nname = "{name}"\nprice = "1"\n[machine.environment]\n'
                f'FAKE_NAME = "{name}"\n' for name in "abc")


def sweep(story, *options, lap_ms=40, max_laps=20):
    program = story.trainer("--epochs", 2, "--laps", 40, "--lap-ms", lap_ms)
    return ["sweep", story.fleet(FLEET).name, "--max-laps", max_laps, *options, "--", *program]


def both(story, command):
    """Starts a command, and again while the first one measures. Returns both results."""
    first = story.start(*command)
    assert eventually(lambda: story.journal("start"))
    second = story.lapcast(*command)
    _, err = first.communicate(timeout=60)
    assert first.returncode == 0, err
    return first, second.ok()


def waited_for(first, second):
    return f"waiting: another lapcast (process {first.pid}) measures " in second.err


def test_k_the_second_sweep_waits_and_shows_what_the_first_measured(story):
    first, second = both(story, sweep(story))
    assert waited_for(first, second), second.err
    assert "3 of 3 probes were done" in second.err and "\nSweep\n" in second.out
    assert len(story.journal("start")) == 3 and len(story.export()) == 3
    assert sorted(path.name for path in story.store.parent.glob("*-lock")) == ["lapcast.db-lock"]
    story.check_store()


def test_k_another_sweep_does_not_wait(story):
    first = story.start(*sweep(story))
    assert eventually(lambda: story.journal("start"))
    second = story.start(*sweep(story, "--precision", "3%"))
    first.communicate(timeout=60)
    _, err = second.communicate(timeout=60)
    assert first.returncode == second.returncode == 0
    assert b"waiting: another lapcast" not in err
    assert len(story.journal("start")) == 6


def test_k_ctrl_c_ends_the_wait_only(story):
    first = story.start(*sweep(story))
    assert eventually(lambda: story.journal("start"))
    with open(story.folder / "said", "w+") as said:
        second = story.start(*sweep(story), stderr=said)
        assert eventually(lambda: "waiting:" in (story.folder / "said").read_text())
        second.send_signal(signal.SIGINT)
        second.communicate(timeout=30)
    assert second.returncode == 130
    assert "interrupted; nothing was measured" in (story.folder / "said").read_text()
    first.communicate(timeout=60)
    assert first.returncode == 0 and len(story.export()) == 3


def test_k_the_second_continues_where_a_killed_first_stopped(story):
    story.may_leave_run_folders = True
    command = sweep(story, "--precision", "50%", max_laps=1000)
    first = story.start(*command)
    assert eventually(lambda: len(story.journal("start")) == 2)
    with open(story.folder / "said", "w+") as said:
        second = story.start(*command, stderr=said)
        assert eventually(lambda: "waiting:" in (story.folder / "said").read_text())
        first.kill()
        first.communicate(timeout=30)
        before = len(story.journal("start"))
        second.communicate(timeout=60)
    assert second.returncode == 0
    assert sorted(run["machine_type"]["name"] for run in story.export()) == ["a", "b", "c"]
    assert len(story.journal("start")) == before + 3  # those that were lost were started again


@pytest.mark.parametrize("options", [["--race"], ["--again"]])
def test_k_races_and_sweeps_anew_wait_too(story, options):
    first, second = both(story, sweep(story, *options))
    assert waited_for(first, second), second.err
    assert len(story.journal("start")) == (6 if options == ["--again"] else 3)


def test_k_two_verifications_run_each_candidate_once(story):
    story.lapcast(*sweep(story, lap_ms=20)).ok()
    story.journal_file.unlink()
    first, second = both(story, ["verify", "--all"])
    assert waited_for(first, second), second.err
    assert len(story.journal("start")) == 3
    kinds = [run["kind"] for run in story.export()]
    assert kinds.count("full") == 3


def test_k_two_suite_runs_are_one_set(story):
    suite = Suite(story, ["mnist-mlp", "make-digits"])
    command = ["suite", "run", "mnist-mlp", "--repeats", "3", "--epochs", "2"]
    first = story.start(*command, env={"FAKE_SLEEP": "0.3"})
    assert eventually(lambda: suite.journal("mnist-mlp"))
    second = story.lapcast(*command, env={"FAKE_SLEEP": "0.3"}).ok()
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert waited_for(first, second), second.err
    assert "runs were done; --again begins a new set" in second.err
    assert len({run["sweep"] for run in story.export()}) == 1
    assert len(story.export()) == len(suite.journal("mnist-mlp"))


def test_k_without_a_lock_it_warns_and_measures(story):
    story.store.parent.mkdir()
    (story.store.parent / "lapcast.db-lock").symlink_to("/nowhere")
    ended = story.lapcast(*sweep(story)).ok()
    assert re.search("warning: no lock beside the store", ended.err)
    assert len(story.journal("start")) == 3
