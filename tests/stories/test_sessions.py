"""Tests trainings over successive short sessions on several machines: each goes on from the checkpoint of the one
before, and no lap, second or dollar of the whole counts twice."""

import os
import signal

import pytest

from conftest import HANGS
from offloaded import programs_of, recorder_of, worker_of
from session_trainings import EPOCHS, HERE, LAPS, RESUME, TRAIN, Sessions, check_sums
from sshd import fleet_entry


@pytest.fixture
def sessions(story):
    return Sessions(story)


def test_sessions_cut_at_any_place_add_up_to_one_training(story, sessions, network):
    """The program, its worker and lapcast on the machine are killed, and the command, too."""
    for name in ("one", "two"):
        network.machine(name)
    prices = {"one": 3600, "two": 7200, "own": 1800}
    story.fleet("".join(fleet_entry(name, price=prices[name]) for name in ("one", "two"))
                + HERE.format(name="own", price=prices["own"]))
    process = story.start(*sessions.command("all"))
    first = sessions.waiting()
    os.kill(worker_of(first), signal.SIGKILL)
    second = sessions.waiting()
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=HANGS)
    [job] = story.lapcast("jobs", "--json").ok().rows("jobs")
    assert job["id"] == second and job["machine_type"] == "two"
    story.lapcast("fetch", second).refused(2, "is a session of a training")
    process = story.start(*sessions.command("all"))
    os.kill(recorder_of(second), signal.SIGKILL)
    for pid in programs_of(sessions.waiting()):
        os.kill(pid, signal.SIGKILL)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, (out, err)
    sessions.go.touch()
    whole, rows = check_sums(story, sessions.run("all").ok(), prices)
    assert [row["machine_type"] for row in rows] == ["one", "two", "own", "one"]
    assert [row["laps"] for row in rows] == [6] * 4 and [row["lost_laps"] for row in rows] == [1, 1, 1, 0]
    assert 0 < whole["lost_s"] < whole["time_s"] and rows[-1]["lost_s"] == 0
    calls = (sessions.files() / "calls").read_text().splitlines()
    assert [call.rsplit("/", 1)[-1] for call in calls] == ["", "epoch-2", "epoch-4", "epoch-6"]
    assert not any(machine.runs() for machine in network.machines)
    assert story.lapcast("jobs", "--json").ok().rows("jobs") == []
    text = story.lapcast("show", rows[1]["run"]).ok().out
    assert "before: earlier sessions" in text and "before: lost work" in text


def test_sessions_end_at_their_time(story, sessions):
    story.fleet(HERE.format(name="own", price="1"))
    ended = sessions.run("own", "--session-time", "3s").ok()
    whole, rows = check_sums(story, ended, {"own": 1})
    assert len(rows) == 4 and all(row["lost_laps"] == 1 for row in rows[:-1])
    assert all("session time of 3.00 s reached" in row["outcome"] for row in rows[:-1]), rows
    again = sessions.run("own").ok()
    assert again.json["training"]["id"] == whole["id"] and again.rows("training_sessions") == rows
    sessions.go.touch()
    anew = sessions.run("own", "--again").ok().json["training"]
    assert anew["id"] != whole["id"] and anew["sessions"] == 1


def test_two_sessions_without_a_checkpoint_stop_a_training(story, sessions):
    story.fleet(HERE.format(name="own", price="1"))
    program = story.work / "train.sh"
    program.write_text('#!/bin/sh\n"$LAPCAST" lap iteration 8\necho broken >&2\nexit 3\n')
    stopped = sessions.run("own")
    assert stopped.code == 4 and "2 sessions in a row wrote no checkpoint" in stopped.err
    assert "failed with exit status 3" in stopped.err
    assert stopped.json["training"]["laps"] == 0 and stopped.json["training"]["lost_laps"] == 2
    program.write_text(TRAIN)
    sessions.go.touch()
    ended = sessions.run("own").ok().json["training"]
    assert ended["laps"] == EPOCHS * LAPS and ended["sessions"] == 3


def test_a_machine_that_is_gone_is_passed_over(story, sessions, network):
    network.machine("gone").kill()
    story.fleet(fleet_entry("gone") + HERE.format(name="own", price="1"))
    sessions.go.touch()
    ended = sessions.run("gone,own").ok()
    assert "gone is passed over" in ended.err and ended.json["training"]["sessions"] == 1
    refused = sessions.run("gone", "--again")
    assert refused.code == 6 and "none of the machines began a session" in refused.err


def test_ctrl_c_and_cancel_stop_and_the_same_command_goes_on(story, sessions):
    story.fleet(HERE.format(name="own", price="1"))
    process = story.start(*sessions.command("own"))
    run = sessions.waiting()
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and b"the same command follows it" in err and programs_of(run)
    sessions.run("own", "--again").refused(2, f"lapcast cancel --forget {run} ends it")
    story.lapcast("cancel", run).ok()
    stopped = sessions.run("own")
    assert stopped.code == 130 and "its session was cancelled" in stopped.err
    sessions.go.touch()
    ended = sessions.run("own").ok().json["training"]
    assert (ended["sessions"], ended["laps"], ended["lost_laps"]) == (2, EPOCHS * LAPS, 1)


def test_what_makes_no_sense_is_refused(story, sessions):
    story.fleet(HERE.format(name="own", price="1"))
    base = ["offload", "fleet.toml"]
    story.lapcast(*base, "--sessions", "own", "--", "true").refused(2, "--sessions needs --resume-flag")
    story.lapcast(*base, "--sessions", "own", "--to", "own", *RESUME, "--", "true").refused(2, "--to")
    story.lapcast(*base, "--sessions", "other", *RESUME, "--", "true").refused(2, "no machine 'other'")
    story.lapcast(*base, "--to", "own", "--session-time", "1h", "--", "true").refused(2, "--session-time")
    story.lapcast("offload", "--sessions", "own", *RESUME, "--", "true").refused(2, "fleet file")
    for double in (["--batch", 4, "--set", "batch=8"], ["--set", "lr=1", "--set", "lr=2"]):
        story.lapcast(*base, "--to", "own", *double, "--", "true", "{batch}", "{lr}").refused(2, "is given twice")
