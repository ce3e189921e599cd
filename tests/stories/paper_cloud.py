#!/usr/bin/env python3
"""Is an adapter for lapcast whose machines exist on paper only: nothing boots, everything is billed, and it
fails as it was told. Stories import it, and lapcast runs it as lapcast-rent-paper. Its file
$PAPER_CLOUD has the truth."""

import contextlib
import fcntl
import json
import os
import signal
import sys
import time
from pathlib import Path

DESCRIPTION = {"contract": 1, "name": "Paper", "idempotent": True, "deadline": "provider", "tags": True,
               "settle_seconds": 0.3, "by_hand": "burn MACHINE"}


class PaperCloud:
    def __init__(self, file):
        self.file = Path(file)

    @contextlib.contextmanager
    def truth(self):
        """Gives the truth, which is written back."""
        with open(self.file, "a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            truth = json.loads(file.read() or "{}") or {
                "description": dict(DESCRIPTION), "machines": [], "faults": [], "calls": []}
            yield truth
            file.seek(0)
            file.truncate()
            json.dump(truth, file)

    def install(self, environment):
        folder = Path(environment["HOME"]) / ".config/lapcast/rent"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lapcast-rent-paper").symlink_to(Path(__file__).resolve())
        environment["PAPER_CLOUD"] = str(self.file)
        return self

    def describe(self, **members):
        with self.truth() as truth:
            truth["description"].update(members)

    def fault(self, verb, kind, left=1):
        with self.truth() as truth:
            truth["faults"].append({"verb": verb, "kind": kind, "left": left})

    def machines(self):
        with self.truth() as truth:
            return truth["machines"]

    def alive(self):
        return [each["machine"] for each in self.machines() if lives(each)]

    def calls(self, verb):
        with self.truth() as truth:
            return truth["calls"].count(verb)


def lives(machine):
    return machine["ended"] is None and time.time() < machine["deadline"]


def shown(machine):
    state = "running" if lives(machine) else "gone"
    names = ("lease", "machine", "zone", "usd_per_hour", "created")
    return {name: machine[name] for name in names} | {"state": state, "costs": lives(machine)}


def make(truth, ask):
    if truth["description"]["idempotent"]:
        for machine in truth["machines"]:
            if machine["lease"] == ask["lease"]:
                return machine
    truth["machines"].append({
        "lease": ask["lease"], "machine": f"p-{len(truth['machines']) + 1}", "zone": ask["zone"],
        "usd_per_hour": "0.36", "created": time.time(), "deadline": time.time() + ask["seconds"], "ended": None})
    return truth["machines"][-1]


def kill_lapcast():
    os.kill(os.getppid(), signal.SIGKILL)
    sys.exit(1)


def create(truth, ask, fault):
    if fault in ("capacity", "quota", "credentials"):
        return {"error": fault, "text": "as ordered"}
    machine = make(truth, ask)
    if fault == "made but error":
        return {"error": "unclear", "text": "an internal error has occurred"}
    return None if fault in ("no answer", "kill after") else shown(machine)


def list_all(truth, _, fault):
    if fault == "error":
        return {"error": "unclear", "text": "no list today"}
    machines = [] if fault in ("empty", "incomplete") else [shown(each) for each in truth["machines"]]
    return {"machines": machines, "complete": fault != "incomplete"}


def delete(truth, ask, fault):
    if fault == "error":
        return {"error": "limit", "text": "too many requests"}
    for machine in truth["machines"]:
        if machine["machine"] == ask["machine"] and machine["ended"] is None and fault != "lies":
            machine["ended"] = time.time()
    return {}


def main(verb):
    ask = json.load(sys.stdin)
    with PaperCloud(os.environ["PAPER_CLOUD"]).truth() as truth:
        truth["calls"].append(verb)
        fault = next((each for each in truth["faults"] if each["verb"] == verb and each["left"]), None)
        if fault:
            fault["left"] -= 1
        kind = fault and fault["kind"]
        if kind == "kill before":
            answer = None
        elif verb == "describe":
            answer = truth["description"]
        elif verb == "offers":
            answer = [{"type": "sheet", "usd_per_hour": "0.36"}]
        else:
            answer = {"create": create, "list": list_all, "delete": delete}[verb](truth, ask, kind)
    if kind in ("kill before", "kill after"):
        kill_lapcast()
    if answer is not None:
        print(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1])
