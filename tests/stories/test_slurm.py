"""Tests sweeps over the nodes of a Slurm cluster: four types of them at once, and everything that
can go wrong with a job or with the cluster itself."""

import contextlib
import fcntl
import os
import random
import re
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

import conftest
import sshd
from conftest import HANGS, eventually
from slurm_cluster import Node, Partition, SlurmCluster, why_not

NODES = [
    Node("whole", cpus=2, features="avx512,fast", environment={"FAKE_NAME": "whole"}),
    Node("one", cpus=1, cpu_set=(min(os.sched_getaffinity(0)),), features="avx2",
         environment={"FAKE_NAME": "one", "FAKE_SPEED": "4"}),
    Node("half", cpus=1, quota=0.5, features="slow", environment={"FAKE_NAME": "half"}),
    Node("gpu", cpus=1, gres="gpu:a100:4", environment={"FAKE_NAME": "gpu"}),
]
PARTITIONS = [Partition("all"), Partition("low", "one,gpu", tier=1),
              Partition("high", "one,gpu", tier=100, options="PreemptMode=OFF")]


@pytest.fixture(scope="module")
def running_cluster():
    reason = why_not(conftest.OWN_NETWORK)
    if reason:
        pytest.skip(reason)
    with SlurmCluster(NODES, PARTITIONS, node_timeout=20) as cluster:
        yield cluster


@pytest.fixture
def cluster(running_cluster, story):
    """Returns the cluster, whose commands `story` can run. Checks that nothing is left
    afterwards."""
    story.environment |= running_cluster.environment
    yield running_cluster
    running_cluster.command("scancel", "--user=root", "--name=other", check=False)
    eventually(lambda: not running_cluster.jobs("RUNNING"), 3)
    left = running_cluster.jobs("PENDING", "RUNNING", "SUSPENDED")
    running_cluster.tidy_up()
    assert not left, "a job is left in the queue"
    folder = story.folder / ".cache/lapcast/runs"
    assert not folder.exists() or list(folder.iterdir()) == [], "a run's folder is left"


def machines(*places, price="0.10"):
    return "".join(f'[[machine]]\nname = "m{i}"\nprice = "{price}"\n[machine.slurm]\n{place}\n'
                   for i, place in enumerate(places))


def sweep(story, fleet, *options, trainer=(), laps=25, exact=False):
    """Runs a sweep. exact: with a precision that is never reached, so that it takes all its
    laps."""
    options = ["--precision", "0.0001%", *options] if exact else options
    program = story.trainer("--epochs", 20, "--train", 6400, "--batch", 64, "--lap-ms", 10, *trainer)
    return ["sweep", story.fleet(fleet).name, "--max-laps", laps, *options, "--", *program]


def nodes_used(story):
    return [line["env"].get("FAKE_NAME") for line in story.journal("start")]


def other_job(cluster, partition, seconds):
    """Submits the job of another user."""
    return cluster.command("sbatch", "--parsable", "--job-name=other", f"--partition={partition}",
                           "--chdir=/", "--output=/dev/null", "--nodelist=one",
                           f"--wrap=sleep {seconds}").strip()


def our_job(cluster, *states):
    jobs = [job for job, name, state in cluster.jobs(*states) if name.startswith("lapcast-")]
    return jobs[0] if jobs else None


def run_of(story, machine="m0"):
    runs = [run for run in story.export() if run["machine_type"]["name"] == machine]
    assert len(runs) == 1, runs
    return runs[0]


def test_four_types_of_nodes_in_one_sweep(story, cluster, quota):
    places = ['constraint = "fast"', 'constraint = "avx2"', 'constraint = "slow"',
              'gres = "gpu:a100:1"']
    ended = story.lapcast(*sweep(story, machines(*places), "--json", trainer=["--lap-ms", 40])).ok()
    assert Counter(nodes_used(story)) == Counter(["whole", "one", "half", "gpu"])
    runs = {run["machine_type"]["name"]: run for run in story.export()}
    assert runs["m1"]["machine"]["allowed_cpus"] == list(NODES[1].cpu_set)
    for run in runs.values():
        assert [step["what"] for step in run["preparation"]][0] == "queue"
        assert run["place"].startswith("slurm")
    laps = {row["machine_type"]: row["lap_s"] for row in ended.rows("probes")}
    assert laps["m0"] > 2 * laps["m1"]  # its jobs have another FAKE_SPEED
    assert runs["m2"]["machine"]["cpu_limit"] == 0.5
    # The commands of Slurm wrote nothing into the user's folder.
    assert [path.name for path in story.work.iterdir()] == ["fleet.toml"]


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

    def is_now(state):
        return eventually(lambda: cluster.command("squeue", "--noheader", "--states=all",
                                                  f"--jobs={job}", "--format=%T").strip() == state)
    assert is_now("COMPLETED") and has_ended(story, run)
    cluster.command("scontrol", "requeuehold", job)
    assert is_now("REQUEUE_HOLD") or is_now("PENDING")
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


def test_a_job_that_somebody_cancels(story, cluster):
    process = story.start(*sweep(story, machines('constraint = "avx2"'),
                                 trainer=["--until", story.folder / "never", "--until-lap", 40], laps=2000,
                                 exact=True))
    assert eventually(lambda: story.journal("held"))
    job = our_job(cluster, "RUNNING")
    cluster.command("scancel", job)
    out, err = process.communicate(timeout=HANGS)
    run = run_of(story)
    # Its laps so far are kept. Only Slurm's accounting knows who cancelled it.
    assert run["outcome"] == {"kind": "budget-spent",
                              "which": f"its Slurm job {job} was cancelled"}, run["outcome"]
    assert process.returncode == 0, err


def test_a_job_that_is_held_and_then_cancelled(story, cluster):
    process = story.start(*sweep(story, machines('constraint = "avx2"\nflags = ["--hold"]')))
    assert eventually(lambda: our_job(cluster, "PENDING"))
    job = our_job(cluster, "PENDING")
    time.sleep(1.5)
    cluster.command("scancel", job)
    out, err = process.communicate(timeout=HANGS)
    assert f"held (JobHeldUser); to let it go: scontrol release {job}".encode() in err
    assert f"its Slurm job {job} was cancelled".encode() in out
    assert story.journal() == []
    assert process.returncode == 1


@pytest.mark.parametrize("waits", [False, True])
def test_ctrl_c_leaves_nothing(story, cluster, waits):
    place = 'constraint = "avx2"' + ('\nflags = ["--hold"]' if waits else "")
    process = story.start(*sweep(story, machines(place), laps=2000, exact=True))
    there = (lambda: our_job(cluster, "PENDING")) if waits else (lambda: story.journal("start"))
    assert eventually(there)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130, err
    assert eventually(lambda: not our_job(cluster, "PENDING", "RUNNING", "COMPLETING"))


def test_what_slurm_refuses_is_a_row(story, cluster):
    places = ['partition = "nope"', 'constraint = "nope"', 'constraint = "fast"']
    ended = story.lapcast(*sweep(story, machines(*places), "--json")).ok(1)
    outcomes = {row["machine_type"]: row["outcome_text"] for row in ended.rows("probes")}
    assert "invalid partition specified: nope" in outcomes["m0"]
    assert "Invalid feature specification" in outcomes["m1"]
    assert nodes_used(story) == ["whole"]


def test_g_other_flags_are_another_sweep(story, cluster):
    for flags in ('"--exclusive"', '"--exclusive", "-c", "1"'):
        for _ in range(2):
            story.lapcast(*sweep(story, machines(f'constraint = "avx2"\nflags = [{flags}]'))).ok()
    assert len(story.journal("start")) == 2
    assert len({run["sweep"] for run in story.export()}) == 2


@pytest.mark.parametrize("flags", ['"--wrap=touch {file}"', '"--task-prolog", "{file}"',
                                   '"--task-pr={file}"', '"--hold", "{file}"'])
def test_j_flags_start_no_command(story, cluster, flags):
    script, trace = story.folder / "evil.sh", story.folder / "was-here"
    script.write_text(f"#!/bin/sh\ntouch {trace}\n")
    script.chmod(0o755)
    flags = flags.format(file=script)
    fleet = story.fleet(machines(f'constraint = "avx2"\nflags = [{flags}]'))
    for command in (["fleet", "check", fleet.name], ["sweep", fleet.name, "--", "true"],
                    ["offload", "--to", "m0", fleet.name, "--", "true"]):
        story.lapcast(*command).refused(3, "fleet.toml:9:")
    assert not trace.exists() and our_job(cluster) is None


def test_without_slurm(story, cluster):
    folder = story.folder / "bin"
    folder.mkdir()
    for program in Path("/usr/bin").iterdir():
        if program.name not in ("sbatch", "squeue", "sinfo", "scancel"):
            (folder / program.name).symlink_to(program)
    path = {"PATH": str(folder)}
    ended = story.lapcast(*sweep(story, machines("")), env=path).ok(1)
    assert "has no commands of Slurm on its PATH" in ended.out
    story.lapcast("fleet", "from-slurm", env=path).refused(6, "has no commands of Slurm")
    sinfo = story.work / "bin/sinfo"
    sinfo.parent.mkdir(exist_ok=True)
    sinfo.write_text("#!/bin/sh\necho 'sinfo: fatal: Could not establish a configuration source' >&2\n"
                     "exit 1\n")
    sinfo.chmod(0o700)
    path = dict(path, PATH=f"{sinfo.parent}:{path['PATH']}")
    story.lapcast("fleet", "from-slurm", env=path).refused(6, "belongs to no Slurm cluster")


def test_from_slurm_writes_a_fleet_file_that_works(story, cluster):
    file = story.work / "cluster.toml"
    story.lapcast("fleet", "from-slurm", "--partition", "all", "--out", file).ok()
    text = file.read_text()
    names = re.findall(r'^name = "(.*)"', text, re.M)
    assert sorted(names) == ["all-1c-4xa100", "all-1c-avx2", "all-1c-slow", "all-2c"]
    assert text.count("FILL IN") == 1 + len(names)
    story.lapcast("fleet", "from-slurm", "--out", file).refused(2, "exists, and is not overwritten")
    assert file.read_text() == text
    program = story.trainer("--laps", 1000, "--lap-ms", 5)
    story.lapcast("sweep", file.name, "--max-laps", 12, "--", *program).ok()
    assert Counter(nodes_used(story)) == Counter(["whole", "one", "half", "gpu"])
    whole = story.lapcast("fleet", "from-slurm").ok().out
    assert 'name = "low-1c' in whole and 'partition = "high"' in whole
    story.lapcast("fleet", "from-slurm", "--partition", "nope").refused(6, "no nodes")


def test_fleet_check_asks_a_node(story, cluster):
    fleet = story.fleet(machines('constraint = "avx2"', 'partition = "nope"'))
    ended = story.lapcast("fleet", "check", fleet.name, "--json").ok(1)
    rows = {row["machine"]: row for row in ended.rows("fleet")}
    assert (rows["m0"]["state"], rows["m1"]["state"]) == ("ready", "lacks something")
    assert "invalid partition specified: nope" in ended.out
    cpus = {row["place"]: row["usable_cpu_list"] for row in ended.rows("machines")}
    assert cpus["slurm avx2"] == ",".join(map(str, NODES[1].cpu_set))
    only = story.fleet(machines('constraint = "avx2"'), "only.toml")
    other_job(cluster, "all", 30)
    assert eventually(lambda: cluster.jobs("RUNNING"))
    busy = story.lapcast("fleet", "check", only.name, "--wait", "1s").ok()
    assert "m0: this is its login node; of the nodes none was free within 1.00 s" in busy.out


@pytest.mark.skipif(bool(sshd.why_not_here()), reason=sshd.why_not_here())
def test_through_a_login_node(story, cluster):
    """The commands of Slurm are on a host that ssh reaches, and not on this machine."""
    network = sshd.Network(story.folder / "network")
    try:
        conf = story.environment.pop("SLURM_CONF")
        login = network.machine("login", login=f"export SLURM_CONF={conf}; echo Welcome")
        story.environment |= network.environment
        places = ['login = "login"\nconstraint = "avx2"', 'login = "login"\nconstraint = "fast"']
        ended = story.lapcast(*sweep(story, machines(*places))).ok()
        assert Counter(nodes_used(story)) == Counter(["one", "whole"])
        assert "by login" in ended.out
        assert eventually(lambda: login.runs() == [])
        text = story.lapcast("fleet", "from-slurm", "--login", "login").ok().out
        assert 'login = "login"' in text
    finally:
        network.stop()


@pytest.mark.skipif(not os.environ.get("LAPCAST_LONG_TESTS"),
                    reason="Slurm looks at time limits twice a minute; ./check --full")
def test_a_time_limit(story, cluster):
    fleet = machines('constraint = "avx2"\ntime_limit = "1m"')
    ended = story.lapcast(*sweep(story, fleet, "--budget", "10m", trainer=["--lap-ms", 800],
                                 laps=100000, exact=True)).ok()
    job = re.search(r"its Slurm job (\d+) ran into its time limit of 1 min 00 s", ended.out)
    assert job, ended
    assert run_of(story)["outcome"]["kind"] == "budget-spent"
