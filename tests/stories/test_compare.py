"""Tests that two sets of runs are compared."""

import json
import re

import pytest


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
    for bad, why in (("", "must not be empty"), ("=3", "not a set of runs"), ("zzz", "there is no run"),
                     ("colour=red", "no run has a setting 'colour'"), (",", "not a set of runs")):
        story.lapcast("compare", a["set"], bad).refused(2, why)
    story.lapcast("compare", a["set"], a["set"], "--metric", "a b").refused(2, "is not a metric")


def test_every_format_is_written(story, suite):
    suite.rows("mnist-mlp", "--repeats", 2)
    for command in (["suite"], ["suite", "run", "mnist-mlp", "--repeats", 2],
                    ["suite", "memory", "nn-twins"], ["compare", "program=mnist-mlp", "kind=full"],
                    ["stopwatch", "--networks", "mnist-mlp", "--devices", "cpu", "--repeats", 1],
                    ["suite", "run", "nqueens", "--n", 8, "--repeats", 1],
                    ["suite", "data", "mnist-mlp"]):
        for form in ("table", "csv", "json", "jsonl", "markdown"):
            assert story.lapcast(*command, "--format", form).ok().out
