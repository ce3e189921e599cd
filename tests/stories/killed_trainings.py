"""Offloads trainings whose processes are killed, for test_many_kills.py."""

import time
from collections import Counter
from contextlib import suppress

import sshd
from conftest import HANGS
from killed_work import KilledWork
from offloaded import HERE, RESUME, job, programs_of, recorder_of, worker_of

FLEET = HERE + sshd.fleet_entry("remote")


class KilledTrainings(KilledWork):
    """Offloads trainings, one after another, that go on from their checkpoints, and kills what works on them."""

    def __init__(self, folder, seed):
        super().__init__(folder, seed)
        self.story.fleet(FLEET)
        self.program = self.story.resumable()
        self.finished = 0
        self.forgotten = 0

    def begin(self, machine):
        """Offloads a training; returns its id, or nothing where lapcast was killed before it began."""
        process = self.story.start("offload", "--json", "--to", machine, *RESUME, "fleet.toml", "--", *self.program)
        if self.random.random() < 0.4:
            time.sleep(self.random.uniform(0, 0.5))
            self.kill_process("offload", process.pid)
        process.communicate(timeout=HANGS)
        rows = self.story.lapcast("jobs", "--json").ok().rows("jobs")
        if not rows:
            return None
        [row] = rows
        if not row["state"].startswith("never began"):
            return row["id"]
        assert f"offload --json --to {machine}" in row["state"] and row["state"].endswith("./train.sh")
        self.story.lapcast("cancel", "--forget", row["id"]).ok()
        self.forgotten += 1  # stays in the store, with its reason
        return None

    def checkpoints(self, folder):
        return {path.name: path.read_bytes() for path in folder.rglob("epoch-*") if path.read_bytes()}

    def round(self, run, record):
        """Kills one process of a training that goes on; returns its checkpoints then."""
        attached = self.story.start("attach", run)
        time.sleep(self.random.uniform(0, 0.8))
        before = self.checkpoints(record)
        kind = self.random.choice(["worker", "agent", "attach"])
        with suppress(OSError, ValueError):  # ValueError: no program runs, or its worker is gone
            self.kill_process(kind, {"worker": worker_of, "agent": recorder_of, "attach": lambda _: attached.pid}[kind](run))
        attached.kill()
        attached.communicate(timeout=HANGS)
        return before

    def next(self):
        machine = self.random.choice(["box", "remote"])
        run = self.begin(machine)
        if run is None:
            return
        cache = self.remote.cache() if machine == "remote" else self.story.folder / ".cache/lapcast"
        known = {}
        while job(self.story, run)["state"] != "ended":
            known |= self.round(run, cache / "runs" / run)
        results = self.story.work / f"results-{self.finished}"
        self.story.lapcast("fetch", run, "--into", results).ok()
        arrived = self.checkpoints(results)
        assert arrived == {f"epoch-{n}": f"{n}\n".encode() for n in range(1, 7)} and known.items() <= arrived.items()
        self.finished += 1
        stored = {each["id"]: each for each in self.story.export()}
        outcomes = Counter(each["outcome"]["kind"] for each in stored.values())
        assert outcomes == Counter({"ended": self.finished, "not-started": self.forgotten}), outcomes
        assert stored[run]["outcome"]["kind"] == "ended"
        # The laps of the last attempt are those behind the checkpoint that it went on from.
        [last] = (results / "calls").read_text().splitlines()[-1:]
        done = int(last.rsplit("epoch-", 1)[1]) if "epoch-" in last else 0
        laps = sum(line.split()[1:2] == ["i"] for log in stored[run]["lap_logs"] for line in log.splitlines())
        assert laps == 3 * (6 - done), (last, stored[run]["lap_logs"])
        assert not programs_of(run)
