"""Stories of `lapcast probe --tune`: the settings of one machine as candidates."""

import os
import subprocess

import pytest

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
