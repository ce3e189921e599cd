"""Stories of `lapcast probe --tune`: the settings of one machine as candidates."""

import os
import subprocess

import pytest

import sshd
from conftest import HANGS, eventually
from sshd import fleet_entry

TRAINER = ["--laps", "2000", "--lap-ms", "4", "--noise", "0.02"]
FASTER = ["--faster-with", "OMP_WAIT_POLICY=PASSIVE,2"]


def tune(story, *options, trainer=FASTER, **more):
    return story.lapcast("probe", "--cpus", "0-1", "--repeats", "3", *options, "--",
                         *story.trainer(*TRAINER, *trainer), **more)


@pytest.fixture(autouse=True)
def two_cpus():
    if not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("needs the CPUs 0 and 1")


def test_a_planted_setting_is_found_verified_and_written(story):
    file = story.folder / "tuned.env"
    told = tune(story, "--tune", "wait", "--try", "FAKE_NAME=it's,$HOME", "--json",
                "--env-file", file).ok()
    tuned = told.json["tuned"]
    assert tuned["settings"] == {"wait": "passive"} and tuned["is_sure"]
    assert 0.4 < tuned["time_ratio"] < 0.65 and tuned["time_ratio_high"] < 1
    assert tuned["pairs"] == 3
    rows = {tuple(row["settings"].items()): row for row in told.json["tuning"]}
    assert len(rows) == 5 and rows[()]["time_ratio"] is None
    assert rows[(("wait", "passive"),)]["chance_fastest"] > 0.95
    read = subprocess.run(["sh", "-c", '. "$0" && echo "$OMP_WAIT_POLICY $KMP_BLOCKTIME"', file],
                          capture_output=True, text=True, check=True)
    assert read.stdout == "PASSIVE 0\n"
    # The same command measures nothing more, and tells the same in words.
    runs = len(story.journal("start"))
    again = tune(story, "--tune", "wait", "--try", "FAKE_NAME=it's,$HOME").ok()
    assert len(story.journal("start")) == runs
    assert "TUNED  wait=passive:" in again.out and "pairs of runs in turn" in again.out
    assert "FAKE_NAME=$HOME" in again.out
    # Its search took as long as it did: the warm-up too is in the sweep.
    told_again = tune(story, "--tune", "wait", "--try", "FAKE_NAME=it's,$HOME", "--json").ok()
    assert told_again.json["tuned"]["search_s"] == pytest.approx(tuned["search_s"])
    assert len(story.journal("start")) == runs


def test_without_a_sure_gain_nothing_is_named_or_written(story):
    file = story.folder / "tuned.env"
    told = tune(story, "--try", "FAKE_NAME=other", "--env-file", file,
                trainer=["--faster-with", "FAKE_NAME=other,0.5"]).ok()
    assert "no setting is surely faster" in told.out and "TUNED" not in told.out
    assert not file.exists() and "is not written" in told.err


def test_a_written_value_is_quoted_for_the_shell(story):
    value = "a'b $HOME `id`"
    file = story.folder / "tuned.env"
    tune(story, "--try", "FAKE_NAME=" + value, "--env-file", file,
         trainer=["--faster-with", f"FAKE_NAME={value},3"]).ok()
    read = subprocess.run(["sh", "-c", '. "$0" && printf %s "$FAKE_NAME"', file],
                          capture_output=True, text=True, check=True)
    assert read.stdout == value


@pytest.fixture
def box(story):
    """Is a host that ssh reaches as box, in a fleet file."""
    if reason := sshd.why_not_here():
        pytest.skip(reason)
    network = sshd.Network(story.folder / "network")
    story.environment |= network.environment
    story.fleet(fleet_entry("box", '[machine.environment]\nFAKE_NAME = "own"\n') + '[[machine]]\nname = "here"\n')
    yield network.machine("box")
    network.stop()


def tune_there(story, *options, to="box", **more):
    return story.lapcast("probe", "--repeats", "3", "--to", to, "fleet.toml", *options, "--",
                         *story.trainer(*TRAINER, *FASTER), **more)


def test_a_host_of_a_fleet_file_is_tuned_there(story, box):
    file = story.folder / "tuned.env"
    told = tune_there(story, "--tune", "wait,malloc", "--json", "--env-file", file).ok()
    tuned = told.json["tuned"]
    assert tuned["settings"] == {"wait": "passive"} and tuned["is_sure"] and tuned["machine_type"] == "box"
    assert 0.4 < tuned["time_ratio"] < 0.65 and tuned["pairs"] == 3
    assert "times the default's time on box" in file.read_text()
    rows = {tuple(row["settings"].items()) for row in told.json["tuning"]}
    assert {(), (("wait", "passive"),), (("malloc", "keep"),)} <= rows
    runs = story.export()
    assert {(run["machine_type"]["name"], run["place"]) for run in runs} == {("box", "ssh box")}
    assert all(run["machine_type"]["environment"]["FAKE_NAME"] == "own" for run in runs)
    assert runs[0]["warm_up"] and runs[0]["machine"]["threads"] > 0
    # The same command measures nothing more, and says in words which machine it was.
    again = tune_there(story, "--tune", "wait,malloc").ok()
    assert len(story.export()) == len(runs)
    assert "TUNED  wait=passive on box:" in again.out
    assert box.runs() == []


def test_a_killed_search_on_a_host_goes_on(story, box):
    command = ["probe", "--repeats", "3", "--to", "box", "fleet.toml", "--tune", "wait", "--", *story.trainer(*TRAINER, *FASTER)]
    process = story.start(*command)
    assert eventually(lambda: len(story.journal("start")) >= 2)
    process.kill()
    process.communicate(timeout=HANGS)
    told = story.lapcast(*command).ok()
    assert "TUNED  wait=passive on box:" in told.out
    assert len({run["sweep"] for run in story.export() if run["kind"] == "probe"}) == 2  # the search, runs in turn
    assert eventually(lambda: box.runs() == [])


def test_this_machine_may_be_an_entry_of_the_file(story, box):
    told = tune_there(story, "--try", "OMP_WAIT_POLICY=PASSIVE", "--json", to="here").ok()
    assert told.json["tuned"]["machine_type"] == "here" and told.json["tuned"]["is_sure"]
    assert {run["place"] for run in story.export()} == {""}


@pytest.mark.parametrize("options, to, text", [
    (["--tune"], "bax", "bax"),
    ([], "box", "--to is for --tune"),
    (["--tune", "wiat"], "box", "'wiat' is not a setting"),
    (["--tune", "--price", "1"], "box", "leave out --machine, --price"),
    (["--tune", "--keep-machines", "10m"], "box", "are for a fleet file with machines to rent"),
])
def test_what_cannot_be_tuned_there_is_one_line(story, box, options, to, text):
    told = tune_there(story, *options, to=to)
    assert told.code == 2 and text in told.err and told.err.count("\n") == 1, told
    assert not story.store.exists() and story.journal("start") == []


def test_a_machine_needs_its_fleet_file(story):
    told = story.lapcast("probe", "--tune", "--to", "box", "--", *story.trainer(*TRAINER))
    told.refused(2, "lapcast probe --tune --to NAME FLEET.toml -- PROGRAM")
    story.fleet('[[machine]]\nname = "gpu"\nprice = "0.40"\n[machine.rent]\nby = "x"\ntype = "t"\n')
    told = story.lapcast("probe", "--tune", "--to", "gpu", "fleet.toml", "--", *story.trainer(*TRAINER))
    told.refused(2, "rents 1 machine for at most 20 min 00 s each")


def test_a_host_that_does_not_answer_is_one_line(story, box):
    story.fleet(fleet_entry("nowhere"))
    told = tune_there(story, "--tune", to="nowhere")
    assert told.code == 6 and "nowhere" in told.err and "not started" in told.err, told


@pytest.mark.parametrize("options, text", [
    (["--tune", "wiat"], "'wiat' is not a setting"),
    (["--try", "NAME"], "'NAME' is not NAME=VALUE"),
    (["--tune", "wait", "--methods"], "--tune stands without"),
    (["--tune", "--search-budget", "0"], "--search-budget must be above 0"),
    (["--tune", "wait", "--env-file", "/no/such/folder/x"], "there is no such folder"),
])
def test_bad_input_is_refused_before_anything_runs(story, options, text):
    told = tune(story, *options)
    assert told.code in (2, 6) and text in told.err
    assert story.journal("start") == []
