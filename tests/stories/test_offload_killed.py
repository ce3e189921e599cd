"""Tests offloaded trainings whose processes are killed: their laps, time and money are kept, and
with --resume-flag they go on from their checkpoint."""

import contextlib
import math
import os
import signal
import sqlite3

import pytest

from conftest import HANGS, eventually, ssh_machine
from offloaded import HERE, RESUME, job, kill_all_of, offload, programs_of, recorder_of, worker_of
from sshd import fleet_entry

HOUR = 3600
PRICE = 3600  # dollars an hour, of both fleets; each second that begins is billed


def here(story):
    story.fleet(HERE.replace("0.36", str(PRICE)))
    return ["--to", "box"], story.folder / ".cache/lapcast"


def on_a_host(story, remote):
    story.fleet(fleet_entry("remote", price=str(PRICE)))
    return ["--to", "remote"], remote.cache()


@pytest.fixture(params=["here", "ssh"])
def place(request, story):
    if request.param == "here":
        return here(story)
    return on_a_host(story, request.getfixturevalue("remote"))


def begin(story, place, *options, program=None):
    """Returns the training's id and the folder of its record."""
    program = program or story.resumable()
    run = offload(story, *place[0], *options, "fleet.toml", "--", *program)
    return run, place[1] / "runs" / run


def kill_worker_of(run):
    os.kill(worker_of(run), signal.SIGKILL)
    assert eventually(lambda: not programs_of(run))


def reached(record, epoch):
    return eventually(lambda: list(record.glob(f"lapcast-run-*/run/epoch-{epoch}")))


def steps(stored, what):
    return [step["time_s"] for step in stored["preparation"] if step["what"] == what]


def wall(stored):
    return (stored["ended_ns"] - stored["started_ns"]) / 1e9


def check_bill(story, stored, attempts):
    """Checks that each attempt is in time and money, and that the work that was done twice is
    named."""
    earlier = steps(stored, "earlier attempt")
    [lost] = steps(stored, "lost work")
    assert len(earlier) == attempts and all(time > 0 for time in earlier)
    assert 0 <= lost <= sum(earlier)
    shown = story.lapcast("show", stored["id"], "--json").ok().json
    assert shown["run"]["all_attempts_s"] == pytest.approx(wall(stored) + sum(earlier))
    text = story.lapcast("show", stored["id"]).ok().out
    assert "before: lost work" in text and "all attempts" in text
    return sum(earlier), lost


def fetched(story, run, code=0):
    ended = story.lapcast("fetch", run, "--into", "results").ok(code)
    [stored] = story.export()
    return stored, ended


def test_a_killed_worker_costs_no_laps(story, place):
    run, record = begin(story, place)
    assert reached(record, 2)
    kill_worker_of(run)
    assert eventually(lambda: job(story, run)["state"].startswith("budget spent: cut off after "))
    row = job(story, run)
    assert "its worker process died (Killed)" in row["state"]
    assert row["laps"] >= 6 and row["elapsed_s"] >= 0.6  # two epochs of three laps, 0.1 s each
    assert float(row["cost_usd"]) == PRICE / HOUR * math.ceil(row["elapsed_s"])
    story.lapcast("attach", run).ok(4)
    stored, _ = fetched(story, run, 4)
    assert stored["outcome"]["kind"] == "budget-spent" and stored["lap_logs"]
    assert wall(stored) == pytest.approx(row["elapsed_s"])
    assert (story.work / "results/epoch-2").exists()
    assert story.lapcast("jobs", "--json").ok().rows("jobs") == []


def test_a_worker_killed_before_the_first_lap_leaves_the_time(story):
    story.resumable()
    (story.work / "train.sh").write_text("#!/bin/sh\nsleep 600\n")
    run, record = begin(story, here(story), program=["./train.sh"])
    assert eventually(lambda: "\nB " in (record / "record").read_text())
    kill_worker_of(run)
    assert eventually(lambda: job(story, run)["state"].startswith("not ended: its worker process"))
    row = job(story, run)
    assert row["laps"] == 0 and row["elapsed_s"] > 0 and float(row["cost_usd"]) > 0
    fetched(story, run, 4)


@pytest.mark.parametrize("ask", ["jobs", "attach", "fetch"])
def test_after_a_killed_worker_the_next_command_goes_on(story, place, ask):
    run, record = begin(story, place, *RESUME)
    assert reached(record, 2)
    kill_worker_of(run)
    assert eventually(lambda: "cut off" in (record / "record").read_text())
    assert not (record / "inherited").exists() and "\nR " not in (record / "record").read_text()
    story.lapcast(ask, *{"jobs": [], "attach": [run], "fetch": [run, "--into", "so-far"]}[ask]).ok()
    assert "ended after" in story.lapcast("attach", run).ok().err
    row = job(story, run)
    stored, ended = fetched(story, run)
    story.resumed(story.work / "results")
    earlier, _ = check_bill(story, stored, 1)
    assert earlier >= 0.6 and row["elapsed_s"] == pytest.approx(wall(stored) + earlier)
    assert float(row["cost_usd"]) == PRICE / HOUR * math.ceil(row["elapsed_s"])


def test_who_is_attached_sees_the_training_go_on(story, place):
    run, record = begin(story, place, *RESUME)
    attached = story.start("attach", run)
    assert reached(record, 2)
    kill_worker_of(run)
    _, err = attached.communicate(timeout=60)
    assert attached.returncode == 0 and b"ended after" in err, err
    fetched(story, run)
    check_bill(story, story.resumed(story.work / "results"), 1)


def test_every_attempt_of_a_training_is_billed(story, place):
    """Its worker is killed, then lapcast on its machine, then both with the program."""
    run, record = begin(story, place, *RESUME)
    kills = [kill_worker_of, lambda run: os.kill(recorder_of(run), signal.SIGKILL), kill_all_of]
    for epoch, kill in enumerate(kills, 1):
        assert reached(record, epoch)
        kill(run)
        assert eventually(lambda: not programs_of(run))
        story.lapcast("jobs").ok()
        assert eventually(lambda: programs_of(run))
    story.lapcast("attach", run).ok()
    stored, _ = fetched(story, run)
    check_bill(story, stored, 3)
    calls = (story.work / "results/calls").read_text().splitlines()
    assert len(calls) == 4 and all(call.startswith("--from /") for call in calls[1:])


NOT_YET = """while [ ! -e {go_on} ] && [ -e {store} ] && python3 -c '
import sqlite3, sys
sys.exit(not sqlite3.connect("file:{store}?mode=ro", uri=True).execute("SELECT 1 FROM errands").fetchall())
'; do held=1; sleep 0.05; done; [ -z "$held" ] || exit 1"""


@pytest.fixture
def hesitant(story):
    """Is a machine that answers nothing from the moment on at which a training is in the store, until
    there is a file go-on."""
    yield from ssh_machine(story, "remote", login=NOT_YET.format(go_on=story.folder / "go-on", store=story.store))


def test_a_training_whose_lapcast_was_killed_before_it_began_says_so(story, hesitant):
    to, _ = on_a_host(story, hesitant)
    process = story.start("offload", *to, "fleet.toml", "--set", "key=1", "--", *story.resumable(), "{key}")
    assert eventually(lambda: process.poll() is not None or pending(story))
    assert process.poll() is None, process.communicate()
    process.kill()
    process.communicate(timeout=HANGS)
    (story.folder / "go-on").touch()
    [row] = story.lapcast("jobs", "--json").ok().rows("jobs")
    assert row["state"].startswith("never began; start it with: lapcast"), row
    assert "offload --to remote fleet.toml --set 'key=1' -- env 'LAPCAST=" in row["state"]
    assert row["state"].endswith("./train.sh '{key}'")
    for command in ("attach", "fetch"):
        refused = story.lapcast(command, row["id"]).refused(4, f"the training {row['id']} never began; start it with")
        assert f"lapcast cancel --forget {row['id']} forgets it" in refused.err
    story.lapcast("cancel", "--forget", row["id"]).ok()
    assert story.lapcast("jobs", "--json").ok().rows("jobs") == []
    assert [each["outcome"] for each in story.runs()] == ["not-started"]
    assert not list(hesitant.cache().glob("runs/*"))


def pending(story):
    if not story.store.exists():
        return []
    with contextlib.closing(sqlite3.connect(story.store, timeout=20)) as database:
        has_table = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'errands'").fetchall()
        return has_table and database.execute("SELECT id FROM errands").fetchall()


def test_without_a_checkpoint_all_work_is_lost(story):
    program = story.resumable()
    script = story.work / "train.sh"
    script.write_text(script.read_text().replace("#!/bin/sh", '#!/bin/sh\n[ -e "$LAPCAST_RUN_DIR/calls" ] || '
                                                 '{ touch "$LAPCAST_RUN_DIR/calls"; sleep 600; }')
                      .replace('while [ $n = 4 ] && [ -z "$2" ]', "while false"))
    run, record = begin(story, here(story), *RESUME, program=program)
    assert eventually(lambda: list(record.rglob("calls")))  # else the next attempt would sleep, too
    kill_worker_of(run)
    story.lapcast("attach", run).ok()
    stored, _ = fetched(story, run)
    earlier, lost = check_bill(story, stored, 1)
    assert lost == earlier
    assert any("before it wrote a checkpoint" in warning for warning in stored["warnings"])


def test_a_machine_that_is_shut_down_in_order_goes_on(story):
    """Every process gets TERM first."""
    run, record = begin(story, here(story), *RESUME)
    assert reached(record, 2)
    for pid in (recorder_of(run), worker_of(run), *programs_of(run)):
        with contextlib.suppress(ProcessLookupError):  # its end ends others
            os.kill(pid, signal.SIGTERM)
    assert eventually(lambda: not programs_of(run))
    assert eventually(lambda: "cut off" in (record / "record").read_text())
    story.lapcast("attach", run).ok()
    fetched(story, run)
    check_bill(story, story.resumed(story.work / "results"), 1)


def test_what_was_cancelled_does_not_go_on(story):
    run, record = begin(story, here(story), *RESUME)
    assert reached(record, 1)
    story.lapcast("cancel", run).ok()
    assert job(story, run)["state"] == "interrupted"
    fetched(story, run, 130)
