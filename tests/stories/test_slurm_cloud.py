"""Tests a Slurm cluster that powers nodes up as jobs need them and down again: somebody pays for each of them."""

import pytest

import conftest
from slurm_cluster import Node, SlurmCluster, why_not
from slurm_sweeps import machines, run_of, sweep

# Slurm starts a job on a node that was powered up at its next look, which it takes every 30 s.


@pytest.fixture
def cloud_nodes(story):
    """Yields a function that starts a cluster of nodes that are powered down and hidden."""
    if reason := why_not(conftest.OWN_NETWORK):
        pytest.skip(reason)
    clusters = []

    def start(*nodes, resume_timeout=120):
        clusters.append(SlurmCluster(nodes, resume_timeout=resume_timeout).__enter__())
        story.environment |= clusters[-1].environment
        return clusters[-1]
    yield start
    for cluster in clusters:
        cluster.stop()


def test_hidden_nodes_are_measured_and_no_look_powers_them_up(story, cloud_nodes):
    cluster = cloud_nodes(Node("c1", features="rented", cloud=True))
    story.lapcast("fleet", "from-slurm").refused(6, "sinfo shows no nodes; if the cluster powers its nodes down, it hides "
                                                 "them: power one up (srun true) and run this again, or")
    story.fleet(machines('partition = "all"\nconstraint = "rented"'))
    checked = story.lapcast("fleet", "check", "fleet.toml")
    assert "none is up and free, and a check powers none up" in checked.out + checked.err, checked
    assert cluster.resumed() == []
    story.lapcast(*sweep(story, machines('partition = "all"\nconstraint = "rented"'))).ok()
    assert cluster.resumed() == ["c1"]
    run = run_of(story)
    assert run["outcome"]["kind"] in ("enough", "budget-spent")
    # The boot is in it: Slurm starts a job on such a node at its next look.
    assert run["preparation"][0]["what"] == "queue" and run["preparation"][0]["time_s"] >= 1


def test_a_node_that_is_up_is_asked(story, cloud_nodes):
    cluster = cloud_nodes(Node("c1", features="rented", cloud=True), Node("stays", features="bought"))
    story.fleet(machines('constraint = "bought"'))
    checked = story.lapcast("fleet", "check", "fleet.toml").ok()
    assert "none is up" not in checked.out + checked.err and cluster.resumed() == []


def test_nodes_that_never_register_are_not_powered_up_for_ever(story, cloud_nodes):
    cluster = cloud_nodes(*(Node(f"c{i}", cloud=True) for i in range(1, 5)), resume_timeout=5)
    (cluster.root / "broken").touch()
    ended = story.lapcast(*sweep(story, machines('partition = "all"')))
    assert "3 nodes were powered up for its job and never registered; sinfo -R and the log of the cluster's" in ended.out
    assert "; a node powered up for it never registered" in ended.err
    assert len(cluster.resumed()) <= 4 and not cluster.jobs("PENDING", "CONFIGURING", "RUNNING")
