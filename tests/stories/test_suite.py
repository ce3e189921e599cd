"""Tests the suite: listing, running with repeats, data, the real programs."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import HANGS, eventually
from fake_suite import NETWORKS, values


# Listing -----------------------------------------------------------------------------------------


def test_it_lists_every_workload_and_what_is_built(story, suite):
    for command in (["suite"], ["suite", "list"]):
        ended = story.lapcast(*command, "--json").ok()
        rows = {row["name"]: row for row in ended.rows("workloads")}
        assert len(rows) == 14
        assert rows["mask-rcnn"]["image_sizes"] == "1152x1600,686x1024,443x760"
        assert rows["mnist-mlp"]["parameters"] == 269322 and rows["mnist-mlp"]["source"] == "[G]"
        assert rows["mnist-mlp"]["program"] == str(suite.folder / "mnist-mlp")
        assert rows["mnist-cnn"]["setting_names"] == "carneiro, malta"
        assert [row["name"] for row in rows.values() if row["stopwatch"]] == NETWORKS
        assert not rows["embryo-cnn"]["built"] and rows["embryo-cnn"]["program"] is None
        assert any("`lapcast suite build`" in note for note in ended.notes("workloads"))
    assert suite.journal() == []


def test_a_missing_program_says_how_to_build_it(suite):
    suite.run("embryo-cnn").refused(4, "`lapcast suite build embryo-cnn`")
    assert suite.journal() == []


def test_what_is_built_runs_and_the_rest_is_named(suite):
    ended = suite.run("embryo-cnn", "mnist-mlp", "ic-dr", "--repeats", 1, "--json").ok(1)
    assert "embryo-cnn is left out" in ended.err and "ic-dr is left out" in ended.err
    rows = {row["workload"]: row for row in ended.rows("suite_runs")}
    assert rows["mnist-mlp"]["runs"] == 1 and rows["mnist-mlp"]["reason"] is None
    for name in ("embryo-cnn", "ic-dr"):
        assert rows[name]["runs"] == 0 and f"`lapcast suite build {name}`" in rows[name]["reason"]


def test_what_makes_no_sense_is_refused(story, suite):
    suite.run("mnist").refused(2, "there are mnist-mlp, mnist-cnn3")
    suite.run("mnist-mlp", "--n", "8").refused(2, "--n, --max-n and --baseline-serial are for the workload nqueens")
    suite.run("nqueens", "--n", "8..99").refused(2, "board sizes from 1 to 20")
    suite.run("mnist-cnn", "--setting", "mine").refused(2, "no setting 'mine'")
    suite.run("mnist-mlp", "--data", "nowhere").refused(3, "nowhere is not a folder")
    suite.run("mnist-mlp", "--batch", "0").refused(2, "--batch")
    story.lapcast("suite", "data", "nqueens").refused(2, "needs no data")
    for name in ("nqueens", "mask-rcnn"):
        story.lapcast("suite", "memory", name).refused(2, f"{name} trains no network")
    suite.run("mnist-mlp", "--sizes", "4x5").refused(2, "--sizes and --images are for the workload mask-rcnn")
    suite.run("mask-rcnn", "--sizes", "4x0").refused(2, "not a list of image sizes")
    suite.run("mnist-mlp", "mask-rcnn", "--device", "both").refused(2, "--device both is for --fleet")
    suite.run("nqueens", "--batch", 8).refused(2, "are for trainings; nqueens is none")
    suite.run("mask-rcnn", "--dtype", "bf16").refused(2, "are for trainings; mask-rcnn is none")
    suite.run("mnist-mlp", "--warm-up", 0).refused(2, "--warm-up, --baseline and --server are for --fleet")
    story.lapcast("suite", "dance").refused(2, "lapcast help suite")


# Running -----------------------------------------------------------------------------------------


def test_runs_are_repeated_with_other_seeds_and_stored(story, suite):
    [row] = suite.rows("mnist-mlp", "--repeats", 3, "--batch", 16, "--threads", 1, "--", "--patience", 2)
    assert row["workload"] == "mnist-mlp" and row["settings"] == {"batch": 16, "threads": 1}
    assert 3 <= row["runs"] <= 9
    assert row["time_s_low"] <= row["time_s"] <= row["time_s_high"]
    assert row["lap_s"] == pytest.approx(0.08e-3, rel=1e-3)
    assert row["samples_per_second"] == pytest.approx(16 / 0.08e-3, rel=1e-3)
    assert row["accuracy_low"] < row["accuracy"] < row["accuracy_high"]
    runs = story.export()
    assert [run["settings"]["seed"] for run in runs] == [str(i + 1) for i in range(row["runs"])]
    assert {run["kind"] for run in runs} == {"full"} and {run["sweep"] for run in runs} == {row["set"]}
    call = values(suite.journal("mnist-mlp")[0]["arguments"])
    assert call["--batch"] == "16" and call["--patience"] == "2" and call["--seed"] == "1"
    assert suite.journal("mnist-mlp")[0]["arguments"][-2:] == ["--patience", "2"]


def test_a_workload_runs_on_the_machines_of_a_fleet(story, suite):
    fleet = story.fleet("".join(f'[[machine]]\nname = "{name}"\nhere = true\nprice = "{price}"\n'
                                for name, price in (("dear", "7.2"), ("cheap", "3.6"))))
    options = ["mnist-mlp", "--fleet", fleet.name, "--baseline", "cheap", "--repeats", 2, "--batch", 16]
    ended = suite.run("--json", *options).ok()
    dear, cheap = ended.rows("repeats")
    assert dear["settings"] == cheap["settings"] == {"batch": 16} and cheap["baseline"]
    assert dear["n"] >= 2 and dear["warm_ups"] == cheap["warm_ups"] == 1
    assert dear["accuracy"] is not None and dear["cost_usd"] > cheap["cost_usd"]
    runs = len(story.export())
    program, = {run["program"][0] for run in story.export()}
    assert program == "./mnist-mlp"  # what other machines are sent is a copy of it alone
    suite.run(*options).ok()
    assert len(story.export()) == runs
    assert "--fleet is for one workload" in suite.run("mnist-mlp", "mnist-cnn", "--fleet", fleet.name).ok(2).err
    assert "do not go with --fleet" in suite.run("mnist-mlp", "--fleet", fleet.name, "--price", 1).ok(2).err


def test_the_data_are_made_once(suite):
    suite.rows("mnist-mlp", "--repeats", 1)
    suite.rows("mnist-cnn", "--repeats", 1, "--setting", "malta")
    assert len(suite.journal("make-digits")) == 1
    assert suite.sets() == ["make-digits-60000-10000-1"]
    suite.rows("mnist-mlp", "--repeats", 1, "--samples", 600)
    assert suite.sets() == ["make-digits-600-100-1", "make-digits-60000-10000-1"]
    assert (suite.cache / "lapcast" / "data").stat().st_mode & 0o777 == 0o700


def test_real_data_are_taken_as_they_are(story, suite):
    (story.work / "mine").mkdir()
    suite.rows("mnist-mlp", "--repeats", 1, "--data", "mine")
    assert suite.journal("make-digits") == []
    assert values(suite.journal("mnist-mlp")[0]["arguments"])["--data"] == str(story.work / "mine")


def test_the_same_command_continues_and_another_number_adds_runs(suite):
    [first] = suite.rows("mnist-mlp", "--repeats", 1)
    [again] = suite.rows("mnist-mlp", "--repeats", 1)
    assert again == first and len(suite.journal("mnist-mlp")) == 1
    [more] = suite.rows("mnist-mlp", "--repeats", 2)
    assert more["set"] == first["set"] and more["runs"] >= 2
    [anew] = suite.rows("mnist-mlp", "--repeats", 1, "--again")
    assert anew["set"] != first["set"] and anew["runs"] == 1
    [other] = suite.rows("mnist-mlp", "--repeats", 1, "--batch", 8)
    assert other["set"] not in (first["set"], anew["set"])


def test_varying_times_stop_at_three_times_the_repeats(suite):
    # Each run takes longer than the one before, so the mean of six is not known to 5 %.
    sleeps = suite.folder / "mnist-mlp"
    sleeps.unlink()
    sleeps.write_text(f"#!/bin/sh\nfor n in $(sed '/mnist/!d;s/.*/1/' $FAKE_JOURNAL); do sleep 0.$((s += 1)); done\n"
                      f"exec {suite.folder}/mnist-cnn \"$@\"\n")
    sleeps.chmod(0o755)
    ended = suite.run("mnist-mlp", "--repeats", 2, "--json").ok()
    assert "after 6 runs, the most, its mean is still not known to 5.0 %" in ended.err
    [row] = ended.rows("suite_runs")
    assert row["runs"] == 6 and row["relative_half_width"] > 0.05
    text = suite.run("mnist-mlp", "--repeats", 2).ok().out
    assert "wider than +-5.0 % after 6 runs, the most" in text


def test_a_workload_that_fails_does_not_stop_the_others(suite):
    bad = suite.folder / "mnist-mlp"
    bad.unlink()
    bad.write_text("#!/bin/sh\necho 'mnist-mlp: no usable GPU here' >&2\nexit 2\n")
    bad.chmod(0o755)
    ended = suite.run("mnist-mlp", "nn-twins", "--repeats", 2, "--json")
    assert ended.code == 1 and "no usable GPU here" in ended.err
    rows = {row["workload"]: row for row in ended.rows("suite_runs")}
    assert rows["mnist-mlp"]["runs"] == 0 and rows["mnist-mlp"]["time_s"] is None
    assert ("failed with exit status 2: mnist-mlp: no usable GPU here"
            in rows["mnist-mlp"]["reason"])
    assert rows["nn-twins"]["runs"] >= 2


def test_after_ctrl_c_the_same_command_continues(story, suite):
    command = ["suite", "run", "mnist-mlp", "--repeats", 4]
    story.lapcast("suite", "data", "mnist-mlp").ok()
    suite.journal_file.unlink()
    process = story.start(*command, env={"FAKE_HOLD": "3"})
    assert eventually(lambda: len(suite.journal("mnist-mlp")) == 3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130, err
    assert b"the same command goes on where it was" in err
    assert b"mnist-mlp" in out  # the means so far
    finished = [run["id"] for run in story.export() if run["outcome"]["kind"] == "ended"]
    assert len(finished) == 2
    ended = story.lapcast(*command, "--json").ok()
    assert "going on with set" in ended.err and "2 runs were done" in ended.err
    [row] = ended.rows("suite_runs")
    assert row["runs"] >= 4
    stored = [run["id"] for run in story.export() if run["outcome"]["kind"] == "ended"]
    assert stored[:2] == finished and len(stored) == row["runs"]


def test_a_set_of_runs_is_not_a_sweep_for_rank(story, suite):
    fleet = story.fleet('[[machine]]\nname = "m"\nprice = "1"\n')
    story.lapcast("sweep", fleet.name, "--max-laps", 20, "--", *story.trainer("--laps", 1000)).ok()
    suite.rows("mnist-mlp", "--repeats", 1)
    assert story.lapcast("rank", "--json").ok().rows("candidates")


# Data --------------------------------------------------------------------------------------------


def test_data_into_a_folder_or_the_cache(story, suite):
    row = story.lapcast("suite", "data", "mnist-mlp", "--samples", 60, "--seed", 7, "--out", "d",
                        "--json").ok().json["data"]
    assert row["training_samples"] == 60 and row["test_samples"] == 10
    assert row["folder"] == str(story.work / "d")
    assert len((story.work / "d" / "train").read_text()) == 60
    assert values(suite.journal("make-digits")[0]["arguments"])["--seed"] == "7"
    row = story.lapcast("suite", "data", "mnist-mlp", "--json").ok().json["data"]
    assert row["folder"] == str(suite.cache / "lapcast/data/make-digits-60000-10000-1")


def test_a_maker_that_fails_leaves_nothing(story, suite):
    ended = story.lapcast("suite", "data", "mnist-mlp", env={"FAKE_FAIL": "disk full"})
    assert ended.code == 4 and "disk full" in ended.err and ended.out == ""
    assert suite.sets() == [] and not list((suite.cache / "lapcast/data").glob("*.part"))


def test_a_maker_that_is_missing_or_fails_stops_no_other_workload(story, suite):
    (suite.folder / "make-digits").unlink()
    suite.run("mnist-mlp").refused(4, "no program make-digits")
    ended = suite.run("nn-twins", "mnist-mlp", "--repeats", 1, "--json").ok(1)
    assert "mnist-mlp is left out: there is no program make-digits" in ended.err
    assert [row["runs"] for row in ended.rows("suite_runs")] == [1, 0]
    (suite.folder / "make-digits").write_text("#!/bin/sh\necho 'make-digits: disk full' >&2\nexit 1\n")
    (suite.folder / "make-digits").chmod(0o755)
    ended = suite.run("mnist-mlp", "nn-twins", "--repeats", 1, "--json")
    assert ended.code == 1
    rows = {row["workload"]: row for row in ended.rows("suite_runs")}
    assert rows["mnist-mlp"]["runs"] == 0 and "disk full" in rows["mnist-mlp"]["reason"]
    assert rows["nn-twins"]["runs"] == 1


def test_ctrl_c_while_data_are_made(story, suite):
    process = story.start("suite", "run", "mnist-mlp", env={"FAKE_HOLD": "1"})
    assert eventually(lambda: list((suite.cache / "lapcast/data").glob("*.part/train")))
    [maker] = suite.journal("make-digits")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and b"nothing of it is left" in err and out == b""
    assert suite.sets() == [] and not list((suite.cache / "lapcast/data").glob("*.part"))
    assert eventually(lambda: not Path(f"/proc/{maker['pid']}").exists())


def test_kill_9_while_data_are_made_leaves_no_half_set(story, suite):
    process = story.start("suite", "data", "mnist-mlp", env={"FAKE_HOLD": "1"})
    assert eventually(lambda: list((suite.cache / "lapcast/data").glob("*.part/train")))
    process.kill()
    process.communicate(timeout=HANGS)
    assert suite.sets() == []
    story.lapcast("suite", "data", "mnist-mlp").ok()
    assert suite.sets() == ["make-digits-60000-10000-1"]
    assert not list((suite.cache / "lapcast/data").glob("*.part"))


def test_two_at_once_make_a_set_once(story, suite):
    go_on = story.folder / "go-on"
    first = story.start("suite", "data", "mnist-mlp", env={"FAKE_UNTIL": str(go_on)})
    assert eventually(lambda: len(suite.journal("make-digits")) == 1)
    second = story.start("suite", "data", "mnist-mlp", text=True)
    assert "waiting for another lapcast" in second.stderr.readline()
    go_on.touch()
    for process in (first, second):
        process.communicate(timeout=HANGS)
        assert process.returncode == 0
    assert len(suite.journal("make-digits")) == 1


def test_a_cache_that_others_can_write_to_is_not_used(story, suite):
    folder = suite.cache / "lapcast" / "data"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    suite.run("mnist-mlp").refused(6, "others can write to")


# The real programs -------------------------------------------------------------------------------


@pytest.fixture
def real(story):
    folder = os.environ.get("LAPCAST_WORKLOAD_PROGRAMS")
    if not folder:
        pytest.skip("the suite's programs are not built here: LAPCAST_WORKLOAD_PROGRAMS names them")
    story.environment |= {"LAPCAST_SUITE_DIR": folder, "XDG_CACHE_HOME": str(story.folder / "cache"),
                          "OMP_WAIT_POLICY": "PASSIVE"}
    rows = story.lapcast("suite", "--json").ok().rows("workloads")
    return {row["name"]: row for row in rows if row["built"]}


def test_the_table_is_what_the_programs_describe(real):
    for name, row in real.items():
        if name in ("nqueens", "mask-rcnn"):
            continue
        described = json.loads(subprocess.run([row["program"], "--describe"], check=True, capture_output=True).stdout)
        assert described["name"] == name
        assert described["parameters"] == row["parameters"], name
        assert sum(layer["parameters"] for layer in described["layers"]) == row["parameters"], name
        assert described["batch"] == row["batch"], name


LABELS = {"mnist-mlp": ("train-labels-idx1-ubyte", "t10k-labels-idx1-ubyte", 10),
          "seismic-fcn": ("train-labels-idx1-ubyte", "validation-labels-idx1-ubyte", 2)}


@pytest.mark.parametrize("samples", [64, 800] if os.environ.get("LAPCAST_LONG_TESTS") else [64])
def test_every_set_is_as_large_as_was_asked_for(story, real, samples):
    """A program says how many samples of both parts it has; ic-dr is the one whose step takes long."""
    for name, row in real.items():
        if name in ("nqueens", "mask-rcnn") or (name == "ic-dr" and samples > 64):
            continue
        data = story.lapcast("suite", "data", name, "--samples", samples, "--out", name, "--json",
                             timeout=300).ok().json["data"]
        assert data["training_samples"] == samples, name
        ended = subprocess.run([row["program"], "--data", data["folder"], "--steps", "1", "--batch", "8",
                                "--threads", "1"], capture_output=True, text=True, check=True)
        # The test folder of the reviews is for validating and, two sevenths of it, for testing.
        tested = data["test_samples"] * 5 // 7 if name == "rnn-sa" else data["test_samples"]
        assert f"{name}: {samples} + {tested} samples, " in ended.stdout, ended.stdout
        for file in LABELS.get(name, ())[:2]:
            labels = (Path(data["folder"]) / file).read_bytes()[8:]
            assert set(labels) == set(range(LABELS[name][2])), (name, file)


@pytest.mark.parametrize("samples", [800, 2000])
def test_embryos_are_as_many_as_were_asked_for(story, real, samples):
    if "embryo-cnn" not in real:
        pytest.skip("embryo-cnn is not built here")
    story.lapcast("suite", "run", "embryo-cnn", "--samples", samples, "--repeats", 1, "--threads", 1,
                  "--", "--steps", 1, "--batch", 8, "--val-samples", 8, timeout=300).ok()
    [run] = story.export()
    assert f" train={samples} " in run["lap_logs"][0] + " "


def test_training_accuracy_and_that_of_the_last_epoch(story, real):
    if "nn-twins" not in real:
        pytest.skip("nn-twins is not built here")
    for batch in (32, 64):
        ended = story.lapcast("suite", "run", "nn-twins", "--samples", 600, "--epochs", 3, "--repeats", 3,
                              "--batch", batch, "--json", timeout=120).ok()
        [row] = ended.rows("suite_runs")
        assert 0 < row["last_training_accuracy"] <= row["training_accuracy"] <= 1
        assert 0 < row["last_accuracy"] <= row["accuracy"] <= 1
    names = ("accuracy", "training-accuracy", "last-accuracy", "last-training-accuracy")
    means = {name: story.lapcast("compare", "batch=32", "batch=64", "--metric", name, "--json").ok()
             .rows("sets")[1]["mean"] for name in names}
    assert {name: pytest.approx(row[name.replace("-", "_")]) for name in names} == means


def test_a_real_program_runs_in_the_suite(story, real):
    if "mnist-cnn" not in real:
        pytest.skip("mnist-cnn is not built here")
    ended = story.lapcast("suite", "run", "mnist-cnn", "--samples", 256, "--batch", 32, "--epochs", 1,
                          "--threads", 1, "--repeats", 1, "--json").ok()
    [row] = ended.rows("suite_runs")
    assert row["runs"] == 1 and row["accuracy"] >= 0 and row["samples_per_second"] > 0
