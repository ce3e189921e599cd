"""Tests the way of a student without a machine, over a fake cloud: from an empty home to the results of
a training; and trainings on rented machines that are taken back."""

import os
import signal
from pathlib import Path

from conftest import HANGS, eventually

RENT = '[rent]\nmax_time = "60s"\nboot_limit = "20s"\n'
SMALL = ('[[machine]]\nname = "small"\nprice = "0.10"\n[machine.rent]\nby = "fakecloud"\n'
         'type = "small"\n')


def with_result(story, *options):
    """Returns a trainer that first writes a file into its run folder."""
    return ["sh", "-c", 'echo trained >"$LAPCAST_RUN_DIR/result"; exec "$0" "$@"',
            *map(str, story.trainer(*options))]


def results(story):
    [folder] = [path for path in story.work.glob("lapcast-*") if path.is_dir()]
    return folder


def test_a_student_without_a_machine_gets_a_trained_model(story, cloud):
    cloud.start()
    story.lapcast("fleet", "init", "--rent", "--by", "fakecloud", "--out", "rent.toml").ok()
    text = (story.work / "rent.toml").read_text()
    assert 'type = "small"' in text and 'type = "large"' in text and "max_price" in text
    checked = story.lapcast("rent", "check", "rent.toml", "--json").ok()
    assert [(row["type"], row["usd_per_hour"], row["is_ready"]) for row in checked.rows("rentable")] == [
        ("small", 0.1, True), ("large", 0.4, True)]
    assert story.lapcast("fleet", "check", "rent.toml", "--json").ok().rows("rentable")
    assert cloud.bill()["machines"] == []
    program = with_result(story, "--laps", 40, "--lap-ms", 10)
    swept = story.lapcast("sweep", "rent.toml", "--search-budget", "1USD", "--json", "--max-laps", 15, "--",
                          *program).ok()
    assert len(swept.rows("rentals")) == 2
    ranked = story.lapcast("rank", "--json").ok()
    assert [row["machine_type"] for row in ranked.rows("candidates")][0] == "small"
    assert cloud.alive() == []
    story.lapcast("leases").ok()
    story.lapcast("offload", "--to", "small", "rent.toml", "--", *program).refused(2, "needs --max-cost")
    story.lapcast("offload", "--to", "small", "rent.toml", "--max-cost", "0.001", "--max-time", "30s", "--",
                  *program).refused(2, "more than --max-cost")
    story.lapcast("offload", "--to", "small", "rent.toml", "--max-cost", "1", "--max-time", "60s", "--",
                  *program).ok()
    assert (results(story) / "result").read_text() == "trained\n"
    assert cloud.alive() == [] and len(cloud.bill()["machines"]) == 3
    assert story.lapcast("jobs", "--json").ok().rows("jobs") == []
    [full] = [run for run in story.export() if run["kind"] == "full"]
    assert full["outcome"]["kind"] == "ended"


def test_a_training_goes_on_on_another_machine(story, cloud):
    cloud.start()
    story.fleet(RENT + SMALL, "rent.toml")
    process = story.start("offload", "--to", "small", "rent.toml", "--max-cost", "1", "--max-time", "10m",
                          "--resume-flag", "--from {checkpoint}", "--checkpoints", "epoch-*", "--",
                          *story.resumable())
    assert eventually(lambda: cloud.alive() and third_epoch(cloud))
    cloud.happens("preempted", seconds=25)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, (out, err)
    story.resumed(results(story))
    assert len(cloud.bill()["machines"]) == 2 and cloud.alive() == []


def test_a_training_that_takes_longer_keeps_its_machine(story, cloud):
    cloud.start(traits={"billing_step": 1})
    story.fleet(RENT + SMALL, "rent.toml")
    program = story.trainer("--laps", 60, "--lap-ms", 10)
    story.lapcast("sweep", "rent.toml", "--search-budget", "1USD", "--max-laps", 15, "--", *program).ok()
    story.lapcast("offload", "--to", "small", "rent.toml", "--max-cost", "1", "--", *program).ok()
    told = cloud.bill()["machines"][-1]
    # The forecast and ten minutes; the last ten are for what comes afterwards.
    assert 1100 < told["deadline"] - told["created"] < 1220
    # The machine's own deadline is moved, too: it is counted from the boot of this computer.
    own = int((cloud.root / told["id"] / "home/.lapcast-deadline").read_text())
    assert 1000 < own - float(Path("/proc/uptime").read_text().split()[0]) < 1220


def test_a_machine_whose_deadline_is_fixed_is_said_to_end(story, cloud):
    cloud.start(traits={"extends": False})
    story.fleet(RENT + SMALL, "rent.toml")
    program = story.trainer("--laps", 60, "--lap-ms", 10)
    story.lapcast("sweep", "rent.toml", "--search-budget", "1USD", "--max-laps", 15, "--", *program).ok()
    done = story.lapcast("offload", "--to", "small", "rent.toml", "--max-cost", "1", "--", *program).ok()
    assert "its provider cannot move a deadline" in done.err
    told = cloud.bill()["machines"][-1]
    assert 550 < told["deadline"] - told["created"] < 620


def test_a_machine_without_user_data_ends_itself_after_the_first_login(story, cloud):
    """Lapcast and its keeper are killed, and nothing but the machine is left to end it."""
    cloud.start(traits={"user_data": False, "deadlines": False})
    story.fleet(RENT.replace("60s", "20s") + SMALL, "rent.toml")
    process = story.start("sweep", "rent.toml", "--search-budget", "1USD", "--unprotected", "--",
                          *story.trainer("--laps", 9999, "--lap-ms", 10))
    assert eventually(lambda: list(cloud.root.glob("m-*/home/.lapcast-deadline")))
    own = [pid for entry in Path("/proc").glob("[0-9]*") if has_home(entry, story) for pid in [int(entry.name)]]
    for pid in own:
        os.kill(pid, signal.SIGKILL)
    process.communicate()
    [machine] = cloud.bill()["machines"]
    assert cloud.until(machine, "terminated")["reason"] == "shut down by itself"
    story.lapcast("leases", "--end")


def has_home(process, story):
    try:
        return b"lapcast" in (process / "cmdline").read_bytes() and os.fsencode(
            f"HOME={story.folder}\0") in (process / "environ").read_bytes()
    except OSError:
        return False


def third_epoch(cloud):
    return any(cloud.root.rglob("runs/*/lapcast-run-*/run/epoch-3"))


def test_results_are_part_of_the_bill_and_stay_where_they_are_too_dear(story, cloud):
    cloud.start()
    cloud.may_leave_machines = True
    story.fleet(RENT + SMALL + 'egress_usd_per_gb = "100"\n', "rent.toml")
    offload = ["offload", "--to", "small", "rent.toml", "--max-time", "60s", "--max-cost"]

    def writing(command):
        return ["sh", "-c", f'{command} "$LAPCAST_RUN_DIR/result"; exec "$0" "$@"', *map(str, story.trainer("--laps", 20))]

    story.lapcast(*offload, "1", "--", *writing("true")).refused(2, "may cost $10")
    done = story.lapcast(*offload, "12", "--", *writing("dd if=/dev/urandom bs=1000 count=1000 status=none >")).ok()
    assert (results(story) / "result").stat().st_size == 1_000_000
    # 1 MB of 100 USD a GB, and some minutes of 0.10 USD an hour
    assert 0.10 <= float(done.err.split("the machine cost $")[1].split()[0]) < 0.12, done
    left = story.lapcast(*offload, "12", "--", *writing("truncate -s 200M")).ok(1)
    assert "its results are not fetched: it may cost $2" in left.err and "lapcast fetch" in left.err, left
    assert len(cloud.alive()) == 1
    story.lapcast("leases", "--end")
    cloud.wait(lambda: not cloud.alive(), "the end of the machine")


def test_what_control_c_leaves_is_fetched_later(story, cloud):
    cloud.start()
    cloud.may_leave_machines = True
    story.fleet(RENT + SMALL, "rent.toml")
    process = story.start("offload", "--to", "small", "rent.toml", "--max-cost", "1", "--max-time", "10m", "--",
                          *with_result(story, "--laps", 300, "--lap-ms", 20))
    assert eventually(lambda: any(cloud.root.rglob("runs/*/lapcast-run-*/run/result")))
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and b"lapcast fetch" in err, err
    assert len(cloud.alive()) == 1
    story.lapcast("attach", "last").ok()
    story.lapcast("fetch", "last", "--into", "results").ok()
    assert (story.work / "results" / "result").read_text() == "trained\n"
    story.lapcast("leases", "--end")
    cloud.wait(lambda: not cloud.alive(), "the end of the machine")
