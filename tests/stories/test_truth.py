"""Tests what lapcast says about the work of others on a machine."""

import os

import pytest

from conftest import UNAWARE_OF_OTHERS


def test_a_quiet_check_says_whether_to_measure_now(story):
    ended = story.lapcast("machine", "--quiet-check", "--json")
    assert ended.code in (0, 1), ended  # as busy as this machine is
    quiet = ended.json["quiet"]
    assert quiet["others_used_cpus"] >= 0 and 0 <= quiet["lost_to_others_share"] <= 1
    assert quiet["is_quiet"] == (ended.code == 0)
    assert ended.notes("quiet")[-1].startswith(
        "yes: now" if quiet["is_quiet"] else "no, measure later: ")


def test_a_probe_keeps_what_the_machine_did_meanwhile(story):
    story.probe("--max-laps", 60, program=story.trainer("--laps", 100, "--lap-ms", 20)).ok()
    [run] = story.export()
    *program, load = run["lap_logs"]
    assert len(program) == 1 and " load " not in program[0]
    lines = [line.split() for line in load.splitlines() if " load " in line]
    assert lines and all(int(words[2]) > 0 for words in lines)
    keys = {word.partition("=")[0] for words in lines for word in words[3:]}
    assert "cpus" in keys
    if os.path.exists("/proc/self/schedstat"):
        assert {"run", "delay", "others"} <= keys
        shown = story.lapcast("show", "--json").ok()
        assert shown.json["run"]["lost_to_others_s"] >= 0


def test_samples_can_be_switched_off(story):
    story.probe("--max-laps", 30, program=story.trainer("--laps", 100, "--lap-ms", 10),
                env=UNAWARE_OF_OTHERS).ok()
    [run] = story.export()
    assert len(run["lap_logs"]) == 1 and " load " not in run["lap_logs"][0]


def test_without_samples_no_forecast_is_undisturbed(story):
    story.probe("--max-laps", 30, "--price", "1",
                program=story.trainer("--laps", 100, "--lap-ms", 10),
                env=UNAWARE_OF_OTHERS).ok()
    story.lapcast("rank", "--all").ok()
    ended = story.lapcast("rank", "--all", "--conditions", "undisturbed", "--json").ok(1)
    [row] = ended.rows("excluded")
    assert row["reason"] == "what else the machine did is not known"
    story.lapcast("rank", "--all", "--conditions", "quiet").refused(2, "--conditions")


@pytest.mark.parametrize("rounds", [1, 4])
def test_a_sweep_measures_in_as_many_rounds_as_it_is_told(story, rounds):
    fleet = story.fleet('''[[machine]]
name = "a"
price = "1"
cpus = "0"
[[machine]]
name = "b"
price = "1"
cpus = "0"
[machine.environment]
FAKE_NAME = "b"
''')
    program = story.trainer("--epochs", 100, "--laps", 1000, "--lap-ms", 5)
    story.lapcast("sweep", fleet.name, "--precision", "20%", "--rounds", rounds, "--",
                  *program).ok()
    runs = story.export()
    assert len(runs) == 2 and len(story.journal("start")) == 2
    # At the end of its last round, too, a program is suspended before it is ended.
    assert [len(run.get("pauses", [])) for run in runs] == [0 if rounds == 1 else rounds] * 2


def test_an_exclusive_machine_is_measured_in_one_piece(story):
    fleet = story.fleet('''[[machine]]
name = "own"
price = "1"
exclusive = true
''')
    program = story.trainer("--epochs", 100, "--laps", 1000, "--lap-ms", 5)
    story.lapcast("sweep", fleet.name, "--max-laps", 40, "--", *program).ok()
    [run] = story.export()
    assert run["machine_type"]["exclusive"] is True and not run.get("pauses")
