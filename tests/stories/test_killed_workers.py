"""Tests that the processes and the folder of a killed worker's program are removed, and nothing
else."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import HANGS, eventually, is_alive, workers_of

FLEET = '[[machine]]\nname = "m"\nprice = "1"\n'


def children(story):
    return [line["child"] for line in story.journal("child")]


def start(story, *options):
    """Starts a probe whose program has left two children in their own sessions. Returns (lapcast,
    its worker)."""
    program = story.trainer("--laps", 100000, "--setsid-children", 2)
    process = story.start("sweep", story.fleet(FLEET).name, *options, "--", *program)
    assert eventually(lambda: len(children(story)) == 2)
    [worker] = workers_of(process.pid)
    return process, worker


@pytest.mark.parametrize("clean", [False, True], ids=["with-environment", "without-environment"])
def test_o_processes_of_a_killed_worker_end(story, clean):
    if clean:  # they are known as children of lapcast, not by their environment
        story.environment["FAKE_TRAINER"] = os.environ["FAKE_TRAINER"]
        program = ["env", "-i", *story.trainer("--silent", 100, "--setsid-children", 2)]
        process = story.start("sweep", story.fleet(FLEET).name, "--", *program)
        assert eventually(lambda: len(children(story)) == 2)
        [worker] = workers_of(process.pid)
    else:
        process, worker = start(story)
    bystander = subprocess.Popen(["sleep", "600"], start_new_session=True)
    os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 1 and b"worker process died (Killed)" in err, err
    assert not [pid for pid in children(story) if is_alive(pid)]
    assert story.run_folders() == []
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_a_killed_worker_keeps_the_laps_and_the_time_of_its_run(story):
    """Its candidate stays a row with the reason, and is not forecast."""
    program = story.trainer("--laps", 100000, "--lap-ms", 5)
    fleet = story.fleet('[[machine]]\nname = "m"\nprice = "3600"\n').name
    process = story.start("sweep", fleet, "--precision", "0.0001%", "--budget", "600s", "--", *program)
    assert eventually(lambda: sum(text.count(" i ") for text in lap_logs(story)) > 20)
    [worker] = workers_of(process.pid)
    os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1 and b"worker process died (Killed) after " in err, err
    [run] = story.export()
    assert run["outcome"]["kind"] == "not-ended" and run["lap_logs"][0].count(" i ") > 20
    assert run["ended_ns"] - run["started_ns"] >= 20 * 5e6  # laps of 5 ms
    ranked = story.lapcast("rank", "--json")
    assert ranked.rows("candidates") == []
    [excluded] = ranked.rows("excluded")
    assert "worker process died (Killed)" in excluded["reason"]
    assert story.run_folders() == []


def lap_logs(story):
    return [log.read_text() for folder in story.run_folders() for log in folder.glob("laps/laps.*.log")]


def test_o_children_that_lapcast_did_not_start_are_left_alone(story):
    """The process is a background child of a shell that became lapcast."""
    program = story.trainer("--laps", 100000, "--setsid-children", 2)
    fleet = story.fleet(FLEET).name
    script = 'sleep 600 >/dev/null 2>&1 & echo $!; exec "$@"'
    process = subprocess.Popen(["sh", "-c", script, "sh", os.environ["LAPCAST"], "sweep", fleet, "--",
                                *map(str, program)], env=story.environment, cwd=story.work,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    sleeper = int(process.stdout.readline())
    assert eventually(lambda: len(children(story)) == 2)
    [worker] = [pid for pid in workers_of(process.pid) if pid != sleeper]
    os.kill(worker, signal.SIGKILL)
    assert eventually(lambda: not [pid for pid in children(story) if is_alive(pid)])
    process.communicate(timeout=HANGS)
    with open(f"/proc/{sleeper}/stat", encoding="ascii") as file:
        assert file.read().rsplit(")", 1)[1].split()[0] != "Z"
    os.kill(sleeper, signal.SIGKILL)


def kill_worker(pid):
    """Returns when it is dead, which takes a moment on a busy machine, or a zombie."""
    os.kill(pid, signal.SIGKILL)

    def is_dead():
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            return True
    assert eventually(is_dead)


def killed_with_its_worker(story):
    """Kills both at once, so that neither can end the program."""
    process, worker = start(story)
    process.send_signal(signal.SIGSTOP)
    kill_worker(worker)
    process.kill()
    process.communicate(timeout=HANGS)
    return [pid for pid in children(story) if is_alive(pid)]


def test_o_the_next_start_ends_processes_of_a_killed_lapcast_and_worker(story):
    assert len(killed_with_its_worker(story)) == 2
    assert len(story.run_folders()) == 1
    story.probe("--max-laps", 5).ok()
    assert not [pid for pid in children(story) if is_alive(pid)]


def test_o_a_process_that_only_has_the_name_of_another_folder_is_left_alone(story):
    environment = story.environment | {"LAPCAST_RUN_DIR": str(story.temporary / "lapcast-run-1-0" / "run")}
    bystander = subprocess.Popen(["sleep", "600"], env=environment)
    killed_with_its_worker(story)
    story.probe("--max-laps", 5).ok()
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_p_the_folder_of_a_worker_that_is_a_zombie_is_removed(story):
    """Its lapcast has had no time to see that it died."""
    process, worker = start(story)
    [folder] = story.run_folders()
    process.send_signal(signal.SIGSTOP)
    kill_worker(worker)
    story.probe("--max-laps", 5).ok()
    assert not folder.exists()
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=HANGS)
    assert process.returncode == 1


def test_p_the_folder_of_a_living_lapcast_stays(story):
    process, _ = start(story)
    [folder] = story.run_folders()
    assert f"lapcast-run-{workers_of(process.pid)[0]}." in str(folder)
    story.lapcast("watch", "--", "true")  # it waits for no CPU
    assert folder.exists()
    process.terminate()
    process.communicate(timeout=HANGS)
