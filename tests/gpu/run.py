#!/usr/bin/env python3
"""Runs lapcast on a GPU, part by part, and writes down what was found.

It needs a built lapcast (LAPCAST=FILE, else that of build/release) and a python3 with PyTorch and
CUDA, and no network, no root and nothing outside this folder. Without the name of a part it runs a
short form of every part, at most 8 minutes together; a named part runs whole, at most 8 minutes.
"""

import argparse
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import imitate
import report
from parts import PARTS, SHORT_S
from session import HERE, ROOT, Session, Skipped
from tree import be_their_reaper, end_all, end_tree

GRACE_S = 5  # from asking a part to end until it is killed


def options_of(arguments):
    parser = argparse.ArgumentParser(
        prog="./check --gpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Parts:\n" + "\n".join(f"  {p.name:13} {p.about}" for p in PARTS) + "\n\n"
        "Exit status: 0 when every part passed or was skipped with a reason, 1 when one failed, 2 for\n"
        "wrong usage, 6 without lapcast or a GPU, 130 after Ctrl-C.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="these, in their whole form")
    parser.add_argument("--list", action="store_true", help="list the parts and their limits")
    parser.add_argument("--short", action="store_true", help="the short form of the named parts")
    parser.add_argument("--into", type=Path, default=ROOT / "gpu-report", metavar="DIR",
                        help="folder of the report, whose files are replaced [gpu-report]")
    parser.add_argument("--change-settings", action="store_true",
                        help="let power-limits change the card's limit, which needs the right to")
    parser.add_argument("--imitate", action="store_true",
                        help="short forms against imitations of driver and device: no GPU is needed")
    parser.add_argument("--jobs", type=int, metavar="N",
                        help="parts at once [1; 4 with --imitate]: they disturb each other's times")
    parser.add_argument("--run-part", nargs=2, help=argparse.SUPPRESS)  # NAME FOLDER
    options = parser.parse_args(arguments)
    unknown = [name for name in options.parts if name not in [part.name for part in PARTS]]
    if unknown:
        parser.error(f"unknown part {unknown[0]}; --list shows them")
    return options


def die(text):
    print(f"check --gpu: {text}", file=sys.stderr)
    sys.exit(6)


def need_lapcast():
    os.environ.setdefault("LAPCAST", str(ROOT / "build" / "release" / "lapcast"))
    os.environ["LAPCAST"] = os.path.abspath(os.environ["LAPCAST"])
    try:
        return subprocess.run([os.environ["LAPCAST"], "--version"], capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        die(f"lapcast cannot be started: {error}; build it, or say LAPCAST=FILE")


def need_torch(imitated):
    """Returns the versions of Python and PyTorch; ends where there is no GPU for PyTorch."""
    look = ("import platform, torch; print('Python', platform.python_version() + ',', 'torch', "
            "torch.__version__); print(torch.cuda.is_available())")
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True)
    if done.returncode != 0:
        die(f"{sys.executable} cannot import torch: {(done.stderr.splitlines() or ['?'])[-1]}")
    versions, available = done.stdout.splitlines()
    if available != "True" and not imitated:
        die(f"{versions} finds no GPU; --imitate runs the parts against imitations")
    return versions


def run_part(name, folder, options):
    """Is the process of one part: runs it and leaves its record in its folder."""
    be_their_reaper()
    session = Session(name, Path(folder), bool(options.parts) and not options.short, options.imitate,
                      options.change_settings)
    [part] = [part for part in PARTS if part.name == name]
    try:
        importlib.import_module(part.module).run(session)
        ended = {"result": "passed" if session.passed() else "failed"}
    except Skipped as skipped:
        ended = {"result": "skipped", "reason": str(skipped)}
    except KeyboardInterrupt:
        ended = {"result": "failed", "reason": "interrupted"}
    except Exception as error:
        ended = {"result": "failed", "reason": f"{type(error).__name__}: {error}"[:500]}
    left = end_tree(os.getpid(), itself=False)
    if left:
        session.record["left_behind"] = left
    session.record.update(ended)
    keep_runs(session)
    session._save()


def keep_runs(session):
    """Exports the part's runs with their raw logs, for the report."""
    if Path(session.environment["LAPCAST_STORE"]).exists():
        session.lapcast("export", "-o", session.folder / "runs.jsonl", timeout=60)


class Parts:
    """Runs the parts as processes, so many at once, each within its limit."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.waiting = [p for p in PARTS if not options.parts or p.name in options.parts]
        self.jobs = options.jobs or (4 if options.imitate else 1)
        if self.jobs > 1:  # the longest ones begin first
            self.waiting.sort(key=lambda part: -part.short_s)
        self.running, self.records, self.interrupted = {}, [], False
        self.begin = time.monotonic()

    def overdue(self, part, begin):
        """Returns which limit a part has reached that began then, if any."""
        now = time.monotonic()
        whole = self.options.parts and not self.options.short
        # Against imitations only hanging counts, not how fast the machine is.
        limit = 600 if self.options.imitate else part.whole_s if whole else part.short_s
        if now - begin > limit:
            return f"took longer than its limit of {limit} s"
        if not self.options.parts and not self.options.imitate and now - self.begin > SHORT_S:
            return f"the {SHORT_S} s of all short forms were over"
        return None

    def start(self):
        part = self.waiting.pop(0)
        folder = self.folder / part.name
        flags = [f"--{flag}" for flag in ("short", "change-settings", "imitate")
                 if getattr(self.options, flag.replace("-", "_"))]
        process = subprocess.Popen(
            [sys.executable, HERE / "run.py", *flags, *self.options.parts, "--run-part", part.name, folder],
            start_new_session=True, stdin=subprocess.DEVNULL)
        self.running[part] = process, time.monotonic()

    def end(self, part, why=None):
        process, begin = self.running.pop(part)
        if why is not None:
            end_all(process.pid, GRACE_S)
        process.wait()
        file = self.folder / part.name / "record.json"
        record = json.loads(file.read_text()) if file.exists() else {}
        record = {"part": part.name, "checks": [], "figures": [], "left_out": []} | record
        if why is not None:
            record |= {"result": "failed", "reason": why}
        elif "result" not in record:
            record |= {"result": "failed", "reason": f"its process ended with {process.returncode}"}
        record["seconds"] = round(time.monotonic() - begin, 1)
        self.records.append(record)
        print(report.line_of(record), file=sys.stderr, flush=True)

    def run(self):
        while self.waiting or self.running:
            while self.waiting and len(self.running) < self.jobs:
                self.start()
            time.sleep(0.05)
            for part, (process, begin) in list(self.running.items()):
                if process.poll() is not None:
                    self.end(part)
                elif (why := self.overdue(part, begin)) is not None:
                    self.end(part, why)

    def interrupt(self):
        """Ends all parts, and notes those that have not run."""
        self.interrupted = True
        for part in list(self.running):
            self.end(part, "interrupted")
        for part in self.waiting:
            self.records.append({"part": part.name, "checks": [], "figures": [], "left_out": [],
                                 "result": "skipped", "reason": "interrupted before it began",
                                 "seconds": 0})


def interrupted(*_):
    raise KeyboardInterrupt


def main(arguments):
    options = options_of(arguments)
    if options.list:
        for part in PARTS:
            print(f"{part.name:13} {part.short_s:3} s, whole {part.whole_s:3} s  {part.about}")
        return 0
    if options.run_part:
        run_part(*options.run_part, options)
        return 0
    version = need_lapcast()
    versions = f"{version}, {need_torch(options.imitate)}"
    be_their_reaper()
    signal.signal(signal.SIGTERM, interrupted)
    folder = Path(tempfile.mkdtemp(prefix="lapcast-gpu-"))
    if options.imitate:
        imitate.prepare(folder)
    parts = Parts(options, folder)
    try:
        parts.run()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        parts.interrupt()
    order = [part.name for part in PARTS]
    parts.records.sort(key=lambda record: order.index(record["part"]))
    report.write(options, versions, parts.records, folder)
    end_tree(os.getpid(), itself=False)
    shutil.rmtree(folder, ignore_errors=True)
    if parts.interrupted:
        return 130
    return int(any(record["result"] == "failed" for record in parts.records))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
