"""Tests the measured memory of a workload: peaks by batch, the line through them, the largest batch."""

import math
import signal

import pytest

from conftest import HANGS, eventually
from fake_suite import values

MB = 1_000_000


def batches(suite):
    """Returns the batch sizes that were run, in order."""
    return [int(values(line["arguments"])["--batch"]) for line in suite.journal("nn-twins")]


@pytest.fixture
def data(story, suite):
    """Makes the data, so that the journal has nothing but trainings."""
    story.lapcast("suite", "data", "nn-twins", "--samples", 600).ok()
    suite.journal_file.unlink()


def memory(story, *arguments, **more):
    return story.lapcast("suite", "memory", "nn-twins", "--samples", 600, *arguments, **more)


def test_a_line_forecasts_what_another_batch_takes(story, suite):
    """The program holds 2 MB for each sample. What it holds besides, its interpreter, is 5 to 40 MB."""
    env = {"FAKE_MEMORY": str(2 * MB)}
    ended = memory(story, "--at", 64, "--json", env=env).ok()
    assert batches(suite) == [8, 16, 32]  # a quarter, a half and all of the paper's
    arguments = values(suite.journal("nn-twins")[0]["arguments"])
    assert arguments["--steps"] == "3" and arguments["--seed"] == "1"
    line = ended.json["memory"]
    assert line["workload"] == "nn-twins" and line["memory_of"] == "host"
    assert line["bytes_of_a_sample"] == pytest.approx(2 * MB, rel=0.05)
    assert line["bytes_of_a_sample_low"] < 2 * MB < line["bytes_of_a_sample_high"]
    assert 5 * MB < line["fixed_bytes"] < 40 * MB
    for row in ended.rows("memory_used"):
        assert row["peak_device_memory_bytes"] is row["reason"] is None
        assert row["estimate_bytes"] == pytest.approx(row["peak_memory_bytes"], rel=0.05)
        assert row["error"] == pytest.approx(row["estimate_bytes"] / row["peak_memory_bytes"] - 1, abs=1e-6)
    [forecast] = ended.rows("memory_forecast")
    [_, used] = memory(story, "--batch", "32,64", "--json", env=env).ok().rows("memory_used")
    assert used["batch"] == forecast["batch"] == 64
    assert forecast["estimate_bytes_low"] < used["peak_memory_bytes"] < forecast["estimate_bytes_high"]


def test_the_largest_batch_is_sure_to_fit(story, suite):
    env = {"FAKE_MEMORY": str(2 * MB)}
    [row] = memory(story, "--memory", "500MB", "--json", env=env).ok().rows("largest_batches")
    assert row["memory_bytes"] == 500 * MB and row["memory_of"] == "--memory"
    largest = row["largest_batch"]
    assert 150 < largest < 245  # 500 MB less the interpreter's hold 245 samples at most
    fits, fails = memory(story, "--at", f"{largest},{largest + 1}", "--json").ok().rows("memory_forecast")
    assert fits["estimate_bytes_high"] <= 500 * MB < fails["estimate_bytes_high"]
    assert batches(suite) == [8, 16, 32]  # the second command measured nothing
    assert memory(story, "--memory", "1MB", "--json").ok().rows("largest_batches")[0]["largest_batch"] == 0
    ended = memory(story, "--json").ok()
    assert {row["memory_of"] for row in ended.rows("largest_batches")} <= {"this machine", "this machine, now"}
    assert "checked" in ended.notes("largest_batches")[0]


def test_a_device_is_measured_by_what_the_program_reports(story, suite):
    """It holds 1000 bytes and 10 for each sample. Batches 10 and 30 have the mean 20, the mean peak
    1200 and the sum of squares 200, so that at 50 the interval is 1500 +- 1.96 x 12 x sqrt(6), and in
    quadrature 12 % of the way to 1300 x 50 / 30."""
    command = ["--device", "cuda", "--batch", "30,10", "--at", 50, "--memory", "1500B"]
    ended = memory(story, *command, "--json", env={"FAKE_DEVICE_MEMORY": "1000 10"}).ok()
    assert [row["peak_device_memory_bytes"] for row in ended.rows("memory_used")] == [1100, 1300]
    assert [row["error"] for row in ended.rows("memory_used")] == [0, 0]
    line = ended.json["memory"]
    assert line["memory_of"] == "device"
    assert line["fixed_bytes"] == pytest.approx(1000) and line["bytes_of_a_sample"] == pytest.approx(10)
    [forecast] = ended.rows("memory_forecast")
    assert forecast["estimate_bytes"] == pytest.approx(1500)
    assert forecast["estimate_bytes_high"] == pytest.approx(
        1500 + math.hypot(1.959964 * 12 * 6 ** 0.5, 0.12 * (1300 * 50 / 30 - 1500)))
    assert ended.rows("largest_batches")[0]["largest_batch"] == 42  # 1486.9; at 43 it is 1500.7
    text = memory(story, *command).ok().out
    assert "device" in text and "each sample" in text and "10 B" in text
    silent = memory(story, *command, "--again", "--json").ok(1)
    assert {row["reason"] for row in silent.rows("memory_used")} == {
        "it did not report the memory of its device: LibTorch 2.9 or newer tells it"}


def test_a_batch_that_fails_has_its_reason_and_the_others_their_line(story, suite, data):
    ended = memory(story, "--batch", "8,16,32", "--json", env={"FAKE_FAIL": "no memory", "FAKE_FAIL_AT": "3"})
    assert ended.code == 1 and "no memory" in ended.err
    rows = ended.rows("memory_used")
    assert [row["reason"] is None for row in rows] == [True, True, False]
    assert "no memory" in rows[2]["reason"] and rows[2]["peak_memory_bytes"] is None
    assert ended.json["memory"]["fixed_bytes"] > 0
    ended = memory(story, "--batch", "8,16,32", "--again", "--json", env={"FAKE_FAIL": "no memory"})
    assert ended.code == 1
    assert ended.json["memory"]["fixed_bytes"] is None and ended.rows("largest_batches") == []
    assert ended.notes("memory_used") == ["no line: no peak of memory was measured"]


def test_a_batch_without_enough_samples_is_not_measured(story, suite):
    ended = memory(story, "--batch", "8,16", "--json", env={"FAKE_SAMPLES": "12"})
    assert ended.code == 1
    whole, partial = ended.rows("memory_used")
    assert whole["reason"] is None
    assert partial["reason"] == "none of its laps had 16 samples: the training set is smaller"
    assert ended.notes("memory_used") == ["no line: only batch 8 was measured; a line needs two"]


def test_after_ctrl_c_the_same_command_measures_the_rest(story, suite, data):
    process = story.start("suite", "memory", "nn-twins", "--samples", "600", env={"FAKE_HOLD": "2"})
    assert eventually(lambda: batches(suite) == [8, 16])
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and b"the same command goes on where it was" in err
    ended = memory(story, "--json").ok()
    assert batches(suite) == [8, 16, 16, 32]
    assert [row["reason"] for row in ended.rows("memory_used")] == [None] * 3
    memory(story, "--again").ok()
    assert batches(suite) == [8, 16, 16, 32, 8, 16, 32]


def test_what_makes_no_sense_is_refused_before_anything_runs(story, suite):
    memory(story, "--batch", 32).refused(2, "--batch: a line needs two batch sizes")
    memory(story, "--batch", "32,32").refused(2, "--batch: a line needs two batch sizes")
    memory(story, "--batch", "0,32").refused(2, "--batch")
    memory(story, "--at", "x").refused(2, "--at")
    memory(story, "--memory", "0GB").refused(2, "--memory must be above 0, such as 8GB")
    memory(story, "--setting", "x").refused(2, "no setting 'x'")
    story.lapcast("suite", "memory", "embryo-cnn").refused(4, "`lapcast suite build embryo-cnn`")
    assert suite.journal() == []


def test_the_runs_are_no_sweep_for_rank(story, suite):
    fleet = story.fleet('[[machine]]\nname = "m"\nprice = "1"\n')
    story.lapcast("sweep", fleet.name, "--max-laps", 20, "--", *story.trainer("--laps", 1000)).ok()
    before = story.lapcast("rank", "--json").ok().rows("candidates")
    memory(story).ok()
    assert story.lapcast("rank", "--json").ok().rows("candidates") == before
    assert [run["kind"] for run in story.export()] == ["probe"] * 4
