"""Tests a race: rounds with suspended programs in between, which end for candidates that cannot
win."""

import os
import signal
import statistics

import pytest

from conftest import HANGS, eventually, is_alive

# Prices are per hour and speeds relative: "steady" costs 0.10 for what "dear" does in twice the
# time for 2.40, and "quick" is the fastest.
FLEET = """
[[machine]]
name = "dear"
price = "1.20"
[machine.environment]
FAKE_SPEED = 0.5
FAKE_NAME = "dear"

[[machine]]
name = "steady"
price = "0.10"
[machine.environment]
FAKE_SPEED = 1
FAKE_NAME = "steady"

[[machine]]
name = "quick"
price = "0.90"
[machine.environment]
FAKE_SPEED = 4
FAKE_NAME = "quick"
"""


def command(story, *options, fleet=FLEET, trainer=()):
    program = story.trainer("--epochs", 50, "--train", 6400, "--lap-ms", 40, "--init-ms", 300, *trainer)
    return ["sweep", story.fleet(fleet).name, "--race", *options, "--", *program]


def states(ended):
    return {row["candidate"]: row["state"] for row in ended.rows("race")}


def reasons(ended):
    return {row["candidate"]: row["reason"] for row in ended.rows("race")}


def starts(story):
    return [line["env"]["FAKE_NAME"] for line in story.journal("start")]


def test_the_loser_is_out_with_the_reason_on_its_row(story):
    ended = story.lapcast(*command(story, "--json")).ok()
    assert states(ended)["dear"] == "out" and "out" not in (states(ended)["steady"],
                                                            states(ended)["quick"])
    assert reasons(ended)["dear"].startswith("can no longer be the cheapest, the fastest or between")
    picks = {row["by"]: row for row in ended.rows("picks")}
    assert picks["cost"]["candidate"] == "steady" and picks["time"]["machine_type"] == "quick"
    assert all(0 <= row["chance_wrong"] < 0.05 for row in picks.values())
    bill = {row["search"]: row for row in ended.rows("search_cost")}
    race, everything = bill["race"], bill["all-to-the-end"]
    assert 0 < race["cost_usd"] < 0.1 * everything["cost_usd"]
    # A run that the race cut short is stored like any other.
    outcomes = {run["machine_type"]["name"]: run["outcome"] for run in story.export()}
    assert outcomes["dear"]["rule"] == "out: " + reasons(ended)["dear"]
    story.lapcast("rank").ok()
    story.check_store()


def test_a_race_by_cost_leaves_only_the_cheapest(story):
    ended = story.lapcast(*command(story, "--by", "cost", "--json")).ok()
    found = states(ended)
    assert found["dear"] == found["quick"] == "out"
    assert found["steady"] in ("best", "measured")  # whichever comes first
    assert reasons(ended)["quick"].startswith("can no longer be the cheapest (at least ")
    assert "times the cost of steady" in reasons(ended)["quick"]
    assert [row["by"] for row in ended.rows("picks")] == ["cost"]


def test_suspended_laps_are_not_lengthened(story):
    """Two candidates that differ by less than the run-to-run variation take turns to the end of a
    probe."""
    fleet = FLEET.replace('"dear"', '"twin"').replace("1.20", "0.90").replace("SPEED = 0.5", "SPEED = 4")
    ended = story.lapcast(*command(story, "--by", "time", "--precision", "1%", "--json",
                                   trainer=["--setsid-children", 1], fleet=fleet)).ok()
    assert states(ended)["steady"] == "out"
    runs = {run["machine_type"]["name"]: run for run in story.export()}
    went_on = 0
    for name in ("twin", "quick"):
        run = runs[name]
        log = [line.split() for line in run["lap_logs"][0].splitlines()]
        ends = [int(words[0]) for words in log if len(words) > 1 and words[1] == "i"]
        laps = [b - a for a, b in zip(ends, ends[1:])]
        pauses = [pause["end_ns"] - pause["begin_ns"] for pause in run.get("pauses", [])]
        went_on += any(max(laps) > 0.9 * pause for pause in pauses)  # the raw log keeps the pauses
        lap = story.lapcast("show", run["id"], "--json").ok().json["profile"]["lap_s"]
        assert 0.5 < lap * 1e9 / statistics.median(laps) < 2
    assert went_on, "nobody went on after a pause"
    # no program started again: suspending costs nothing on this machine
    assert len(starts(story)) == 3


def test_batch_sizes_race_separately_unless_told(story):
    two = FLEET[:FLEET.index('[[machine]]\nname = "quick"')]
    sweep = command(story, "--by", "cost", "--batch", "32,64", "--json", fleet=two,
                    trainer=["--batch", "{batch}"])
    ended = story.lapcast(*sweep).ok()
    assert [(row["by"], row["group"]) for row in ended.rows("picks")] == [
        ("cost", {"batch": 32}), ("cost", {"batch": 64})]
    ended = story.lapcast(*sweep[:2], "--same-epochs", *sweep[2:]).ok()
    assert [(row["by"], row["group"]) for row in ended.rows("picks")] == [("cost", {})]


def test_a_failed_candidate_is_a_row_and_never_the_best(story):
    fleet = FLEET + '[[machine]]\nname = "nowhere"\nprice = "0.01"\ncpus = "4000"\n'
    program = ["sh", "-c", 'if [ "$FAKE_NAME" = quick ]; then exit 9; fi; exec "$@"', "sh",
               *story.trainer("--epochs", 50, "--train", 6400, "--lap-ms", 40)]
    ended = story.lapcast("sweep", story.fleet(fleet).name, "--race", "--json", "--", *program).ok(1)
    assert states(ended)["quick"] == "failed" and reasons(ended)["quick"] == "failed with exit status 9"
    assert {row["candidate"] for row in ended.rows("picks")} == {"steady"}
    assert any("CPU 4000" in note for note in ended.notes("race"))


@pytest.mark.parametrize("init_ms", [300, 1500])  # with the longer one it ends before any lap
def test_a_search_budget_ends_a_race_and_a_larger_one_continues_it(story, init_ms):
    trainer = ["--init-ms", init_ms]
    ended = story.lapcast(*command(story, "--search-budget", "0.4s", "--json", trainer=trainer))
    assert ended.code in (0, 1)  # on a busy machine 0.4 s can pass before the first lap
    assert "not started" in states(ended).values()
    assert any("search budget" in note for note in ended.notes("race"))
    larger = command(story, "--search-budget", "5m", "--json", trainer=trainer)
    ended = story.lapcast(*larger).ok()
    assert states(ended)["dear"] == "out" and "not started" not in states(ended).values()
    started = len(starts(story))
    story.lapcast(*command(story, trainer=trainer)).ok()
    assert len(starts(story)) == started  # the race is finished, so nothing is repeated


def test_after_ctrl_c_the_same_command_continues(story):
    fleet = FLEET.replace('"dear"', '"twin"').replace("1.20", "0.90").replace("SPEED = 0.5", "SPEED = 4")
    sweep = command(story, "--precision", "0.01%", "--json", fleet=fleet,
                    trainer=["--noise", "0.4"])
    process = story.start(*sweep)
    assert eventually(lambda: len(story.journal("start")) == 3)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert story.run_folders() == [] and not story.living()
    kept = [run for run in story.export() if run["outcome"]["kind"] != "interrupted"]
    sweep[sweep.index("0.01%")] = "20%"
    assert kept, "the laps of those that were suspended are lost"
    ended = story.lapcast(*sweep).ok()
    assert set(states(ended)) == {"twin", "steady", "quick"}
    assert "not decided" not in states(ended).values()
    assert {run["id"] for run in kept} <= {run["id"] for run in story.export()}


def test_a_race_that_is_killed_while_programs_are_suspended_leaves_nothing_running(story):
    story.may_leave_run_folders = True
    fleet = FLEET.replace('"dear"', '"twin"').replace("1.20", "0.90").replace("SPEED = 0.5", "SPEED = 4")
    process = story.start(*command(story, "--precision", "0.01%", fleet=fleet,
                                   trainer=["--noise", "0.4", "--ignore-term"]))
    assert eventually(lambda: len(story.journal("start")) == 3)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=HANGS)
    pids = [line["pid"] for line in story.journal("start")]
    assert eventually(lambda: not any(is_alive(pid) for pid in pids))


def test_bad_options_are_refused(story):
    story.lapcast(*command(story, "--confidence", "100%")).refused(2, "--confidence")
    story.lapcast(*command(story, "--search-budget", "0USD")).refused(2, "--search-budget")
    plain = [word for word in command(story, "--by", "cost") if word != "--race"]
    assert story.lapcast(*plain).code == 2
