"""Tests a large fleet: three machines reached by ssh and four kinds of nodes of a Slurm cluster, in
a sweep, a race and a training that is sent to the winner."""

import random
import time
from collections import Counter

import pytest

import conftest
import sshd
from conftest import HANGS, eventually
from slurm_cluster import Node, Partition, SlurmCluster, why_not

NODES = [Node("n2", cpus=2, features="wide", environment={"FAKE_NAME": "n2"}),
         Node("n1", cpus=1, features="narrow", environment={"FAKE_NAME": "n1", "FAKE_SPEED": "2"}),
         Node("old", cpus=1, features="old", environment={"FAKE_NAME": "old", "FAKE_SPEED": "0.5"}),
         Node("gpu", cpus=1, gres="gpu:a100:4", environment={"FAKE_NAME": "gpu", "FAKE_SPEED": "4"})]
HOSTS = ("one", "two", "three")

FLEET = """
[[machine]]
name = "one"
host = "one"
price = "1"
[[machine]]
name = "two"
host = "two"
price = "2"
[machine.environment]
FAKE_SPEED = "2"
[[machine]]
name = "three"
host = "three"
price = "9"
[[machine]]
name = "cluster"
price = "5"
[machine.slurm]
partition = "all"
every_node_type = true
"""
KINDS = {"cluster/all-2c", "cluster/all-1c-narrow", "cluster/all-1c-old", "cluster/all-1c-4xa100"}


@pytest.fixture
def fleet(story):
    reason = sshd.why_not_here() or why_not(conftest.OWN_NETWORK)
    if reason:
        pytest.skip(reason)
    network = sshd.Network(story.folder / "network")
    try:
        hosts = {name: network.machine(name) for name in HOSTS}
        with SlurmCluster(NODES, [Partition("all")]) as cluster:
            story.environment |= network.environment | cluster.environment
            yield hosts, cluster
            assert eventually(lambda: not cluster.jobs("PENDING", "RUNNING"))
    finally:
        network.stop()


def command(story, *options, laps=20, lap_ms=20):
    program = story.trainer("--epochs", 10, "--laps", 30, "--batch", "{batch}", "--train", 960,
                            "--lap-ms", lap_ms)
    return ["sweep", story.fleet(FLEET).name, "--batch", "32", "--max-laps", laps, *options, "--",
            *program]


def nothing_is_left(hosts, cluster, story):
    assert eventually(lambda: not any(host.runs() for host in hosts.values()))
    assert eventually(lambda: not cluster.jobs("PENDING", "RUNNING"))
    assert eventually(lambda: not story.living())
    folder = story.folder / ".cache/lapcast/runs"
    assert eventually(lambda: not folder.exists() or not list(folder.iterdir()))


def test_three_hosts_and_four_kinds_of_nodes_with_kill_9(story, fleet):
    """Kills at random moments, with links that break: every probe is made once."""
    hosts, cluster = fleet
    story.may_leave_run_folders = True
    moments = random.Random(7)
    sweep = command(story)
    for _ in range(3):
        process = story.start(*sweep)
        time.sleep(moments.uniform(0.2, 2))
        hosts["two"].break_links()
        process.kill()
        process.communicate(timeout=HANGS)
    ended = story.lapcast(*sweep).ok()
    runs = Counter(run["machine_type"]["name"] for run in story.export())
    assert runs == Counter({name: 1 for name in KINDS | set(HOSTS)}), (runs, ended)
    assert len(story.journal("start")) == len(runs)
    assert len({run["id"] for run in story.export()}) == len(runs)
    nothing_is_left(hosts, cluster, story)
    story.check_store()
    ranked = story.lapcast("rank", "--json").ok().rows("candidates")
    # equal except for noise
    assert len(ranked) == 7 and ranked[0]["machine_type"] in ("one", "two")
    assert story.lapcast("rank", "--by", "time", "--json").ok().rows(
        "candidates")[0]["machine_type"] == "cluster/all-1c-4xa100"


def test_a_race_over_all_machines_and_a_training_on_the_fastest(story, fleet):
    hosts, cluster = fleet
    race = command(story, "--race", "--by", "time", "--json", lap_ms=40)
    ended = story.lapcast(*race).ok()
    rows = {row["candidate"].split()[0]: row for row in ended.rows("race")}
    assert set(rows) == KINDS | set(HOSTS)
    assert rows["cluster/all-1c-old"]["state"] == "out", ended
    assert rows["cluster/all-1c-4xa100"]["state"] != "out"
    laps = {name: row["laps"] for name, row in rows.items()}
    assert laps["cluster/all-1c-old"] < laps["cluster/all-1c-4xa100"]
    nothing_is_left(hosts, cluster, story)

    story.lapcast("offload", "--by", "time", "--json").ok()
    job = story.lapcast("jobs", "--json").ok().rows("jobs")[0]
    assert job["machine_type"] == "cluster/all-1c-4xa100"
    story.lapcast("attach", "last").ok()
    story.lapcast("fetch", "last").ok()
    full = [run for run in story.export() if run["kind"] == "full"]
    assert [run["outcome"]["kind"] for run in full] == ["ended"]
    assert story.journal("start")[-1]["env"]["FAKE_NAME"] == "gpu"
    assert not story.lapcast("jobs", "--json").ok().rows("jobs")
    nothing_is_left(hosts, cluster, story)


def test_fleet_check_runs_nothing_of_its_working_folder(story):
    """The folder may contain files with the names of Python's own modules."""
    for name in ("csv", "email", "importlib", "metadata", "sitecustomize"):
        (story.work / f"{name}.py").write_text("open('ran', 'a').write(__name__)\n")
    fleet = story.fleet('[[machine]]\nname = "here"\nprice = "1"\n')
    story.lapcast("fleet", "check", fleet.name).ok()
    assert not (story.work / "ran").exists()
