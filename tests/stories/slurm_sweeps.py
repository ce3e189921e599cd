"""Provides a cluster of four types of nodes for the stories of Slurm, and what they do with it."""

import os

import pytest

import conftest
from conftest import eventually
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
