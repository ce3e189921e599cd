"""Tests repeated runs to the end on a fleet: rows, tests, and going on after an interrupt."""

import json
import os
import signal

import pytest

import sshd
from conftest import HANGS, eventually, ssh_machine
from sshd import fleet_entry

FLEET = "".join(f'[[machine]]\nname = "{name}"\nprice = "{price}"\n[machine.environment]\n'
                f'FAKE_SPEED = {speed}\nFAKE_NAME = "{name}"\n'
                for name, price, speed in (("slow", "3.6", 1), ("fast", "18", 4)))


def repeat(story, *options, trainer=("--laps", 20, "--lap-ms", 10, "--seed", "{seed}"), **more):
    program = story.trainer("--epochs", 1, *trainer)
    return story.lapcast("repeat", story.fleet(FLEET).name, *options, "--", *program, **more)


def started(story):
    return [line["env"]["FAKE_NAME"] for line in story.journal("start")]


def expected_by_clock(story, slow_time):
    """Returns the time on "fast" that cores x clock let expect by that on "slow": both are this machine,
    whose clock may differ from run to run. None where its clock is not known."""
    clock = {name: [run["machine"].get("max_clock_ghz", 0) for run in story.export()
                    if run["machine_type"]["name"] == name] for name in ("slow", "fast")}
    if not all(clock["slow"] + clock["fast"]):
        return None
    mean = {name: sum(values) / len(values) for name, values in clock.items()}
    return slow_time * mean["slow"] / mean["fast"]


def test_every_candidate_is_repeated_in_turn_and_tested(story):
    ended = repeat(story, "--repeats", 4, "--json", trainer=(
        "--laps", 20, "--lap-ms", 80, "--seed", "{seed}", "--accuracy", "0.9")).ok()
    slow, fast = ended.rows("repeats")
    assert (slow["machine_type"], fast["machine_type"]) == ("slow", "fast")
    assert [row["n"] for row in (slow, fast)] == [4, 4]
    assert [row["warm_ups"] for row in (slow, fast)] == [1, 1]
    for begin in range(0, 10, 2):  # none is run again before the other was run
        assert sorted(started(story)[begin:begin + 2]) == ["fast", "slow"]

    runs = [run for run in story.export() if not run.get("warm_up")]
    assert len(story.export()) == 10 and len(runs) == 8
    times = {name: [(run["ended_ns"] - run["started_ns"]) / 1e9 for run in runs
                    if run["machine_type"]["name"] == name] for name in ("slow", "fast")}
    seeds = sorted(int(run["settings"]["seed"]) for run in story.export())
    assert seeds == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]  # the warm-up run has the first
    for row in (slow, fast):
        own = times[row["machine_type"]]
        assert row["time_s"] == pytest.approx(sum(own) / 4)
        assert row["time_s_low"] < row["time_s"] < row["time_s_high"]
        assert row["accuracy"] == 0.9 and row["reason"] is None
    assert slow["baseline"] and slow["speed_up"] == 1
    assert fast["speed_up"] == pytest.approx(slow["time_s"] / fast["time_s"])
    assert fast["speed_up_low"] < fast["speed_up"] < fast["speed_up_high"]
    assert fast["cost_efficiency"] == pytest.approx(1 - fast["cost_usd"] / slow["cost_usd"], abs=1e-4)
    expectation = expected_by_clock(story, slow["time_s"])
    if expectation:
        assert fast["linear_expectation_s"] == pytest.approx(expectation)
        assert fast["measured_over_expected"] == pytest.approx(fast["time_s"] / expectation)
        assert (fast["measured_over_expected_low"] <= fast["measured_over_expected"]
                <= fast["measured_over_expected_high"])
    test, = [test for test in ended.rows("repeat_tests") if test["metric"] == "time"]
    assert test["differs"] and test["adjusted_p"] == test["p"] < 0.05  # one pair: nothing to adjust

    # The same command makes no run; people read the answer first.
    text = repeat(story, "--repeats", 4, trainer=(
        "--laps", 20, "--lap-ms", 80, "--seed", "{seed}", "--accuracy", "0.9")).ok().out
    assert len(started(story)) == 10
    assert text.startswith("time: fast has the best mean\nworse, and not by chance: slow (")
    warm_up = next(run["id"] for run in story.export() if run.get("warm_up"))
    assert story.lapcast("show", warm_up, "--json").ok().json["run"]["warm_up"] is True

    # Their set can be compared, and more repeats go on with it.
    set_id = ended.json["repeat_set"]["set"]
    sets = f"{set_id},machine=slow", f"{set_id},machine=fast"
    assert "faster" in story.lapcast("compare", *sets).ok().out
    comparison = story.lapcast("compare", *sets, "--json").ok().json["comparison"]
    assert comparison.get("measured_over_expected") is None or expectation
    assert ("linear_expectation_s" in comparison) == bool(expectation)
    lap = story.lapcast("compare", *sets, "--metric", "lap", "--json").ok().json["comparison"]
    assert "linear_expectation_s" not in lap


def test_another_baseline_and_settings(story):
    ended = repeat(story, "--repeats", 2, "--warm-up", 0, "--batch", "8,16", "--baseline",
                   "fast,batch=16", "--json",
                   trainer=("--laps", 5, "--lap-ms", 4, "--batch", "{batch}")).ok()
    rows = ended.rows("repeats")
    assert [(row["machine_type"], row["settings"]["batch"]) for row in rows] == [
        ("slow", 8), ("slow", 16), ("fast", 8), ("fast", 16)]
    assert [row["baseline"] for row in rows] == [False, False, False, True]
    assert rows[0]["speed_up"] == pytest.approx(rows[3]["time_s"] / rows[0]["time_s"])
    tests = [test for test in ended.rows("repeat_tests") if test["metric"] == "time"]
    assert len(tests) == 6
    assert max(test["adjusted_p"] for test in tests) <= 1
    assert all(test["adjusted_p"] >= test["p"] for test in tests)


def test_what_a_command_line_cannot_mean_is_said_before_anything_runs(story):
    for options, what in ((["--baseline", "gpu"], "--baseline: no candidate is gpu; the first is slow"),
                          (["--until", "0%"], "--until"), (["--set", "seed=1,2"], "{seed}")):
        assert what in repeat(story, *options).ok(2).err
    assert started(story) == []


def test_a_candidate_ends_when_its_mean_is_known(story):
    ended = repeat(story, "--until", "50%", "--json", trainer=("--laps", 5, "--lap-ms", 400)).ok()
    assert [row["n"] for row in ended.rows("repeats")] == [5, 5]  # the least


def test_a_failing_candidate_is_a_row_and_the_others_go_on(story):
    fleet = FLEET + "[[machine]]\nname = \"cannot\"\ncpus = \"4095\"\n"
    program = ["sh", "-c", 'if [ "$FAKE_NAME" = fast ]; then exit 3; fi; exec "$@"', "sh",
               *story.trainer("--epochs", 1, "--laps", 5, "--lap-ms", 2)]
    ended = story.lapcast("repeat", story.fleet(fleet).name, "--repeats", 2, "--json", "--",
                          *program).ok(1)
    rows = {row["machine_type"]: row for row in ended.rows("repeats")}
    assert rows["slow"]["n"] == 2 and rows["slow"]["reason"] is None
    assert rows["fast"]["n"] == 0 and "exit status 3" in rows["fast"]["reason"]
    assert "4095" in rows["cannot"]["reason"]
    assert rows["fast"]["speed_up"] is None and ended.rows("repeat_tests") == []


def test_ctrl_c_loses_no_finished_run(story):
    program = story.trainer("--epochs", 1, "--laps", 20, "--lap-ms", 10)
    command = ["repeat", story.fleet(FLEET).name, "--repeats", 3, "--json", "--", *program]
    process = story.start(*command, env={"FAKE_HOLD": "4"})
    assert eventually(lambda: story.journal("held"))
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130, err
    made = sum(row["n"] + row["warm_ups"] for row in json.loads(out)["repeats"])
    assert made == 3
    ended = story.lapcast(*command).ok()
    assert f"{made} runs were done" in ended.err
    assert [row["n"] for row in ended.rows("repeats")] == [3, 3]
    finished = [run for run in story.export() if run["outcome"]["kind"] == "ended"]
    assert len(finished) == 8


@pytest.mark.skipif(bool(sshd.why_not_here()), reason=sshd.why_not_here() or "")
def test_runs_on_another_machine_are_repeated_too(story):
    for remote in ssh_machine(story, "remote"):
        fleet = '[[machine]]\nname = "here"\n' + fleet_entry("remote", price="7.2")
        program = story.trainer("--epochs", 1, "--laps", 10, "--lap-ms", 4, "--seed", "{seed}")
        ended = story.lapcast("repeat", story.fleet(fleet).name, "--repeats", 2, "--warm-up", 0,
                              "--json", "--", *program).ok()
        assert [row["n"] for row in ended.rows("repeats")] == [2, 2]
        places = {run.get("place", "") for run in story.export()}
        assert places == {"", "ssh remote"}
