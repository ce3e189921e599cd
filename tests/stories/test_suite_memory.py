"""Tests what lapcast says of the memory that a workload takes."""

import json
import signal
from pathlib import Path

import pytest

from conftest import HANGS, eventually
from fake_suite import Suite, values


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
    assert memory["overcount_bytes"] == 0 and not disagreement(ended)
    arguments = suite.journal("embryo-cnn")[0]["arguments"]
    assert arguments == ["--describe", "--describe-steps", "--setting", "tutorial"]
    story.lapcast("suite", "memory", "embryo-cnn", "--setting", "x").refused(2, "no setting 'x'")


def disagreement(ended):
    return [note for note in ended.notes("memory") if "count and measurement disagree" in note]


def test_more_counted_than_measured_is_said(story, suite):
    """Steps of 8 samples need by the count 192 bytes of parameters and 384 of Adam, 52 for each sample,
    and gradients of 72 and 120 bytes, for which the 96 that the last layer gives back are too few:
    1184 in all. They took 1000."""
    file = story.folder / "description"
    layers = [{"name": "dense1", "parameters": 30, "outputs": 5, "multiply_adds": 25},
              {"name": "dense2", "parameters": 18, "outputs": 3, "multiply_adds": 15}]
    file.write_text(json.dumps({
        "name": "nn-twins", "parameters": 48, "batch": 32, "epochs": 2, "optimizer": "Adam",
        "optimizer_numbers": 96, "input_numbers": 5, "step_samples": 8, "step_bytes": 1000,
        "layers": layers}))
    command, env = ["suite", "memory", "nn-twins"], {"FAKE_DESCRIBE": str(file)}
    ended = story.lapcast(*command, "--json", env=env).ok()
    assert ended.json["memory"]["overcount_bytes"] == 192 + 384 + 8 * 52 + 72 + 120 - 1000
    assert ended.json["memory"]["framework_bytes"] == 0
    [note] = disagreement(ended)
    assert "184 B less" in note and "--measure" in note
    assert "not known: steps took less" in story.lapcast(*command, env=env).ok().out
    assert story.lapcast(*command, "--json").ok().json["memory"]["overcount_bytes"] is None


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
    process.send_signal(signal.SIGINT)
    assert process.wait(HANGS) == 130
    process.communicate()
    pid = suite.journal("nn-twins")[0]["pid"]
    assert eventually(lambda: not Path(f"/proc/{pid}").exists())
