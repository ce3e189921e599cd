"""Records sweeps: one store a file, each with the probes of one sweep and real runs of all its
candidates."""

import argparse
import contextlib
import json
import lzma
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import threading
import time
import zlib

from common import ROOT, demo_settings

CANDIDATES = ROOT / "examples/one-box.toml"
RECORDED = ROOT / "benchmarks/recorded"  # of several machines; part of the repository


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("build")
    parser.add_argument("--folder", default=str(RECORDED), metavar="FOLDER",
                        help="where the recorded sweeps are; more are added to them")
    parser.add_argument("--hours", type=float, default=0, help="record for so long")
    parser.add_argument("--sweeps", type=int, default=10, help="record until there are so many")
    parser.add_argument("--replay", metavar="FOLDER", help="judge what is there, record nothing")
    parser.add_argument("--real-runs", type=int, metavar="N",
                        help="of each candidate beside a sweep that is recorded [quiet: 5, else 2]")
    parser.add_argument("--half", choices=["even", "odd"],
                        help="judge the sweeps with even or odd numbers only")
    return parser.parse_args()


class Neighbour:
    """Keeps one CPU busy in random bursts of 0.2 to 20 s, half of the time."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def seconds(self):
        """Returns the length of a burst, or of the pause after one: log-uniform."""
        return 0.2 * 100 ** self.random.random()

    def run(self):
        while not self.ended.is_set():
            busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
            self.ended.wait(self.seconds())
            busy.kill()
            busy.wait()
            self.ended.wait(self.seconds())


class Thief:
    """Takes a share of every CPU in slices of a few milliseconds, as a host does. The share changes
    in steps; they are written to a file. Needs the right to use real-time priorities."""

    def __init__(self, seed, draft):
        self.steps = draft.with_suffix(".steps")
        self.command = [sys.executable, pathlib.Path(__file__).with_name("thief.py"), str(seed),
                        self.steps]

    def __enter__(self):
        self.process = subprocess.Popen(self.command)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


# Each begins a condition, from the number of the sweep and the draft of its file.
CONDITIONS = {
    "quiet": lambda number, draft: contextlib.nullcontext(),
    "neighbour": lambda number, draft: Neighbour(number),
    "steal": Thief,
}
# The real runs of each candidate, in turn; the regret is measured on those of the quiet machine.
REAL_RUNS = {"quiet": 5, "neighbour": 2, "steal": 2}
# Hides from lapcast what it could otherwise see, as where a host takes the time.
HIDDEN = {"steal": {"LAPCAST_LOAD_SAMPLES": "off"}}


def recorded(folder, condition):
    """Returns the packed stores of a condition, in the order of their numbers."""
    return sorted(pathlib.Path(folder).glob(f"{condition}-[0-9]*.db.xz"))


def number_of(file):
    return int(file.name.split(".")[0].rsplit("-", 1)[1])


def pack(store, packed):
    """Writes a store as a small file: without the laps of real runs, whose times judge, and without
    the paths of the machine that it was recorded on."""
    with contextlib.closing(sqlite3.connect(store)) as database:
        rows = database.execute("SELECT seq, kind, record FROM runs").fetchall()
        for seq, kind, record in rows:
            line = record if isinstance(record, bytes) else record.encode()
            run = json.loads(zlib.decompress(line) if line[:1] == b"x" else line)
            run["standard_output"] = run["standard_error"] = ""
            run["working_dir"] = "/"
            run["program"] = [pathlib.PurePath(word).name for word in run["program"]]
            if kind == "full":
                run["lap_logs"] = []
            line = json.dumps(run, separators=(",", ":")).encode()
            kept = zlib.compress(line) if len(line) > 8192 else line
            database.execute("UPDATE runs SET record_bytes = ?, record = ?, program = ? WHERE "
                             "seq = ?", (len(line), kept, " ".join(run["program"]), seq))
        database.execute("UPDATE sweeps SET fleet_file = ?, description = '{}'",
                         (CANDIDATES.name,))
        database.commit()
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("VACUUM")
    packed.write_bytes(lzma.compress(store.read_bytes()))


def unpack(packed, store):
    store.write_bytes(lzma.decompress(packed.read_bytes()))


def record(options, condition):
    """Records sweeps until there are enough. One that is interrupted is not kept."""
    folder = pathlib.Path(options.folder)
    work = pathlib.Path(options.build) / "truth"
    for each in (folder, work):
        each.mkdir(parents=True, exist_ok=True)
    digits = work / "digits"
    settings = demo_settings()
    workloads = pathlib.Path(options.build) / "workloads"
    if not digits.exists():
        subprocess.run([workloads / "make-digits", "--out", digits, "--train",
                        settings["DEMO_TRAIN"], "--test", settings["DEMO_VALIDATION"]], check=True,
                       stdout=subprocess.DEVNULL)
    end = time.monotonic() + 3600 * options.hours
    while time.monotonic() < end or (options.hours == 0 and
                                     len(recorded(folder, condition)) < options.sweeps):
        files = recorded(folder, condition)
        number = number_of(files[-1]) + 1 if files else 1
        begun = time.monotonic()
        draft = work / f"{condition}.draft"
        for old in work.glob(f"{condition}.draft*"):
            old.unlink()
        environment = os.environ | HIDDEN.get(condition, {})
        with CONDITIONS[condition](number, draft):
            sweep_and_verify(options.build, draft, digits, settings,
                             options.real_runs or REAL_RUNS[condition], environment)
        if draft.with_suffix(".steps").exists():
            draft.with_suffix(".steps").rename(folder / f"{condition}-{number:03}.steps")
        pack(draft, folder / f"{condition}-{number:03}.db.xz")
        print(f"{condition} {number}: recorded in {time.monotonic() - begun:.0f} s", flush=True)


def sweep_and_verify(build, store, digits, settings, real_runs, environment):
    def run(*arguments, fine=(0,)):
        command = [f"{build}/lapcast", "--store", store, "--quiet", *arguments]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, env=environment)
        if done.returncode not in fine:
            raise SystemExit(f"{arguments[0]} ended with exit code {done.returncode}")

    # Exit code 1: a machine type that cannot run on this machine is a row with its reason.
    run("sweep", CANDIDATES, "--batch", settings["DEMO_BATCH"], "--budget", "12s", "--",
        pathlib.Path(build) / "workloads/mnist-cnn", "--data", digits, "--batch", "{batch}",
        "--epochs", settings["DEMO_EPOCHS"], fine=(0, 1))
    run("verify", "--all", "--repeats", str(real_runs))
