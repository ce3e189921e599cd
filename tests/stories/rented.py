"""Provides a fake cloud for stories: lapcast rents from it under the name `fakecloud`."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "fakecloud"
sys.path.insert(0, str(FOLDER))
import fakecloud

HANGS = 60


class FakeCloud:
    """Is a cloud in a folder of its own. Its machines are namespaces that ssh reaches."""

    def __init__(self, folder):
        self.folder, self.root = folder, folder / "cloud"
        self.may_leave_machines = False

    def start(self, **config):
        """Starts it with offers=[...], traits={...} and seed=N, as tests/fakecloud/README.md tells."""
        # It is a process of its own, so that its end is seen as another's.
        subprocess.run([sys.executable, FOLDER / "fakecloud.py", "start", fakecloud.json.dumps(config)], check=True,
                       env={**os.environ, "FAKECLOUD": str(self.root)}, stdout=subprocess.DEVNULL)
        return self

    def stop(self):
        fakecloud.stop(self.root)

    def ask(self, verb, path, value=None, status=200):
        got, answer = fakecloud.ask(self.root, verb, path, value)
        assert got == status, answer
        return answer

    def fault(self, moment, kind, **more):
        self.ask("POST", "/faults", {"moment": moment, "kind": kind, **more})

    def happens(self, kind, **more):
        """Orders a fault in the life of a machine, and waits until a machine has it."""
        self.fault("life", kind, **more)
        self.wait(lambda: not any(fault["left"] for fault in self.ask("GET", "/faults")), f"fault {kind}")

    def heal(self):
        self.ask("DELETE", "/faults")

    def bill(self):
        """Returns what really is: cost, machines (with those that ended) and the ids of those alive."""
        return self.ask("GET", "/bill")

    def alive(self):
        return self.bill()["alive"]

    def until(self, machine, state):
        """Waits until a machine has that state, and returns it."""
        self.wait(lambda: self.machine(machine)["state"] == state, f"{machine['id']} {state}")
        return self.machine(machine)

    def machine(self, machine):
        return self.ask("GET", f"/machines/{machine['id']}")

    def wait(self, condition, what):
        end = time.monotonic() + HANGS
        while not condition():
            assert time.monotonic() < end, f"{what} did not come: {self.bill()}"
            time.sleep(0.02)


def fake_cloud(folder, environment):
    """Yields a cloud that is not started yet, for fixtures: environment is that of lapcast, with HOME."""
    if reason := fakecloud.why_not():
        pytest.skip(reason)
    cloud = FakeCloud(folder)
    adapters = Path(environment["HOME"]) / ".config/lapcast/rent"
    adapters.mkdir(parents=True, exist_ok=True)
    (adapters / "lapcast-rent-fakecloud").symlink_to(FOLDER / "lapcast-rent-fakecloud")
    environment["FAKECLOUD"] = str(cloud.root)
    yield cloud
    if cloud.root.exists():
        try:
            if not cloud.may_leave_machines:
                cloud.wait(lambda: not cloud.alive(), "the end of all rented machines")
        finally:
            cloud.stop()
