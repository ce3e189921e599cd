"""Offloads trainings, and finds the processes that run them."""

import os
import signal
from pathlib import Path

HERE = '[[machine]]\nname = "box"\nprice = "0.36"\ncpus = "0"\n'
RESUME = ["--resume-flag", "--from {checkpoint}", "--checkpoints", "epoch-*"]


def offload(story, *options, code=0):
    ended = story.lapcast("offload", "--json", *options).ok(code)
    return ended.json["offloaded"]["id"]


def job(story, run):
    [row] = [row for row in story.lapcast("jobs", "--json").ok().rows("jobs")
             if row["id"] == run]
    return row


def processes_of(run):
    """Returns the processes that name a run in their command lines: its recorder, and its program."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if run.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def kill_all_of(run):
    """Kills the recorder and its program, as a power failure of their machine does."""
    for pid in processes_of(run):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def programs_of(run):
    """Returns the processes of a training's program, with their parents."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if run.encode() in (process / "environ").read_bytes().split(b"LAPCAST_RUN_DIR=")[-1]:
                fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
                if fields[0] != "Z" and b"train.sh" in (process / "cmdline").read_bytes():
                    found[int(process.name)] = int(fields[1])
        except OSError:
            pass
    return found


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def worker_of(run):
    """Returns the process of lapcast that started the program."""
    found = programs_of(run)
    [worker] = set(found.values()) - set(found)
    return worker


def recorder_of(run):
    return parent_of(worker_of(run))
