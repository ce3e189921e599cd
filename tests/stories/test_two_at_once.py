"""Tests that two equal commands at once measure once: the second lapcast waits."""

import re
import signal

import pytest

from conftest import HANGS, Ended, eventually
from fake_suite import Suite

FLEET = "".join(f'[[machine]]\nname = "{name}"\nprice = "1"\n[machine.environment]\n'
                f'FAKE_NAME = "{name}"\n' for name in "abc")


def sweep(story, *options, lap_ms=10, max_laps=20):
    """Returns the command of a sweep whose programs wait until the story lets them go on."""
    program = story.trainer("--epochs", 2, "--laps", 40, "--lap-ms", lap_ms, "--noise", 0.1,
                            "--until", story.folder / "go-on")
    return ["sweep", story.fleet(FLEET).name, "--max-laps", max_laps, *options, "--", *program]


def go_on(story):
    (story.folder / "go-on").touch()


class Saying:
    """Is a lapcast whose stderr is read while it runs."""

    def __init__(self, story, command, **more):
        self.file = story.folder / "said"
        with open(self.file, "wb") as said:
            self.process = story.start(*command, stderr=said, **more)

    def waits(self):
        return "waiting" in self.file.read_text()

    def ended(self):
        out, _ = self.process.communicate(timeout=HANGS)
        return Ended(self.process.returncode, out, self.file.read_bytes())


def both(story, command, measures=None, **more):
    """Starts a command, and again while the first one measures. Returns both results."""
    first = story.start(*command, **more)
    assert eventually(measures or (lambda: story.journal("held")))
    second = Saying(story, command, **more)
    assert eventually(second.waits)
    go_on(story)
    _, err = first.communicate(timeout=HANGS)
    assert first.returncode == 0, err
    return first, second.ended().ok()


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
    assert eventually(lambda: story.journal("held"))
    second = story.start(*sweep(story, "--precision", "3%"))
    go_on(story)
    first.communicate(timeout=HANGS)
    _, err = second.communicate(timeout=HANGS)
    assert first.returncode == second.returncode == 0
    assert b"waiting: another lapcast" not in err
    assert len(story.journal("start")) == 6


def test_k_ctrl_c_ends_the_wait_only(story):
    first = story.start(*sweep(story))
    assert eventually(lambda: story.journal("held"))
    second = Saying(story, sweep(story))
    assert eventually(second.waits)
    second.process.send_signal(signal.SIGINT)
    assert "interrupted; nothing was measured" in second.ended().ok(130).err
    go_on(story)
    first.communicate(timeout=HANGS)
    assert first.returncode == 0 and len(story.export()) == 3


def test_k_the_second_continues_where_a_killed_first_stopped(story):
    story.may_leave_run_folders = True
    command = sweep(story, "--precision", "50%", max_laps=1000)
    go_on(story)
    first = story.start(*command, env={"FAKE_HOLD": "2"})
    assert eventually(lambda: story.journal("held"))
    second = Saying(story, command)
    assert eventually(second.waits)
    first.kill()
    first.communicate(timeout=HANGS)
    before = len(story.journal("start"))
    second.ended().ok()
    assert sorted(run["machine_type"]["name"] for run in story.export()) == ["a", "b", "c"]
    assert len(story.journal("start")) == before + 3  # those that were lost were started again


@pytest.mark.parametrize("options", [["--race"], ["--again"]])
def test_k_races_and_sweeps_anew_wait_too(story, options):
    first, second = both(story, sweep(story, *options))
    assert waited_for(first, second), second.err
    assert len(story.journal("start")) == (6 if options == ["--again"] else 3)


def test_k_two_verifications_run_each_candidate_once(story):
    go_on(story)
    story.lapcast(*sweep(story)).ok()
    story.journal_file.unlink()
    (story.folder / "go-on").unlink()
    first, second = both(story, ["verify", "--all"])
    assert waited_for(first, second), second.err
    assert len(story.journal("start")) == 3
    kinds = [run["kind"] for run in story.export()]
    assert kinds.count("full") == 3


def test_k_two_suite_runs_are_one_set(story):
    suite = Suite(story, ["mnist-mlp", "make-digits"])
    command = ["suite", "run", "mnist-mlp", "--repeats", "3", "--epochs", "2"]
    story.lapcast("suite", "data", "mnist-mlp").ok()
    first, second = both(story, command, lambda: suite.journal("mnist-mlp"),
                         env={"FAKE_UNTIL": str(story.folder / "go-on")})
    assert waited_for(first, second), second.err
    assert "runs were done; --again begins a new set" in second.err
    assert len({run["sweep"] for run in story.export()}) == 1
    assert len(story.export()) == len(suite.journal("mnist-mlp"))


def test_k_without_a_lock_it_warns_and_measures(story):
    story.store.parent.mkdir()
    (story.store.parent / "lapcast.db-lock").symlink_to("/nowhere")
    go_on(story)
    ended = story.lapcast(*sweep(story)).ok()
    assert re.search("warning: no lock beside the store", ended.err)
    assert len(story.journal("start")) == 3
