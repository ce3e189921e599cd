"""Tests for how long a training asks a Slurm cluster for its nodes: by its forecast, not by the limit of
probes."""

import math
import os

import pytest

import conftest
from conftest import eventually
from session_trainings import Sessions, check_sums
from slurm_cluster import Node, Partition, SlurmCluster, why_not

# 200 epochs of 100 laps of 10 ms: 200 s.
TRAINING = ["--epochs", 200, "--train", 6400, "--batch", 64, "--lap-ms", 10]


@pytest.fixture(scope="module")
def running_cluster():
    reason = why_not(conftest.OWN_NETWORK)
    if reason:
        pytest.skip(reason)
    with SlurmCluster([Node("node", cpus=2)],
                      [Partition("all"), Partition("short", max_time=1)]) as cluster:
        yield cluster


@pytest.fixture
def cluster(running_cluster, story):
    story.environment |= running_cluster.environment
    yield running_cluster
    for row in story.lapcast("jobs", "--json").rows("jobs"):
        story.lapcast("cancel", row["id"])
    running_cluster.tidy_up()


def fleet(story, partition="all"):
    """The limit of its probes is one minute."""
    return story.fleet('[[machine]]\nname = "node"\nprice = "1"\n[machine.slurm]\n'
                       f'partition = "{partition}"\ntime_limit = "60s"\nflags = ["--time=1"]\n').name


def probed(story, partition="all"):
    """Probes the training. Returns the upper end of its forecast in minutes."""
    story.lapcast("sweep", fleet(story, partition), "--max-laps", 25, "--", *story.trainer(*TRAINING)).ok()
    [candidate] = story.lapcast("rank", "--json").ok().rows("candidates")
    return candidate["time_s_high"] / 60


def minutes_asked(cluster):
    """Returns the limit of the only job, as Slurm has it."""
    [limit] = cluster.command("squeue", "-h", "-o", "%l").split()
    parts = [int(part) for part in limit.split(":")]
    return parts[-2] + (60 * parts[-3] if len(parts) > 2 else 0)


def offload(story, cluster, *options):
    """Sends the training. Returns what the queue was asked for, in minutes and in words."""
    ended = story.lapcast("offload", *options).ok()
    [said] = [line for line in ended.out.splitlines() if "asks the queue for" in line]
    minutes = minutes_asked(cluster)
    story.lapcast("cancel", "last").ok()
    assert eventually(lambda: not cluster.jobs())
    return minutes, said


def test_a_training_gets_the_time_of_its_forecast(story, cluster):
    high = probed(story)
    minutes, said = offload(story, cluster)
    assert minutes == math.ceil(1.2 * high) > 1  # Slurm counts whole minutes
    assert "1.2 times the upper end of its forecast" in said
    by_name = ["--to", "node", fleet(story), "--", *story.trainer(*TRAINING)]
    assert offload(story, cluster, *by_name)[0] == minutes
    minutes, said = offload(story, cluster, "--max-time", "2m")
    assert minutes == 2 and "as --max-time says" in said
    minutes, said = offload(story, cluster, "--time-limit", "7m")
    assert minutes == 7 and "as --time-limit says" in said
    story.lapcast("offload", "--time", "7m").refused(2, "did you mean '--time-limit'?")
    story.lapcast("offload", "--time-limit", "61m").refused(2, "the partition all allows 1 h")


def test_without_a_forecast_a_training_gets_the_time_of_its_partition(story, cluster):
    minutes, said = offload(story, cluster, "--to", "node", fleet(story), "--", *story.trainer(*TRAINING))
    assert minutes == 60  # its default would be 10
    assert "the limit of the partition all: no forecast of this training is known" in said


def test_a_partition_that_would_cut_it_off_is_refused(story, cluster):
    probed(story, "short")
    refused = story.lapcast("offload").refused(2, "the partition short lets a job run for 1 min")
    assert "by forecast" in refused.err and "--resume-flag" in refused.err
    assert cluster.jobs() == []
    ended = story.lapcast("offload", "--resume-flag", "--from {checkpoint}").ok()
    assert "may be cut off by its limit of 1 min" in ended.err and minutes_asked(cluster) == 1


def test_a_job_file_is_taken_by_slurm_and_trains(story, cluster):
    high = probed(story)
    script = story.work / "job.sh"
    script.write_text(story.lapcast("rank", "--export", "sbatch").ok().out)
    lines = script.read_text().splitlines()
    assert "#SBATCH --partition=all" in lines
    [asked] = [line for line in lines if line.startswith("#SBATCH --time=")]
    hours, minutes, seconds = map(int, asked.split("=")[1].split(":"))
    assert 3600 * hours + 60 * minutes + seconds == pytest.approx(1.2 * 60 * high, abs=1)
    started = len(story.journal("start"))
    job = cluster.command("sbatch", "--parsable", f"--chdir={story.work}", "--export=ALL,"
                          + ",".join(f"{name}={value}" for name, value in story.environment.items()
                                     if name.startswith(("FAKE", "LAPCAST"))), script).strip()
    assert eventually(lambda: len(story.journal("start")) > started)
    cluster.command("scancel", job)


def test_a_training_in_sessions_goes_on_in_the_next_job(story, cluster):
    fleet(story)
    sessions = Sessions(story)
    process = story.start(*sessions.command("node", "--session-time", "4s"))
    sessions.waiting()  # this one ends at its session time
    cancelled = sessions.waiting()
    assert minutes_asked(cluster) == 11  # ten for what comes before and after it; Slurm counts whole minutes
    cluster.command("scancel", cancelled.split(".")[1])
    last = sessions.waiting()
    sessions.go.touch()
    out, err = process.communicate(timeout=conftest.HANGS)
    assert process.returncode == 0, (out, err)
    _, rows = check_sums(story, sessions.run("node").ok(), {"node": 1})
    assert [(row["laps"], row["lost_laps"]) for row in rows] == [(6, 1), (6, 1), (12, 0)]
    assert "session time of 4.00 s reached" in rows[0]["outcome"] and rows[2]["run"] == last.split(".")[0]
    calls = (sessions.files() / "calls").read_text().splitlines()
    assert [call.rsplit("/", 1)[-1] for call in calls] == ["", "epoch-2", "epoch-4"]
    assert cluster.jobs() == []


def test_without_a_cluster_there_is_no_job_file(story):
    story.lapcast("sweep", story.fleet('[[machine]]\nname = "here"\nprice = "1"\n').name, "--max-laps", 12,
                  "--", *story.trainer(*TRAINING)).ok()
    story.lapcast("rank", "--export", "sbatch").refused(1, "not a machine of a Slurm cluster")
    story.lapcast("offload", "--time-limit", "1h").refused(2, "--max-time limits a training anywhere")


@pytest.mark.skipif("LAPCAST_LONG_TESTS" not in os.environ, reason="waits for Slurm's limit: minutes")
def test_a_training_that_resumes_goes_on_after_the_limit(story, cluster):
    """It waits for its end after the third epoch, unless it begins from a checkpoint."""
    run = story.lapcast("offload", "--json", "--to", "node", "--resume-flag", "--from {checkpoint}",
                        "--checkpoints", "epoch-*", "--time-limit", "1m", fleet(story), "--",
                        *story.resumable()).ok().json["offloaded"]["id"]
    story.lapcast("attach", run).ok()
    story.lapcast("fetch", run, "--into", "results").ok()
    assert story.resumed(story.work / "results")["outcome"]["kind"] == "ended"
