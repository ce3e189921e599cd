"""Tests hundreds of kill -9 of every process of a sweep: its coordinator, its workers, the
programs, and lapcast on a machine that is reached by ssh. No finished probe is lost or doubled, the
store stays whole, and after the next start no killed process is left. The same holds of offloaded
trainings and of transfers: no lap and no checkpoint is lost, and each file arrives as it is."""

import os
import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

import sshd
from conftest import HANGS, enter_own_network, eventually, is_alive
from killed_trainings import KilledTrainings
from killed_transfers import KilledTransfers
from killed_work import KilledWork

LONG = bool(os.environ.get("LAPCAST_LONG_TESTS"))
KILLS = 300 if LONG else 60
OTHER_KILLS = 60 if LONG else 10  # of trainings that are offloaded, and as many of transfers
PARALLEL_SWEEPS = 5
BATCHES = 10  # values of the swept setting, each on two machines
FLEET = """[[machine]]
name = "plain"
price = "0.1"
cpus = "{cpu}"
[[machine]]
name = "remote"
host = "remote"
price = "0.2"
"""


def children_of(pid):
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def agents_on(machine):
    """Returns the processes of lapcast that record a run on a machine, and their workers."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            environment = (process / "environ").read_bytes()
            if (f"HOME={machine.home}\0".encode() in environment
                    and b"lapcast" in (process / "exe").readlink().name.encode()):
                found.append(int(process.name))
    return found


class KilledSweep(KilledWork):
    """Runs a sweep that is killed and restarted on one store, and a new sweep when one is
    finished."""

    def __init__(self, folder, number):
        super().__init__(folder, number)
        cpus = sorted(os.sched_getaffinity(0))
        self.story.fleet(FLEET.format(cpu=cpus[number % len(cpus)]))
        self.sweep = 0
        self.known = {}  # stored runs by id, which must never change

    def command(self):
        batches = ",".join(str(100 * self.sweep + n) for n in range(1, BATCHES + 1))
        program = self.story.trainer("--laps", 1000, "--lap-ms", 3, "--batch", "{batch}",
                                     "--setsid-children", 1)
        return ["sweep", "fleet.toml", "--batch", batches, "--max-laps", 8, "--grace", "200ms",
                "--", *program]

    # Victims ---------------------------------------------------------------------------------

    def victims(self, kind, coordinator):
        if kind == "worker":
            return children_of(coordinator)
        if kind == "program":
            started = [line["pid"] for line in self.story.journal("start")[-4:]]
            return [pid for pid in started if is_alive(pid, self.story.journal_file)]
        return agents_on(self.remote)

    def kill(self, kind, coordinator):
        pids = self.victims(kind, coordinator)
        if pids:
            self.kill_process(kind, self.random.choice(pids))

    # What has to hold ------------------------------------------------------------------------

    def stored(self):
        if not self.story.store.exists():
            return {}
        with closing(sqlite3.connect(self.story.store, timeout=20)) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            rows = database.execute("SELECT id, sweep, machine_type, settings, outcome, record "
                                    "FROM runs").fetchall()
        return {row[0]: row for row in rows}

    def check_store(self):
        now = self.stored()
        for run, row in self.known.items():
            assert now.get(run) == row, f"the stored run {run} was lost or changed"
        counts = Counter(row[1:4] for row in now.values() if row[4] != "interrupted")
        doubled = {candidate: count for candidate, count in counts.items() if count > 1}
        assert not doubled, f"finished probes were repeated: {doubled}"
        self.known = now
        return counts

    def round(self):
        """Makes one start and several kills, the last one of the coordinator."""
        left = self.story.run_folders()
        old = self.story.living()
        process = self.story.start(*self.command())
        for kind in self.random.choices(["worker", "program", "agent"], k=self.random.randint(1, 4)):
            time.sleep(self.random.uniform(0, 0.25))
            self.kill(kind, process.pid)
        time.sleep(self.random.uniform(0, 0.1))
        if process.poll() is None and self.random.random() < 0.8:
            process.kill()
            self.killed["coordinator"] += 1
        _, err = process.communicate(timeout=HANGS)
        assert process.returncode in (0, 1, -9), err
        if process.returncode >= 0:
            self.sweep += 1
        self.check_store()
        if process.returncode >= 0 or len(self.story.journal()) > 0:
            gone = eventually(lambda: not [f for f in left if f.exists()]
                              and not set(old) & set(self.story.living()), 30)
            assert gone, f"left of an earlier start: {left} {old}"

    def finish(self):
        """Finishes the current sweep: each candidate once, and no process left on any machine."""
        process = self.story.start(*self.command())
        _, err = process.communicate(timeout=HANGS)
        assert process.returncode in (0, 1), err
        counts = self.check_store()
        [sweep] = {candidate[0] for candidate in counts
                   if f"batch={100 * self.sweep + 1}" == candidate[2]}
        assert sum(1 for candidate in counts if candidate[0] == sweep) == 2 * BATCHES
        assert self.story.run_folders() == []
        assert eventually(lambda: not self.story.living()), self.story.living()
        assert eventually(lambda: self.remote.runs() == []), self.remote.runs()
        assert eventually(lambda: not agents_on(self.remote))

    def stop(self):
        self.network.stop()
        for pid in self.story.living():
            with suppress(ProcessLookupError):
                os.kill(pid, 9)


def kills_of_a_sweep(folder, number):
    enter_own_network()
    sshd.raise_loopback()
    killed_sweep = KilledSweep(folder, number)
    try:
        while sum(killed_sweep.killed.values()) < KILLS // PARALLEL_SWEEPS:
            killed_sweep.round()
        killed_sweep.finish()
        return killed_sweep.killed
    finally:
        killed_sweep.stop()


@pytest.mark.skipif(bool(sshd.why_not_here()), reason=sshd.why_not_here())
def test_kills_of_sweeps_lose_and_double_nothing(tmp_path):
    killed = Counter()
    with ThreadPoolExecutor(PARALLEL_SWEEPS) as pool:
        for count in pool.map(lambda n: kills_of_a_sweep(tmp_path / f"sweep-{n}", n),
                              range(PARALLEL_SWEEPS)):
            killed += count
    print("killed:", dict(killed))
    assert set(killed) == {"coordinator", "worker", "program", "agent"} and sum(killed.values()) >= KILLS


def kills_of(kind, folder, least):
    enter_own_network()
    sshd.raise_loopback()
    others = kind(folder, 1)
    try:
        while sum(others.killed.values()) < OTHER_KILLS or others.finished < least:
            others.next()
        others.story.check_store()
        return others.killed
    finally:
        others.network.stop()


@pytest.mark.skipif(bool(sshd.why_not_here()), reason=sshd.why_not_here())
@pytest.mark.parametrize(("kind", "least"), [(KilledTrainings, 2), (KilledTransfers, 4)])
def test_kills_of_what_is_sent_lose_no_lap_no_checkpoint_and_no_file(tmp_path, kind, least):
    with ThreadPoolExecutor(1) as pool:
        killed = pool.submit(kills_of, kind, tmp_path / "others", least).result()
    print("killed:", dict(killed))
    assert sum(killed.values()) >= OTHER_KILLS
