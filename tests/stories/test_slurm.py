"""Tests sweeps over the nodes of a Slurm cluster: four types of them at once, what Slurm refuses, jobs
that are held or cancelled, and fleet files of a cluster."""

import os
import re
import shutil
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

import sshd
from conftest import HANGS, eventually
from slurm_sweeps import (NODES, cluster, machines, nodes_used, other_job, our_job, run_of,  # noqa: F401
                          running_cluster, sweep)
from split_boards import PIECES, Split, counted


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


def test_a_node_is_tuned(story, cluster):
    """Each try is a job of its own, on the node that the entry names."""
    story.fleet(machines('constraint = "fast"'))
    program = story.trainer("--laps", 25, "--lap-ms", 10, "--faster-with", "OMP_WAIT_POLICY=PASSIVE,2")
    told = story.lapcast("probe", "--try", "OMP_WAIT_POLICY=PASSIVE", "--repeats", "2", "--max-laps", 15, "--to", "m0",
                         "fleet.toml", "--json", "--", *program).ok()
    tuned = told.json["tuned"]
    assert tuned["settings"] == {"OMP_WAIT_POLICY": "PASSIVE"} and tuned["machine_type"] == "m0", told
    assert set(nodes_used(story)) == {"whole"} and tuned["pairs"] == 2
    assert {run["place"].split()[0] for run in story.export()} == {"slurm"}


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


def test_a_sinfo_without_tiers_is_asked_without_them(story, cluster):
    real = shutil.which("sinfo")
    sinfo = story.work / "bin/sinfo"
    sinfo.parent.mkdir(exist_ok=True)
    sinfo.write_text("#!/bin/sh\ncase \"$*\" in *%M*) echo 'sinfo: unknown field' >&2; exit 1 ;; esac\n"
                     f"exec {real} \"$@\"\n")
    sinfo.chmod(0o700)
    path = {"PATH": f"{sinfo.parent}:{os.environ['PATH']}"}
    found = story.lapcast("fleet", "from-slurm", "--partition", "all", env=path).ok().out
    assert len(re.findall(r'^name = "(.*)"', found, re.M)) == 4


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
    # A node in three partitions is one entry, and no job of it preempts another.
    whole = story.lapcast("fleet", "from-slurm").ok().out
    assert whole.count("[[machine]]") == 4
    partitions = [sorted(names.split(",")) for names in re.findall(r'^partition = "(.*)"', whole, re.M)]
    assert sorted(partitions) == [["all"], ["all"], ["low"], ["low"]]
    assert whole.count("# not in all, high, whose jobs put running jobs of low back into the queue") == 2
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


def test_fleet_check_says_that_no_node_can_be_used(story, cluster):
    fleet = story.fleet(machines('constraint = "avx2"'))
    cluster.command("scontrol", "update", "NodeName=one", "State=DRAIN", "Reason=test")
    try:
        ended = story.lapcast("fleet", "check", fleet.name, "--wait", "1s").ok(1)
        assert "a node that can be used: they are drained" in ended.out, ended
    finally:
        cluster.command("scontrol", "update", "NodeName=one", "State=RESUME")


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


LAUNCHER = """#!/bin/sh
echo "nodes=$SLURM_JOB_NUM_NODES gpus=$SLURM_GPUS_ON_NODE tasks=${SLURM_NTASKS:-none}" >>"$ASKED"
srun --ntasks="$1" --ntasks-per-node=1 sh -c 'export RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS
  "$LAPCAST" lap plan epochs=3 iterations=10 batch=4 train=80
  for lap in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.02; "$LAPCAST" lap iteration 4; done'
"""


def test_a_job_over_two_nodes(story, cluster):
    asked = story.folder / "asked"
    (story.work / "launch.sh").write_text(LAUNCHER)
    (story.work / "launch.sh").chmod(0o755)
    fleet = story.fleet('[[machine]]\nname = "both"\nprice = "2"\n[machine.slurm]\nnodes = 2\n').name
    ended = story.lapcast("sweep", fleet, "--workers", "2", "--json", "--", "./launch.sh", "{workers}",
                          env={"ASKED": str(asked), "LAPCAST": os.environ["LAPCAST"]}).ok()
    assert asked.read_text().startswith("nodes=2 "), asked.read_text()
    [row] = ended.rows("probes")
    laps = story.lapcast("show", row["run"], "--laps", "--json").ok().rows("laps")
    assert {lap["samples"] for lap in laps} == {8}, ended  # of the workers of both nodes
    [choice] = story.lapcast("rank", "--all", "--json").ok().rows("candidates")
    assert choice["price_usd_per_hour"] == 4  # of two nodes
    job = story.lapcast("rank", "--all", "--export", "sbatch").ok().out
    assert "#SBATCH --nodes=2\n" in job and "--ntasks" not in job


# Arguments: node, nodes, head, a file that says what happens, the node that fails.
ON_EACH_NODE = """#!/bin/sh
export RANK=$1 WORLD_SIZE=$2
trap 'echo "$1 was told to end" >>"$4"; exit 0' TERM
first=127.0.0.1
[ "$2" = 1 ] || first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
echo "$1 of $2 behind $3 = $first" >>"$4"
until [ "$(grep -c " of $2 " "$4")" -ge "$2" ]; do sleep 0.05; done  # as a rendezvous
"$LAPCAST" lap plan epochs=3 iterations=10 batch=4 train=80
for lap in $(seq 1000); do
  sleep 0.03
  "$LAPCAST" lap iteration 4
  [ "$1:$lap" = "$5:5" ] && echo "node $1 lost its data" >&2 && exit 3
done
"""
LAPCAST_THERE = f'[machine.environment]\nLAPCAST = "{os.environ["LAPCAST"]}"\n'
BOTH = f'[[machine]]\nname = "both"\nprice = "2"\n[machine.slurm]\nnodes = 2\nconstraint = "fast|avx2"\n{LAPCAST_THERE}'


def sweep_on_each_node(story, fleet, fails="none"):
    (story.work / "train.sh").write_text(ON_EACH_NODE)
    (story.work / "train.sh").chmod(0o755)
    return story.lapcast("sweep", story.fleet(fleet).name, "--max-laps", 12, "--no-wait", "--json", "--", "./train.sh",
                         "{node}", "{nodes}", "{head}", story.folder / "said", fails)


def test_one_command_serves_this_machine_and_a_job_over_two_nodes(story, cluster):
    here = f'[[machine]]\nname = "own"\nprice = "1000"\n{LAPCAST_THERE}'
    rows = sweep_on_each_node(story, BOTH + here).ok().rows("probes")
    said = (story.folder / "said").read_text().splitlines()
    [head] = {line.split()[-1] for line in said if " of 2 behind " in line}
    assert head in ("whole", "one")
    # All nodes are told to end when the first has enough laps.
    assert sorted(said) == ["0 of 1 behind 127.0.0.1 = 127.0.0.1", f"0 of 2 behind {head} = {head}", "0 was told to end",
                            "0 was told to end", f"1 of 2 behind {head} = {head}", "1 was told to end"]
    samples = {row["machine_type"]: {lap["samples"] for lap in
                                     story.lapcast("show", row["run"], "--laps", "--json").ok().rows("laps")} for row in rows}
    assert samples == {"own": {4}, "both": {8}}  # of both nodes
    runs = story.export()
    assert [run["settings"] for run in runs] == [{}, {}] and {run["program"][1] for run in runs} == {"{node}"}
    assert {row["machine_type"]: row["run"] for row in
            sweep_on_each_node(story, BOTH + here).ok().rows("probes")} == {row["machine_type"]: row["run"] for row in rows}
    # So does the job file of the best candidate.
    (story.work / "job.sh").write_text(story.lapcast("rank", "--all", "--export", "sbatch").ok().out)
    job = cluster.command("sbatch", "--parsable", f"--chdir={story.work}", story.work / "job.sh").strip()
    for node in (0, 1):
        line = f"{node} of 2 behind {head} = {head}"
        assert eventually(lambda: (story.folder / "said").read_text().splitlines()[len(said):].count(line) == 1)
    cluster.command("scancel", job)


@pytest.mark.parametrize("node", [0, 1])
def test_a_node_that_fails_is_named_and_ends_the_job(story, cluster, node):
    [row] = sweep_on_each_node(story, BOTH, node).ok(1).rows("probes")
    [said] = re.findall(r"0 of 2 behind (\w+) = ", (story.folder / "said").read_text())
    failed = said if node == 0 else ({"whole", "one"} - {said}).pop()
    assert f"{failed}: failed with exit status 3; the other nodes were ended" in row["outcome_text"], row
    assert f"node {node} lost its data" in story.lapcast("show", row["run"], "--output").ok().out
    assert "was told to end" not in (story.folder / "said").read_text() or node == 1


def test_a_job_asks_for_the_gpus_that_its_workers_need(story, cluster):
    asked = story.folder / "asked"
    (story.work / "train.sh").write_text(LAUNCHER.replace("srun --ntasks=", ": ").replace(
        "sh -c", "; sh -c"))
    (story.work / "train.sh").chmod(0o755)
    fleet = story.fleet('[[machine]]\nname = "gpus"\nprice = "4"\ngpus = 4\n[machine.slurm]\ngpus = 4\n').name
    story.lapcast("sweep", fleet, "--", "./train.sh", "{workers}",
                  env={"ASKED": str(asked), "LAPCAST": os.environ["LAPCAST"]}).ok()
    assert Counter(line.split()[1] for line in asked.read_text().splitlines()) == {
        "gpus=1": 1, "gpus=2": 1, "gpus=4": 1}
    prices = {row["settings"]["workers"]: row["price_usd_per_hour"] for row in
              story.lapcast("rank", "--all", "--json").ok().rows("candidates")}
    assert prices == {1: 1, 2: 2, 4: 4}


def test_jobs_count_pieces_of_a_board(story, cluster, suite):
    """A job that somebody cancels, and the command that is killed, lose nothing; what is in the queue is followed."""
    split = Split(story, suite)
    split.fleet(entries=[machines('constraint = "avx2"')])
    process = story.start(*split.command("--queued", 2))
    assert eventually(lambda: split.pids())
    cluster.command("scancel", our_job(cluster, "RUNNING"))
    assert eventually(lambda: len(split.pids()) == 2)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=HANGS)
    split.go.touch()
    ended = split.run("--queued", 2).ok()
    rows = counted(ended)
    assert {row["machine_type"] for row in rows} == {"m0"} and ended.json["split"]["tries"] == PIECES + 1
    assert len(split.started()) == PIECES + 1 and split.started().count(split.started()[0]) == 2
    assert all(run["place"].startswith("slurm") for run in story.export())
