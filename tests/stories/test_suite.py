"""Tests the suite: listing, running with repeats, data, memory, stopwatch, N-Queens, comparing
sets."""

import csv
import json
import os
import re
import signal
import time
from pathlib import Path

import pytest

from conftest import eventually
from test_report import report

FAKE = Path(__file__).resolve().parent / "fake_workload.py"
NETWORKS = ["mnist-mlp", "mnist-cnn3", "mnist-rnn", "mnist-lstm", "mnist-autoencoder"]


class Suite:
    """Is a folder of fake programs, and their journal."""

    def __init__(self, story, names):
        self.story = story
        self.folder = story.folder / "suite"
        self.folder.mkdir()
        self.journal_file = story.folder / "suite-journal"
        self.cache = story.folder / "cache"
        story.environment |= {"LAPCAST_SUITE_DIR": str(self.folder), "USER": "somebody",
                              "FAKE_JOURNAL": str(self.journal_file),
                              "XDG_CACHE_HOME": str(self.cache)}
        for name in names:
            self.add(name)

    def add(self, name):
        (self.folder / name).symlink_to(FAKE)

    def journal(self, name=None):
        if not self.journal_file.exists():
            return []
        lines = [json.loads(line) for line in self.journal_file.read_text().splitlines()]
        return [line for line in lines if name in (None, line["name"])]

    def run(self, *arguments, **more):
        return self.story.lapcast("suite", "run", *arguments, **more)

    def rows(self, *arguments, **more):
        return self.run("--json", *arguments, **more).ok().rows("suite_runs")

    def sets(self):
        return sorted(path.name for path in (self.cache / "lapcast" / "data").glob("make-*[0-9]"))


@pytest.fixture
def suite(story):
    return Suite(story, ["mnist-mlp", "mnist-cnn", "nn-twins", "nqueens", "mask-rcnn", "make-digits",
                         "make-io-observations"])


def values(arguments):
    return dict(zip(arguments, arguments[1:] + [""]))


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
        assert any("cmake -S workloads" in note for note in ended.notes("workloads"))
    assert suite.journal() == []


def test_a_missing_program_says_how_to_build_it(suite):
    suite.run("mnist-mlp", "embryo-cnn").refused(4, "cmake -S workloads")
    assert suite.journal() == []  # nothing starts before all programs are known to exist


def test_what_makes_no_sense_is_refused(story, suite):
    suite.run("mnist").refused(2, "there are mnist-mlp, mnist-cnn3")
    suite.run("mnist-mlp", "--n", "8").refused(2, "--n, --max-n and --baseline-serial are for the workload nqueens")
    suite.run("nqueens", "--n", "8..99").refused(2, "board sizes from 1 to 20")
    suite.run("mnist-cnn", "--setting", "mine").refused(2, "no setting 'mine'")
    suite.run("mnist-mlp", "--data", "nowhere").refused(3, "nowhere is no folder")
    suite.run("mnist-mlp", "--batch", "0").refused(2, "--batch")
    story.lapcast("suite", "data", "nqueens").refused(2, "needs no data")
    for name in ("nqueens", "mask-rcnn"):
        story.lapcast("suite", "memory", name).refused(2, f"{name} trains no network")
    suite.run("mnist-mlp", "--sizes", "4x5").refused(2, "--sizes and --images are for the workload mask-rcnn")
    suite.run("mask-rcnn", "--sizes", "4x0").refused(2, "no list of image sizes")
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
    # The runs differ tenfold, so the mean of six is not known to 5 %.
    sleeps = suite.folder / "mnist-mlp"
    sleeps.unlink()
    sleeps.write_text(f"#!/bin/sh\nn=$(wc -l < $FAKE_JOURNAL)\n[ $((n % 2)) = 0 ] && sleep 0.4\n"
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
    slow = {"FAKE_SLEEP": "0.5"}
    process = story.start(*command, env=slow)
    assert eventually(lambda: len(suite.journal("mnist-mlp")) == 3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert b"the same command goes on where it was" in err
    assert b"mnist-mlp" in out  # the means so far
    finished = [run["id"] for run in story.export() if run["outcome"]["kind"] == "ended"]
    assert len(finished) == 2
    ended = story.lapcast(*command, "--json", env=slow).ok()
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
    suite.run("nn-twins", "mnist-mlp").refused(4, "no program make-digits")
    assert suite.journal() == []
    (suite.folder / "make-digits").write_text("#!/bin/sh\necho 'make-digits: disk full' >&2\nexit 1\n")
    (suite.folder / "make-digits").chmod(0o755)
    ended = suite.run("mnist-mlp", "nn-twins", "--repeats", 1, "--json")
    assert ended.code == 1
    rows = {row["workload"]: row for row in ended.rows("suite_runs")}
    assert rows["mnist-mlp"]["runs"] == 0 and "disk full" in rows["mnist-mlp"]["reason"]
    assert rows["nn-twins"]["runs"] == 1


def test_ctrl_c_while_data_are_made(story, suite):
    process = story.start("suite", "run", "mnist-mlp", env={"FAKE_SLEEP": "60"})
    assert eventually(lambda: list((suite.cache / "lapcast/data").glob("*.part/train")))
    [maker] = suite.journal("make-digits")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130 and b"nothing of it is left" in err and out == b""
    assert suite.sets() == [] and not list((suite.cache / "lapcast/data").glob("*.part"))
    assert eventually(lambda: not Path(f"/proc/{maker['pid']}").exists())


def test_kill_9_while_data_are_made_leaves_no_half_set(story, suite):
    process = story.start("suite", "data", "mnist-mlp", env={"FAKE_SLEEP": "60"})
    assert eventually(lambda: list((suite.cache / "lapcast/data").glob("*.part/train")))
    process.kill()
    process.communicate(timeout=20)
    assert suite.sets() == []
    story.lapcast("suite", "data", "mnist-mlp").ok()
    assert suite.sets() == ["make-digits-60000-10000-1"]
    assert not list((suite.cache / "lapcast/data").glob("*.part"))


def test_two_at_once_make_a_set_once(story, suite):
    first = story.start("suite", "data", "mnist-mlp", env={"FAKE_SLEEP": "1"})
    assert eventually(lambda: len(suite.journal("make-digits")) == 1)
    second = story.lapcast("suite", "data", "mnist-mlp").ok()
    assert "waiting for another lapcast" in second.err
    assert first.wait(timeout=20) == 0
    first.communicate()
    assert len(suite.journal("make-digits")) == 1


def test_a_cache_that_others_can_write_to_is_not_used(story, suite):
    folder = suite.cache / "lapcast" / "data"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    suite.run("mnist-mlp").refused(6, "others can write to")


# Memory ------------------------------------------------------------------------------------------


def test_memory_of_a_network(story, suite):
    ended = story.lapcast("suite", "memory", "nn-twins", "--batch", 100, "--json").ok()
    memory = ended.json["memory"]
    # The network has 48 parameters with two numbers of Adam each, and 5 + 5 + 3 numbers per sample,
    # of 4 bytes.
    assert memory["parameters_bytes"] == 192 and memory["optimizer_state_bytes"] == 384
    assert memory["outputs_of_a_sample_bytes"] == 52 and memory["activations_bytes"] == 5200
    # The peak is when the last layer's 18 gradients come and nothing is freed yet.
    assert memory["gradients_bytes"] == 72 and memory["gaps_bytes"] == memory["framework_bytes"] == 0
    assert memory["total_bytes"] == 192 + 384 + 5200 + 72
    layers = ended.rows("layers")
    assert [row["layer"] for row in layers] == ["input", "dense1", "dense2"]
    for row in ended.rows("largest_batches"):
        assert row["largest_batch"] == (row["memory_bytes"] - 648) // 52
    assert ended.rows("memory_limits") == []
    assert ended.rows("memory_used") == []
    assert "--measure" in ended.notes("memory_used")[0]


def test_memory_is_shown_beside_the_used_memory(story, suite):
    ended = story.lapcast("suite", "memory", "nn-twins", "--batch", 8, "--measure", "--json").ok()
    [row] = ended.rows("memory_used")
    assert row["batch"] == 8 and row["peak_memory_bytes"] > 1 << 20
    assert values(suite.journal("nn-twins")[1]["arguments"])["--steps"] == "3"
    assert story.lapcast("suite", "memory", "nn-twins", "--json").ok().rows("memory_used") == []
    suite.rows("nn-twins", "--repeats", 1)
    [row] = story.lapcast("suite", "memory", "nn-twins", "--json").ok().rows("memory_used")
    assert row["batch"] == 32


def test_memory_of_the_steps_that_a_program_makes(story):
    suite = Suite(story, ["embryo-cnn", "make-embryos"])
    file = story.folder / "description"
    blocks = {"kept_bytes": [20], "gradient_bytes": [20, 20], "temporary_bytes": 0}
    file.write_text(json.dumps({
        "name": "embryo-cnn", "parameters": 5, "batch": 4, "epochs": 1, "optimizer": "Adam",
        "optimizer_numbers": 10, "input_numbers": 5, "step_samples": 8, "step_bytes": 10_000,
        "layers": [{"name": "a", "parameters": 5, "outputs": 5, "multiply_adds": 0} | blocks]}))
    ended = story.lapcast("suite", "memory", "embryo-cnn", "--json", "--setting", "tutorial",
                          env={"FAKE_DESCRIBE": str(file)}).ok()
    memory = ended.json["memory"]
    # 60 bytes of state, and for each sample 20 of input, 20 kept and 2 x 20 on the way back; the 5
    # gradients of parameters come last.
    assert memory["framework_bytes"] == 10_000 - (60 + 8 * 80 + 20)
    assert memory["total_bytes"] == 60 + 4 * 80 + 20 + memory["framework_bytes"]
    [limit] = ended.rows("memory_limits")
    assert (limit["memory_bytes"], limit["batch"]) == (6_000_000_000, 700)
    assert limit["bytes_of_a_sample"] == (6_000_000_000 - 80) // 700
    assert limit["largest_batch"] == (6_000_000_000 - 80) // 80
    assert limit["estimated_bytes_of_a_sample"] == 80
    arguments = suite.journal("embryo-cnn")[0]["arguments"]
    assert arguments == ["--describe", "--describe-steps", "--setting", "tutorial"]
    story.lapcast("suite", "memory", "embryo-cnn", "--setting", "x").refused(2, "no setting 'x'")


@pytest.mark.parametrize("text, why", [
    (b"", "not one JSON object"),
    (b"\x1b[31mhello\n", "not one JSON object"),
    (b"[" * 500_000, "not one JSON object"),
    (b"{}", "name is missing"),
    (b'{"name":"x","parameters":1e300}', "parameters is not a whole number"),
    (b'{"name":"x","parameters":-5}', "parameters is not a whole number"),
    (b'{"name":"x","parameters":1,"batch":1,"epochs":1,"optimizer":"a",'
     b'"optimizer_numbers":1,"input_numbers":1,"layers":[7]}', "layers[0]"),
    (b'{"name":"x","parameters":7,"batch":1,"epochs":1,"optimizer":"a",'
     b'"optimizer_numbers":1,"input_numbers":1,"layers":[]}', "but it says 7"),
])
def test_a_hostile_description_is_refused(story, suite, text, why):
    file = story.folder / "description"
    file.write_bytes(text)
    ended = story.lapcast("suite", "memory", "nn-twins", env={"FAKE_DESCRIBE": str(file)})
    ended.refused(4, why)
    assert "\x1b" not in ended.err


def test_a_description_that_never_ends(story, suite):
    process = story.start("suite", "memory", "nn-twins", env={"FAKE_DESCRIBE": "flood"})
    assert eventually(lambda: suite.journal("nn-twins"))
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    process.communicate()
    pid = suite.journal("nn-twins")[0]["pid"]
    assert eventually(lambda: not Path(f"/proc/{pid}").exists())


# N-Queens ----------------------------------------------------------------------------------------


def test_queens_are_counted_on_one_thread_and_on_all(story, suite):
    ended = suite.run("nqueens", "--n", "8..10", "--threads", 2, "--device", "cuda", "--repeats", 1,
                      "--json").ok()
    rows = {(row["n"], row["mode"]): row for row in ended.rows("boards")}
    assert len(rows) == 9 and all(row["as_known"] for row in rows.values())
    assert rows[10, "one thread"]["solutions"] == 724
    assert rows[10, "one thread"]["million_nodes_per_second"] == pytest.approx(1)
    assert rows[10, "one thread"]["speed_up"] == 1
    assert rows[10, "all cores"]["speed_up"] == pytest.approx(2)
    assert rows[10, "GPU"]["speed_up"] == pytest.approx(18)
    assert rows[10, "GPU"]["speed_up_over_cores"] == pytest.approx(9)
    averages = {row["mode"]: row for row in ended.rows("board_averages")}
    assert averages["GPU"]["speed_up"] == pytest.approx(18) and averages["GPU"]["boards"] == 3
    call = values(suite.journal("nqueens")[0]["arguments"])
    assert call["--algorithm"] == "paper" and call["--threads"] == "1" and call["--n"] == "8"


def test_queens_on_a_fleet_have_all_three_speed_ups(story, suite):
    fleet = story.fleet("".join(f'[[machine]]\nname = "{name}"\nhere = true\n[machine.environment]\n'
                                f'FAKE_FASTER = {faster}\n' for name, faster in (("small", 1), ("big", 4))))
    ended = suite.run("nqueens", "--n", "8..20", "--max-n", 9, "--fleet", fleet.name, "--device", "cuda",
                      "--threads", 2, "--repeats", 1, "--warm-up", 0, "--baseline-serial", "small",
                      "--server", "big", "--json").ok()
    rows = {(row["n"], row["machine_type"], row["mode"]): row for row in ended.rows("boards")}
    assert len(rows) == 2 * 2 * 3 and all(row["as_known"] for row in rows.values())
    # The fake solver takes 1 unit on one thread, 1/2 on two, 1/18 on the GPU; big is four times as fast.
    assert rows[9, "small", "one thread"]["speed_up"] == 1
    assert rows[9, "big", "all cores"]["speed_up"] == pytest.approx(8)            # equation 1
    assert rows[9, "small", "GPU"]["speed_up_over_cores"] == pytest.approx(9)      # equation 2
    assert rows[9, "small", "GPU"]["speed_up_over_server"] == pytest.approx(9 / 4)  # equation 3
    averages = {(row["machine_type"], row["mode"]): row for row in ended.rows("board_averages")}
    assert averages["big", "GPU"]["speed_up"] == pytest.approx(72)
    assert averages["small", "GPU"]["speed_up_over_server"] == pytest.approx(9 / 4)
    text = suite.run("nqueens", "--n", "8,9", "--fleet", fleet.name, "--device", "cuda", "--threads", 2,
                     "--repeats", 1, "--warm-up", 0, "--baseline-serial", "small", "--server", "big").ok().out
    assert "<9, 2.25>" in text
    suite.run("nqueens", "--fleet", fleet.name, "--server", "huge").refused(2, "the fleet has no machine huge")


def test_how_long_the_boards_take_is_said_first(story, suite):
    ended = suite.run("nqueens", "--n", "12,15", "--threads", 1, "--device", "cpu", "--repeats", 1).ok()
    assert "all boards once on one thread take about" in ended.err and "--max-n 13" in ended.err
    assert "take about" not in suite.run("nqueens", "--n", 12, "--threads", 1, "--repeats", 1).ok().err
    suite.run("nqueens", "--max-n", 3).refused(2, "--max-n leaves no board")


def test_a_wrong_count_is_a_failure(suite):
    ended = suite.run("nqueens", "--n", 8, "--threads", 1, "--repeats", 1, "--json",
                      env={"FAKE_WRONG": "1"})
    assert ended.code == 1
    [row] = ended.rows("boards")
    assert row["solutions"] == 93 and row["as_known"] is False


def test_queens_without_a_gpu(suite):
    ended = suite.run("nqueens", "--n", "8,9", "--device", "cuda", "--threads", 1, "--repeats", 1,
                      "--json", env={"FAKE_FAIL": "no usable GPU here"})
    assert ended.code == 1
    rows = ended.rows("boards")
    assert [(row["n"], row["mode"]) for row in rows] == [(8, "one thread"), (8, "GPU")]
    assert all(row["reason"] == "failed with exit status 2: nqueens: no usable GPU here" for row in rows)


# Mask R-CNN --------------------------------------------------------------------------------------


def test_pictures_are_searched_on_all_cores_and_on_the_gpu(story, suite):
    options = ["mask-rcnn", "--sizes", "1000x2000,10x20", "--device", "both", "--repeats", 1]
    ended = suite.run(*options, "--images", 2, "--json").ok()
    rows = ended.rows("pictures")
    assert [row["image_size"] for row in rows] == ["1000x2000", "10x20"]
    assert rows[0]["cores_time_s"] == pytest.approx(2) and rows[0]["gpu_time_s"] == pytest.approx(0.5)
    assert rows[0]["speed_up_over_cores"] == pytest.approx(4) and rows[0]["speed_up_over_server"] is None
    assert rows[0]["objects"] == 7 and rows[0]["cores_runs"] == rows[0]["gpu_runs"] == 1
    calls = [values(call["arguments"]) for call in suite.journal("mask-rcnn")]
    assert [(call["--sizes"], call["--device"], call["--repeats"]) for call in calls] == [
        (size, device, "2") for size in ("1000x2000", "10x20") for device in ("cpu", "cuda")]
    text = suite.run(*options, "--images", 2).ok().out
    assert "(1000, 2000, 3)" in text and "<4, ->" in text
    assert len(suite.journal("mask-rcnn")) == 4  # the stored runs are enough
    ended = suite.run("mask-rcnn", "--device", "cpu", "--repeats", 1, "--json").ok()
    assert [row["image_size"] for row in ended.rows("pictures")] == ["1152x1600", "686x1024", "443x760"]


def test_pictures_on_a_fleet_have_both_speed_ups(story, suite):
    fleet = story.fleet("".join(f'[[machine]]\nname = "{name}"\nhere = true\n[machine.environment]\n'
                                f'FAKE_FASTER = {faster}\n' for name, faster in (("small", 1), ("big", 2))))
    options = ["mask-rcnn", "--sizes", "1000x2000", "--fleet", fleet.name, "--device", "both", "--repeats", 1,
               "--warm-up", 0, "--server", "big"]
    rows = {row["machine_type"]: row for row in suite.run(*options, "--json").ok().rows("pictures")}
    assert rows["small"]["speed_up_over_cores"] == pytest.approx(4)
    assert rows["small"]["speed_up_over_server"] == pytest.approx(2)
    assert rows["big"]["gpu_time_s"] == pytest.approx(0.25)
    assert "<4, 2>" in suite.run(*options).ok().out


def test_a_mode_that_fails_is_a_row_with_its_reason(suite):
    ended = suite.run("mask-rcnn", "--sizes", "4x5,6x7", "--device", "cpu", "--repeats", 1, "--json",
                      env={"FAKE_FAIL": "no memory"})
    assert ended.code == 1
    [row] = ended.rows("pictures")
    assert row["reason"] == "multithreaded: failed with exit status 2: mask-rcnn: no memory"


# Stopwatch ---------------------------------------------------------------------------------------


def test_the_stopwatch_times_five_networks(story, suite):
    for name in NETWORKS[1:]:
        suite.add(name)
    ended = story.lapcast("stopwatch", "--devices", "cpu,gpu", "--repeats", 1, "--csv", "s.csv",
                          "--json").ok()
    rows = {(row["network"], row["device"]): row for row in ended.rows("stages")}
    assert list(rows) == [(name, device) for name in NETWORKS for device in ("cpu", "gpu")]
    row = rows["mnist-rnn", "cpu"]
    assert row["data_load_s"] == pytest.approx(0.3e-3)
    assert row["data_pre_process_s"] == pytest.approx(0.2e-3)
    assert row["train_s"] == pytest.approx(1.6e-3)
    assert row["evaluate_s"] == pytest.approx(0.4e-3)
    ups = ended.rows("speed_ups")
    assert [up["train_speed_up_percent"] for up in ups] == pytest.approx([0, 700] * 5)
    assert [up["evaluate_speed_up_percent"] for up in ups] == pytest.approx([0, 700] * 5)
    assert all("--evaluate" in line["arguments"] for line in suite.journal("mnist-rnn"))
    told = report(story, "--all")[1]["suite"]
    assert told["stages"] == ended.rows("stages") and told["speed_ups"] == ups
    # cuda is another name of the device, and the runs of before count.
    again = story.lapcast("stopwatch", "--devices", "cpu,cuda", "--repeats", 1, "--json").ok()
    assert again.rows("stages") == ended.rows("stages") and len(story.runs()) == 10
    stored = story.lapcast("stopwatch", "--from", "s.csv", "--json").ok()
    assert {row["device"] for row in stored.rows("stages")} == {"cpu", "gpu"}


def test_the_stopwatchs_lines_are_read_back(story, suite):
    story.lapcast("stopwatch", "--networks", "mnist-mlp", "--devices", "cpu", "--repeats", 2, "--csv",
                  "s.csv").ok()
    assert all(run["warnings"] == [] for run in story.export())  # no program has the file open
    text = (story.work / "s.csv").read_text()
    assert text.startswith("# csv,timer,status,time,sum,start,tag,uname.node,user,uname.system,"
                           "platform.version\n# csv,data-load,ok,0.000300,0.000300,")
    assert ",mnist-mlp cpu," in text and ",somebody,Linux," in text
    runs = len(story.runs())
    assert text.count("# csv,train,ok,") == runs
    imported = story.lapcast("--store", "other.db", "import", "stopwatch", "s.csv", "--json").ok()
    assert len(imported.rows("imported_runs")) == runs
    assert imported.rows("imported_runs")[0]["outcome"] == "ended"


def test_stored_stages_give_the_reviews_own_percentages(story):
    """The files hold the review's seconds (papers/review.csv), the table its printed percentages."""
    header = "# csv,timer,status,time,sum,start,tag,uname.node,user,uname.system,platform.version\n"
    lines = {"cpu": header, "gpu": header, "tpu": header}
    rows = Path(__file__).resolve().parents[2] / "papers" / "review.csv"
    columns, *rows = [line.split(",") for line in rows.read_text().splitlines() if line[0] != "#"]
    printed = [dict(zip(columns, row)) for row in rows]
    for row in printed:
        for device in lines:
            lines[device] += (f"# csv,{row['stage']},ok,{row[device + '_s']},0,2021-11-01 12:00:00,"
                              f"{row['network']},colab,me,Linux,1\n")
    for device, text in lines.items():
        (story.work / f"{device}.csv").write_text(text)
    ended = story.lapcast("stopwatch", "--from", "cpu=cpu.csv", "gpu=gpu.csv", "tpu=tpu.csv",
                          "--reference", "cpu", "--json").ok()
    found = {(row["network"], row["device"]): row for row in ended.rows("speed_ups")}
    for network, gpu, tpu in (("mlp", 697, 1), ("cnn", 3332, -1), ("rnn", 229, -1), ("lstm", 2257, 9),
                              ("autoencoder", 1464, -10)):
        assert round(found[network, "gpu"]["train_speed_up_percent"]) == gpu
        assert round(found[network, "tpu"]["train_speed_up_percent"]) == tpu
        assert found[network, "cpu"]["train_speed_up_percent"] == 0
    # For people a device is a column, as in table 1 of the review.
    files = "--from", "cpu=cpu.csv", "cuda=gpu.csv", "tpu=tpu.csv"
    table = story.lapcast("stopwatch", *files, "--format", "csv").ok().out.split("\n\n")[1]
    rows = {(row["network"], row["stage"]): row for row in csv.DictReader(table.splitlines())}
    assert [network for network, stage in rows if stage == "train"] == [network for network, stage in
                                                                        rows if stage == "evaluate"]
    for row in printed:
        shown = rows[row["network"], row["stage"]]
        for device in ("cpu", "gpu", "tpu"):
            assert float(shown[device + "_s"]) == pytest.approx(float(row[device + "_s"]))
        for device in ("gpu", "tpu"):
            assert round(float(shown[device + "_percent"])) == int(row[device + "_percent"])
    plain = story.lapcast("stopwatch", *files).ok().out
    assert re.search(r"^cnn +train .* 3332 +-1$", plain, re.M), plain
    assert "gpu over cpu, %" in plain and "tpu over cpu, %" in plain
    by_gpu = story.lapcast("stopwatch", *files, "--reference", "cuda").ok().out
    assert "cpu over gpu, %" in by_gpu and "gpu over" not in by_gpu
    story.lapcast("stopwatch", "--from", "gpu=gpu.csv").refused(2, "no file has stages of cpu; there are gpu")
    (story.work / "none.csv").write_bytes(b"\xff\x00,,\n")
    story.lapcast("stopwatch", "--from", "none.csv").refused(3, "no line of a stopwatch")


def test_the_stopwatch_refuses_before_it_measures(story, suite):
    story.lapcast("stopwatch", "--devices", "tpu").refused(4, "cmake -S workloads")
    story.lapcast("stopwatch", "--networks", "mnist-mlp", "--devices", "tpu").refused(2, "'tpu'")
    story.lapcast("stopwatch", "--networks", "mnist-mlp", "--csv", "no/where.csv").refused(6, "--csv")
    assert suite.journal() == []


# Comparing ---------------------------------------------------------------------------------------


def compare(story, a, b, *more, code=0):
    return story.lapcast("compare", a, b, *more, "--json").ok(code)


def verdict(ended):
    return ended.json["comparison"]["verdict"]


def test_two_sets_are_compared(story, suite):
    spread = {"FAKE_SPREAD": "0.01"}
    [a] = suite.rows("mnist-mlp", "--repeats", 4, "--device", "cpu", env=spread)
    [b] = suite.rows("mnist-mlp", "--repeats", 4, "--device", "cuda", env=spread)
    ended = compare(story, a["set"], b["set"], "--metric", "lap")
    sides = ended.rows("sets")
    assert [side["n"] for side in sides] == [a["runs"], b["runs"]]
    assert sides[0]["runs_of"] == "mnist-mlp on this-machine device=cpu"
    assert sides[0]["mean_low"] < sides[0]["mean"] < sides[0]["mean_high"]
    assert ended.json["comparison"]["gain"] == pytest.approx(7, rel=0.02)
    assert ended.json["comparison"]["p"] < 0.01
    assert re.match(r"B is (69|70|71)\d % faster", verdict(ended))
    assert "large effect" in verdict(ended)
    # The sets may also be named by settings, or by the runs themselves.
    by_setting = compare(story, "program=mnist-mlp,device=cpu", "program=mnist-mlp,device=cuda",
                         "--metric", "lap")
    assert by_setting.json["comparison"] == ended.json["comparison"]
    ids = ",".join(run["id"] for run in story.export() if run["sweep"] == a["set"])
    assert compare(story, ids, b["set"][:8], "--metric", "lap").json["comparison"] == \
        ended.json["comparison"]


def test_a_set_is_not_different_from_itself(story, suite):
    [a] = suite.rows("mnist-mlp", "--repeats", 3)
    ended = compare(story, a["set"], a["set"])
    assert verdict(ended).startswith("no difference can be seen with n = ")
    assert ended.json["comparison"]["p"] == pytest.approx(1)


def test_one_run_and_no_run_get_a_clear_answer(story, suite):
    [a] = suite.rows("mnist-mlp", "--repeats", 1)
    [b] = suite.rows("nn-twins", "--repeats", 1)
    assert "may be chance" in verdict(compare(story, a["set"], b["set"]))
    none = compare(story, a["set"], "program=nothing", code=1)
    assert verdict(none) == "nothing to compare: B has no run with a value of time"
    none = compare(story, a["set"], b["set"], "--metric", "cost", code=1)
    assert "neither A nor B has a value of cost" in verdict(none)
    assert any("it has no price" in note for note in none.notes("sets"))


def ended_run(run, number, seconds, **metrics):
    """The exported run as another one that ended after so many seconds with these metrics."""
    log = run["lap_logs"][0].rstrip("\n")
    at = 1 + max(int(line.split()[0]) for line in log.splitlines()[1:])
    log += "".join(f"\n{at} metric {name} {value}" for name, value in metrics.items()) + "\n"
    return run | {"id": f"{number:012x}", "kind": "full", "outcome": {"kind": "ended"},
                  "ended_ns": run["started_ns"] + int(seconds * 1e9), "lap_logs": [log]}


def test_a_mean_stays_within_what_its_metric_can_be(story):
    story.probe("--max-laps", 10).ok()
    run, = story.export()
    runs = [ended_run(run, 1, 30, val_accuracy=0.7, val_loss=0.1),
            ended_run(run, 2, 300, val_accuracy=0.99, val_loss=0.9)]
    story.lapcast("import", "-", input="\n".join(map(json.dumps, runs)).encode()).ok()
    both = ",".join(run["id"] for run in runs)

    def mean(metric):
        row = compare(story, both, both, "--metric", metric).rows("sets")[0]
        return row["mean_low"], row["mean"], row["mean_high"]

    low, mid, high = mean("time")
    assert low == 0 and mid == pytest.approx(165) and high > 1000
    assert mean("accuracy") == (0, pytest.approx(0.845), 1)
    low, _, high = mean("val_loss")  # a loss has no bounds
    assert low < 0 and high > 1


def test_a_set_that_names_no_runs_is_refused(story, suite):
    [a] = suite.rows("mnist-mlp", "--repeats", 1)
    for bad, why in (("", "must not be empty"), ("=3", "no set of runs"), ("zzz", "there is no run"),
                     ("colour=red", "no run has a setting 'colour'"), (",", "no set of runs")):
        story.lapcast("compare", a["set"], bad).refused(2, why)
    story.lapcast("compare", a["set"], a["set"], "--metric", "a b").refused(2, "is no metric")


def test_every_format_is_written(story, suite):
    suite.rows("mnist-mlp", "--repeats", 2)
    for command in (["suite"], ["suite", "run", "mnist-mlp", "--repeats", 2],
                    ["suite", "memory", "nn-twins"], ["compare", "program=mnist-mlp", "kind=full"],
                    ["stopwatch", "--networks", "mnist-mlp", "--devices", "cpu", "--repeats", 1],
                    ["suite", "run", "nqueens", "--n", 8, "--repeats", 1],
                    ["suite", "data", "mnist-mlp"]):
        for form in ("table", "csv", "json", "jsonl", "markdown"):
            assert story.lapcast(*command, "--format", form).ok().out


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


def test_the_table_is_what_the_programs_describe(story, real):
    for name, row in real.items():
        if name in ("nqueens", "mask-rcnn"):
            continue
        ended = story.lapcast("suite", "memory", name, "--json", timeout=120).ok()
        memory = ended.json["memory"]
        assert memory["parameters_bytes"] == 4 * row["parameters"], name
        assert memory["batch"] == row["batch"], name
        # Nearly all of a step of ic-dr is counted: its tensors are far larger than what the framework takes.
        assert memory["framework_bytes"] > (0 if name == "ic-dr" else 1_000_000), name


def test_a_real_program_runs_in_the_suite(story, real):
    if "mnist-cnn" not in real:
        pytest.skip("mnist-cnn is not built here")
    ended = story.lapcast("suite", "run", "mnist-cnn", "--samples", 256, "--batch", 32, "--epochs", 1,
                          "--threads", 1, "--repeats", 1, "--json", timeout=120).ok()
    [row] = ended.rows("suite_runs")
    assert row["runs"] == 1 and row["accuracy"] >= 0 and row["samples_per_second"] > 0
