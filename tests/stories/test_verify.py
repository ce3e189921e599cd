"""Tests running candidates to the end, and the judgement on forecast and choice."""

import os
import signal

import pytest

from conftest import HANGS, as_measured, eventually

FLEET = "".join(f'[[machine]]\nname = "{name}"\nprice = "{price}"\n[machine.environment]\n'
                f'FAKE_SPEED = {speed}\nFAKE_NAME = "{name}"\n'
                for name, price, speed in (("slow", "3.6", 1), ("fast", "18", 4), ("middle", "36", 2)))


def swept(story, *trainer):
    program = story.trainer("--exact", "--epochs", 3, "--laps", 40, "--lap-ms", 24, *trainer)
    story.lapcast("sweep", story.fleet(FLEET).name, "--max-laps", 25, "--", *program).ok()
    story.journal_file.unlink()


def names(story):
    return sorted(line["env"]["FAKE_NAME"] for line in story.journal("start"))


def test_with_all_runs_finished_the_regret_is_exact(story):
    swept(story, "--accuracy", "0.5,0.9,0.8")
    ended = story.lapcast("verify", "--all", "--json").ok()
    rows = {row["machine_type"]: row for row in ended.rows("verified")}
    assert set(rows) == {"slow", "fast", "middle"}
    for row in rows.values():
        assert abs(row["error"]) < 1 and row["accuracy"] == 0.9 and row["real_cost_usd"] > 0
    assert rows["slow"]["real_s"] > rows["middle"]["real_s"] > rows["fast"]["real_s"]
    for by, name in (("time", "fast"), ("cost", "slow")):
        regret = ended.json["regret"][by]
        assert regret["machine_type"] == regret["best_machine_type"] == name
        assert regret["regret"] == 0 and not regret["is_lower_bound"]
    assert ended.json["errors"]["known"] == 3
    assert [line["laps"] for line in story.journal("end")] == [120] * 3
    assert not story.journal("signal")

    # A run that finished is not run again unless asked.
    story.lapcast("verify", "--all").ok()
    assert len(names(story)) == 3
    ended = story.lapcast("verify", "--all", "--again", "--json").ok()
    assert len(names(story)) == 6
    assert [row["runs"] for row in ended.rows("verified")] == [2, 2, 2]
    assert len(ended.rows("real_runs")) == 6


def test_repeats_are_made_in_turn_and_every_real_run_is_shown(story):
    swept(story)
    ended = story.lapcast("verify", "--all", "--repeats", 3, "--json").ok()
    started = [line["env"]["FAKE_NAME"] for line in story.journal("start")]
    assert len(started) == 9
    for begin in (0, 3, 6):  # no candidate is run again before all others were run
        assert sorted(started[begin:begin + 3]) == ["fast", "middle", "slow"]

    rows = {row["machine_type"]: row for row in ended.rows("verified")}
    runs = ended.rows("real_runs")
    stored = {run["id"]: run for run in story.export() if run["kind"] == "full"}
    assert {run["run"] for run in runs} == set(stored) and len(runs) == 9
    for name, row in rows.items():
        own = [run for run in runs if run["machine_type"] == name]
        assert row["runs"] == len(own) == 3
        assert row["real_s"] == pytest.approx(sum(run["real_s"] for run in own) / 3)
        assert row["real_cost_usd"] == pytest.approx(sum(run["real_cost_usd"] for run in own) / 3,
                                                     abs=2e-9)
        assert [run["started_at"] for run in own] == sorted(run["started_at"] for run in own)
        for run in own:
            assert run["started_at"] == stored[run["run"]]["started_at"]
            assert run["error"] == pytest.approx(row["forecast_s"] / run["real_s"] - 1)
            assert run["inside"] == (row["forecast_s_low"] <= run["real_s"] <= row["forecast_s_high"])
    assert ended.json["errors"]["known"] == 9
    assert ended.json["errors"]["inside_95"] == sum(run["inside"] for run in runs)
    assert ended.json["regret"]["time"]["best_machine_type"] == "fast"
    assert "the best was fast (means of 3 real runs each)" in story.lapcast("verify", "--all").ok().out

    # Real runs that exist count; --again makes more.
    story.lapcast("verify", "--all", "--repeats", 3).ok()
    assert len(names(story)) == 9
    story.lapcast("verify", "--top", 1, "--repeats", 2, "--again").ok()
    assert len(names(story)) == 13


def test_after_find_epochs_both_times_use_the_learned_epochs(story):
    program = story.trainer("--epochs", 6, "--laps", 20, "--lap-ms", 10,
                            "--accuracy", "0.5,0.9,0.8,0.8,0.8,0.8")
    story.lapcast("sweep", story.fleet(FLEET).name, "--max-laps", 25, "--find-epochs",
                  "--patience", 1, "--", *program).ok()
    rows = story.lapcast("verify", "--all", "--json").ok().rows("verified")
    walls = {run["machine_type"]["name"]: (run["ended_ns"] - run["started_ns"]) / 1e9
             for run in story.export() if run["kind"] == "full"}
    assert len(rows) == 3
    for row in rows:
        assert row["epochs"] == 3
        assert row["real_s"] < walls[row["machine_type"]]


def test_the_program_is_always_verified_for_its_own_plan(story):
    program = story.trainer("--exact", "--epochs", 2, "--laps", 30, "--lap-ms", 10)
    story.probe("--max-laps", 20, "--epochs", 50, program=program).ok()
    row, = story.lapcast("verify", "--json").ok().rows("verified")
    # The error would be 24 by the 50 epochs of the probe; a busy machine makes it smaller only.
    assert row["epochs"] == 2 and abs(row["error"]) < 5


def test_verifying_only_the_first_candidates_gives_a_lower_bound(story):
    swept(story)
    ended = story.lapcast("verify", "--top", "1", "--json").ok()
    assert names(story) == ["fast", "slow"]  # the fastest and the cheapest
    regret = ended.json["regret"]["time"]
    assert regret["machine_type"] == "fast" and regret["regret"] == 0 and regret["is_lower_bound"]
    rows = {row["machine_type"]: row for row in ended.rows("verified")}
    assert rows["middle"]["real_s"] is None and rows["middle"]["forecast_s"] > 0


def test_a_run_that_fails_is_a_row_with_its_reason(story):
    swept(story)
    text = story.lapcast("export").ok().out  # the same runs, whose program now fails
    story.store = story.folder / "other.db"
    story.environment["LAPCAST_STORE"] = str(story.store)
    text = text.replace('"--lap-ms","24"', '"--crash-after","50"')
    story.lapcast("import", "-", input=text.encode()).ok()
    as_measured(story)
    ended = story.lapcast("verify", "--all", "--json").ok(1)
    rows = ended.rows("verified")
    assert {row["reason"] for row in rows} == {"failed with exit status 1"}
    assert ended.json["regret"]["time"]["regret"] is None and ended.json["regret"]["time"]["reason"]


def test_without_prices_only_times_are_compared(story):
    story.probe("--max-laps", 20, program=story.trainer("--epochs", 2, "--laps", 30)).ok()
    ended = story.lapcast("verify", "--json").ok()
    assert set(ended.json["regret"]) == {"time"}
    assert "regret by cost: not known: no candidate has a price" in story.lapcast("verify").ok().out


def interrupted_after(story, least, *options):
    """Interrupts `verify` after that many real runs, which it finished."""
    process = story.start("verify", *options, env={"FAKE_HOLD": str(least + 1)})
    assert eventually(lambda: story.journal("held"))
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert least == len([run for run in story.export()
                         if run["kind"] == "full" and run["outcome"]["kind"] == "ended"])


def test_after_ctrl_c_the_same_command_continues(story):
    swept(story)
    interrupted_after(story, 1, "--all")
    before = len(story.journal("start"))
    story.lapcast("verify", "--all").ok()
    assert len(story.journal("start")) - before == 2


def test_after_ctrl_c_the_repeats_continue(story):
    swept(story)
    interrupted_after(story, 4, "--all", "--repeats", 2)
    before = len(story.journal("start"))
    ended = story.lapcast("verify", "--all", "--repeats", 2, "--json").ok()
    assert len(story.journal("start")) - before == 2
    assert [row["runs"] for row in ended.rows("verified")] == [2, 2, 2]
