"""Tests kill -9 at random moments of a sweep: the store stays whole, nothing is left running, and
the same command finishes the sweep without repeating what was stored."""

import os
import random
import time
from collections import Counter

from conftest import HANGS, eventually, is_alive, workers_of

ROUNDS = 12
FLEET = "".join(f'[[machine]]\nname = "m{i}"\nprice = "0.{i}"\n[machine.environment]\nFAKE_NAME = "m{i}"\n'
                for i in range(1, 5))


def command(story):
    program = story.trainer("--laps", 1000, "--lap-ms", 6, "--batch", "{batch}", "--checkpoint")
    return ["sweep", story.fleet(FLEET).name, "--batch", "16,32", "--max-laps", 40, "--", *program]


def stored(story):
    """Returns the finished candidates of the store, or [] when there is no store."""
    ended = story.lapcast("export")
    assert ended.code == 0 or "does not exist" in ended.err, ended
    return story.export() if ended.code == 0 else []


def done(runs):
    return Counter((run["machine_type"]["name"], run["settings"]["batch"]) for run in runs
                   if run["outcome"]["kind"] != "interrupted")


def test_kill_9_at_random_moments_of_a_sweep(story):
    story.may_leave_run_folders = True
    moments = random.Random(20261120)
    before = {}
    for _ in range(ROUNDS):
        process = story.start(*command(story))
        time.sleep(moments.uniform(0, 0.6))
        process.kill()
        process.communicate(timeout=HANGS)
        runs = stored(story)
        now = {run["id"]: run for run in runs}
        assert all(now.get(run_id) == run for run_id, run in before.items()), "a stored run changed"
        assert all(count == 1 for count in done(runs).values()), "something finished was repeated"
        before = now
        if story.store.exists():
            story.check_store()
    assert eventually(lambda: not story.living())

    story.lapcast(*command(story)).ok()
    runs = stored(story)
    assert set(done(runs)) == {(f"m{i}", batch) for i in range(1, 5) for batch in ("16", "32")}
    assert all(count == 1 for count in done(runs).values())
    assert all(run in runs for run in before.values())
    story.check_store()
    assert story.run_folders() == []  # the folders of killed probes were removed too
    count = len(story.journal("start"))
    story.lapcast(*command(story)).ok()
    assert len(story.journal("start")) == count


def test_kill_9_of_a_supervisor_costs_one_row(story):
    story.may_leave_run_folders = True
    process = story.start(*command(story))
    assert eventually(lambda: story.journal("start"))
    victim = story.journal("start")[0]["pid"]
    [worker] = [child for child in workers_of(process.pid)]
    os.kill(worker, 9)
    assert eventually(lambda: not is_alive(victim))
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 1, err
    runs = stored(story)
    lost = [run for run in runs if run["outcome"]["kind"] == "not-ended"]
    assert len(runs) == 8 and len(lost) == 1
    assert "worker process died (Killed)" in lost[0]["outcome"]["why"]


def test_kill_9_with_children_that_linger(story):
    """The supervisor lives longer than its coordinator and cleans up."""
    story.may_leave_run_folders = True
    fleet = story.fleet(FLEET)
    program = story.trainer("--laps", 100000, "--setsid-children", 2, "--ignore-term")
    process = story.start("sweep", fleet.name, "--grace", "500ms", "--", *program)
    assert eventually(lambda: len(story.journal("child")) == 2)
    process.kill()
    process.communicate(timeout=HANGS)
    assert eventually(lambda: not story.living())
    assert eventually(lambda: story.run_folders() == [])
