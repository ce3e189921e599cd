"""Tests what can go wrong with a job or with a Slurm cluster itself: preemption, killed processes of
lapcast, a controller that is killed or forgets, a node that dies."""

import contextlib
import fcntl
import os
import random
import re
import signal
import time
from collections import Counter

from conftest import HANGS, eventually
from slurm_sweeps import (cluster, machines, other_job, our_job, run_of, running_cluster,  # noqa: F401
                          sweep)


def test_the_job_of_a_higher_partition_goes_first(story, cluster):
    go_on = story.folder / "go-on"
    process = story.start(*sweep(story, machines('partition = "low"\nconstraint = "avx2"'),
                                 trainer=["--until", go_on, "--until-lap", 20], laps=40, exact=True))
    assert eventually(lambda: story.journal("held"))
    other_job(cluster, "high", 1)
    assert eventually(lambda: our_job(cluster, "PENDING"))
    go_on.touch()
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    assert len(story.journal("start")) == 2
    run = run_of(story)
    assert run["outcome"]["kind"] != "interrupted"
    assert any("started 2 times" in warning for warning in run["warnings"])
    assert run["preparation"][0]["what"] == "queue" and run["preparation"][0]["time_s"] >= 5
    assert b"was requeued" in err


def test_an_offloaded_training_goes_on_after_preemption(story, cluster):
    """It continues from its last checkpoint, without any lapcast on this machine."""
    fleet = story.fleet(machines('partition = "low"\nconstraint = "avx2"'))
    ended = story.lapcast("offload", "--json", "--to", "m0", "--resume-flag", "--from {checkpoint}",
                          "--checkpoints", "epoch-*", fleet.name, "--", *story.resumable()).ok()
    run = ended.json["offloaded"]["id"]
    records = story.folder / ".cache/lapcast/runs"
    assert eventually(lambda: list(records.glob(f"{run}.*/lapcast-run-*/run/epoch-2")))
    other_job(cluster, "high", 1)
    assert eventually(lambda: our_job(cluster, "PENDING"))
    story.lapcast("attach", run).ok()
    story.lapcast("fetch", run, "--into", "results").ok()
    stored = story.resumed(story.work / "results")
    assert stored["place"].startswith("slurm") and stored["outcome"]["kind"] == "ended"


def test_an_offloaded_training_goes_on_within_its_job(story, cluster):
    """The process of lapcast that started the program is killed; the job has no other start."""
    fleet = story.fleet(machines('constraint = "avx2"'))
    run = story.lapcast("offload", "--json", "--to", "m0", "--resume-flag", "--from {checkpoint}",
                        "--checkpoints", "epoch-*", fleet.name, "--",
                        *story.resumable()).ok().json["offloaded"]["id"]
    records = story.folder / ".cache/lapcast/runs"
    assert eventually(lambda: list(records.glob(f"{run}.*/lapcast-run-*/run/epoch-2")))
    [folder] = records.glob(f"{run}.*/lapcast-run-*")
    os.kill(int(re.match(r"lapcast-run-(\d+)", folder.name)[1]), signal.SIGKILL)
    story.lapcast("attach", run).ok()
    story.lapcast("fetch", run, "--into", "results").ok()
    steps = [step["what"] for step in story.resumed(story.work / "results")["preparation"]]
    assert steps.count("earlier attempt") == steps.count("lost work") == 1
    assert len(list(records.glob(f"{run}.*"))) == 0


def test_kill_9_of_lapcast_at_random_moments(story, cluster):
    """The jobs continue; the same command finds them again and starts nothing twice."""
    story.may_leave_run_folders = True
    moments = random.Random(20261122)
    fleet = machines('constraint = "fast"', 'constraint = "avx2"', 'gres = "gpu:1"')
    command = sweep(story, fleet, "--batch", "32,64", trainer=["--batch", "{batch}"])
    for _ in range(5):
        process = story.start(*command)
        time.sleep(moments.uniform(0, 1.5))
        process.kill()
        process.communicate(timeout=HANGS)
    story.lapcast(*command).ok()
    runs = [run for run in story.export() if run["kind"] == "probe"]
    done = Counter((run["machine_type"]["name"], run["settings"]["batch"]) for run in runs)
    assert done == Counter({(name, batch): 1 for name in ("m0", "m1", "m2") for batch in ("32", "64")})
    started = Counter(line["argv"][line["argv"].index("--batch", 9) + 1] + line["env"]["FAKE_NAME"]
                      for line in story.journal("start"))
    assert set(started.values()) == {1}, started
    story.check_store()


def test_kill_9_of_slurmctld(story, cluster):
    """Running jobs continue and their results arrive; waiting jobs start when Slurm is back."""
    go_on = story.folder / "go-on"
    process = story.start(*sweep(story, machines('constraint = "fast"'), "--batch", "32,64",
                                 trainer=["--batch", "{batch}", "--until", go_on, "--until-lap", 20],
                                 laps=90, exact=True))
    assert eventually(lambda: story.journal("held"))
    cluster.wait_until_saved()  # a controller that forgot the start of a job drains its node
    cluster.kill_controller()
    go_on.touch()
    assert eventually(lambda: story.journal("end"))
    assert eventually(lambda: len(story.export()) == 1)
    time.sleep(8)  # the first run's job cannot be cancelled meanwhile, whose folder is to go
    cluster.start_controller()
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    assert len(story.journal("start")) == 2
    assert len(story.export()) == 2


def offloaded(story, place):
    """Submits a short training. Returns its id."""
    program = story.trainer("--epochs", 2, "--laps", 15, "--lap-ms", 10)
    fleet = story.fleet(machines(place))
    ended = story.lapcast("offload", "--json", "--to", "m0", fleet.name, "--", *program).ok()
    return ended.json["offloaded"]["id"]


def state_of(story, run, **more):
    rows = story.lapcast("jobs", "--json", **more).ok().rows("jobs")
    return {row["id"]: row["state"] for row in rows}[run]


def has_ended(story, run):
    """Returns whether the result is written and no process records the run any more."""
    for record in (story.folder / ".cache/lapcast/runs").glob(f"{run}.*/record"):
        with open(record.parent / "holder") as holder, contextlib.suppress(BlockingIOError):
            fcntl.flock(holder, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return "\nR " in record.read_text()
    return False


def fetched(story, run):
    """Fetches the results and checks that they are those of one training."""
    story.lapcast("attach", run).ok()
    story.lapcast("fetch", run, "--into", "results").ok()
    assert len(story.journal("start")) == 1
    [stored] = story.export()
    assert stored["id"] == run and stored["outcome"]["kind"] == "ended"
    assert not stored.get("warnings"), stored["warnings"]


def test_l_a_training_stays_ended_when_the_controller_forgets_that_it_ran(story, cluster):
    """A controller that is killed before it saves the start of a job believes that the job
    waits."""
    run = offloaded(story, 'constraint = "avx2"\nflags = ["--hold"]')
    job = our_job(cluster, "PENDING")
    # The controller saves its state at most every five seconds.
    assert eventually(lambda: run.encode() in (cluster.root / "state/job_state").read_bytes())
    cluster.command("scontrol", "release", job)
    assert eventually(lambda: story.journal("start"))
    cluster.kill_controller()
    assert eventually(lambda: has_ended(story, run))
    assert state_of(story, run) == "ended"  # no queue is needed for this
    cluster.start_controller()
    assert eventually(lambda: "is UP" in cluster.command("scontrol", "ping", check=False))
    assert state_of(story, run) == "ended"
    fetched(story, run)
    assert eventually(lambda: not our_job(cluster, "PENDING", "RUNNING", "COMPLETING"))


def test_l_a_requeued_job_does_not_train_again(story, cluster):
    run = offloaded(story, 'constraint = "avx2"')
    folder = story.folder / ".cache/lapcast/runs" / run
    job = (folder / "job").read_text().strip()

    def is_now(*states):
        return eventually(lambda: cluster.command("squeue", "--noheader", "--states=all",
                                                  f"--jobs={job}", "--format=%T").strip() in states)
    assert is_now("COMPLETED") and has_ended(story, run)
    cluster.command("scontrol", "requeuehold", job)
    assert is_now("REQUEUE_HOLD", "PENDING")
    assert state_of(story, run) == "ended"
    cluster.command("scontrol", "release", job)
    # The job starts, finds that this run has ended, and ends.
    assert eventually(lambda: "this run has ended" in (folder / "slurm.out").read_text())
    assert is_now("COMPLETED")
    fetched(story, run)


def test_l_a_training_that_ended_is_not_submitted_again(story, cluster):
    """Its sbatch was interrupted before the job's number was saved, and Slurm does not answer."""
    run = offloaded(story, 'constraint = "avx2"')
    assert eventually(lambda: has_ended(story, run))
    folder = story.folder / ".cache/lapcast/runs" / run
    (folder / "job").unlink()
    (folder / "job.new").touch()
    assert state_of(story, run, env={"SLURM_CONF": "/nowhere"}) == "ended"
    fetched(story, run)


def test_a_node_that_dies(story, cluster):
    go_on = story.folder / "go-on"
    process = story.start(*sweep(story, machines('partition = "low"\nconstraint = "avx2"'),
                                 trainer=["--until", go_on, "--until-lap", 20], laps=40, exact=True))
    assert eventually(lambda: story.journal("held"))
    cluster.kill_node("one")
    assert eventually(lambda: not story.living())
    go_on.touch()
    time.sleep(3)  # before that, Slurm believes that the job is about to start
    cluster.start_node("one")
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 0, err
    assert len(story.journal("start")) == 2
    run = run_of(story)
    assert any("started 2 times" in warning for warning in run["warnings"])
    cluster.wait_for_nodes()
