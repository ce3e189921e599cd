"""Tests that the same command measures again only when something changed that can change its
results."""

import os
import shutil
import signal

import pytest

from conftest import HANGS, eventually
from sshd import fleet_entry

PROGRAM = """\
import os, sys
from parts import layers
open("written-by-the-program.txt", "a").write("once more\\n")
os.execv(sys.argv[2], sys.argv[2:])
"""


class Project:
    """Is a Python program that becomes the trainer beside it, with a module and a configuration."""

    def __init__(self, story):
        self.story = story
        self.fleet = story.fleet('[[machine]]\nname = "m"\nprice = "1"\n').name
        work = story.work
        (work / "train.py").write_text(PROGRAM)
        (work / "parts").mkdir()
        (work / "parts" / "layers.py").write_text("width = 64\n")
        (work / "conf.yaml").write_text("lr: 0.1\n")
        (work / "data.bin").write_bytes(b"samples")
        shutil.copy(os.environ["FAKE_TRAINER"], work / "trainer")

    def sweep(self, *options, limits=("--max-laps", 5)):
        trainer = ["./trainer", *self.story.trainer("--laps", 1000, "--lap-ms", 2)[1:]]
        return ["sweep", self.fleet, *limits, *options, "--",
                "python3", "train.py", "conf.yaml", *trainer]

    def run(self, *options, **more):
        """Returns the number of probes that the command started, and what it printed on stderr."""
        before = len(self.story.journal("start"))
        ended = self.story.lapcast(*self.sweep(*options, **more)).ok()
        return len(self.story.journal("start")) - before, ended.err


@pytest.fixture
def project(story):
    return Project(story)


def append(file, text=b"\n"):
    with open(file, "ab") as opened:
        opened.write(text)


def test_g_a_changed_file_of_the_program_is_named_and_measured_anew(story, project):
    assert project.run()[0] == 1
    for name in ("train.py", "parts/layers.py", "conf.yaml", "trainer"):
        sweep = story.export()[-1]["sweep"]
        append(story.work / name)
        started, said = project.run()
        assert started == 1, name
        assert f"the program changed since sweep {sweep}: {name}; measuring anew" in said, said
        started, said = project.run()
        assert started == 0 and "changed" not in said, said
    # `rank` shows the last measurements.
    assert len({run["sweep"] for run in story.export()}) == 5
    assert story.lapcast("verify", "--json").ok().err.count("the program changed") == 0
    append(story.work / "train.py")
    warned = story.lapcast("verify", "--again").ok().err
    assert "warning: the program changed since sweep" in warned and ": train.py;" in warned


def test_g_keep_continues_with_what_was_measured(story, project):
    project.run()
    append(story.work / "parts/layers.py")
    for _ in range(2):
        started, said = project.run("--keep")
        assert started == 0 and "parts/layers.py; going on with what was measured (--keep)" in said
    assert project.run()[0] == 1
    story.lapcast(*project.sweep("--keep", "--again")).refused(2, "excludes")


def test_g_limits_and_hook_are_part_of_the_command(story, project):
    project.run()
    for options in ({"limits": ("--max-laps", 6)},
                    {"limits": ("--max-laps", 5, "--precision", "5%")},
                    {"limits": ("--max-laps", 5, "--budget", "50s")},
                    {"limits": ("--max-laps", 5, "--no-hook")},
                    {"limits": ("--max-laps", 5, "--run-parent", str(story.temporary))}):
        assert project.run(**options)[0] == 1, options
        assert project.run(**options)[0] == 0, options
    assert project.run()[0] == 0  # the first project's probes are still stored


def test_g_files_that_are_not_the_programs_change_nothing(story, project):
    project.run()
    (story.work / "data.bin").write_bytes(b"other samples")
    (story.work / "checkpoint.pt").write_bytes(b"weights")
    (story.work / "notes.py").write_text("# imported by nobody\n")
    os.utime(story.work / "train.py", (1, 1))
    assert project.run()[0] == 0
    assert project.run("--retry-failed")[0] == 0
    assert project.run("--grace", "1s")[0] == 0
    assert project.run("--confirm", 1)[0] == 1  # the probe that --confirm asks for
    assert project.run("--confirm", 1)[0] == 0
    assert len({run["sweep"] for run in story.export()}) == 1


def test_g_an_interrupted_sweep_of_a_program_that_writes_into_its_folder_continues(story, project):
    options = ("--set", "n=1,2,3")
    command = [*project.sweep(*options, limits=("--max-laps", 15)), "--seed", "{n}", "--lap-ms", 20]
    process = story.start(*command, env={"FAKE_HOLD": "2"})
    assert eventually(lambda: story.journal("held"))
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert (story.work / "written-by-the-program.txt").exists()
    ended = story.lapcast(*command).ok()
    assert "going on with sweep" in ended.err and "changed" not in ended.err
    assert len({run["sweep"] for run in story.export()}) == 1


def test_g_a_race_depends_on_its_program_and_its_rules(story, project):
    race = ["--race", "--by", "cost"]
    assert project.run(*race)[0] == 1
    assert project.run(*race, "--search-budget", "10m")[0] == 0
    assert project.run(*race, "--confidence", "90%")[0] == 1
    append(story.work / "train.py")
    started, said = project.run(*race)
    assert started == 1 and ": train.py; measuring anew" in said


def test_g_set_up_and_data_of_a_remote_machine_are_part_of_the_command(story, remote):
    (story.work / "data").mkdir()
    (story.work / "data" / "a").write_text("1")
    machine = fleet_entry("remote")
    data = '[[data]]\npath = "data"\nsource = "send"\n'
    for text in (machine + data, machine + 'setup = "true"\n' + data,
                 machine + 'setup = "true"\n' + data + "size = 1\n"):
        fleet = story.fleet(text).name
        before = len(story.journal("start"))
        for _ in range(2):
            story.lapcast("sweep", fleet, "--max-laps", 5, "--",
                          *story.trainer("--laps", 1000, "--lap-ms", 2)).ok()
        assert len(story.journal("start")) == before + 1, text
