"""Gives the parts of `./check --gpu` what they share: lapcast as a user runs it, checks, figures,
and a record of both that survives the part's end."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import lap_log  # noqa: E402


class Skipped(Exception):
    """Ends a part that cannot run here, with its reason."""


class Done:
    """Holds the result of a command."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    @property
    def json(self):
        return json.loads(self.out[self.out.index("{"):])

    @property
    def truth(self):
        """Returns what the program said at its end that it had done."""
        told = re.findall(r"^truth (\{.*\})$", self.out, re.M)
        return json.loads(told[-1]) if told else {}


class Run:
    """Is a run of the store with its raw logs, as lapcast exports it."""

    def __init__(self, record):
        self.record = record
        texts = record["lap_logs"]
        self.loads = [text for text in texts if "emitter=lapcast-load/" in text]
        self.texts = [text for text in texts if text not in self.loads]

    def laps(self):
        """Returns the number of laps of the log that has the most."""
        return max([len(re.findall(r"^\d+ [iq] ", text, re.M)) for text in self.texts] + [0])

    def known_ends(self):
        """Returns for how many laps the end of their work is known."""
        def of(text):
            ended = set(re.findall(r"^\d+ ended (\d+) ", text, re.M))
            waited = [str(n) for n, kind in enumerate(re.findall(r"^\d+ ([iq]) ", text, re.M), 1)
                      if kind == "i"]
            return len(ended.union(waited))
        return max(map(of, self.texts), default=0)

    def gpu_lines(self):
        """Returns the samples of each GPU: {number: [{time_s, busy, memory, of}]}."""
        found = {}
        for text in self.loads:
            for at, gpu, rest in re.findall(r"^(\d+) gpu (\d+)(.*)$", text, re.M):
                fields = {key: int(value) for key, value in lap_log.fields_of(rest).items()}
                found.setdefault(int(gpu), []).append({"time_s": int(at) / 1e9, **fields})
        return found

    def load_fields(self, key):
        return [int(value) for text in self.loads
                for value in re.findall(rf" {key}=(\d+)", text)]


class Session:
    """Is a part while it runs. `whole` tells whether its whole form was asked for, `imitated`
    whether the GPU is an imitation."""

    def __init__(self, part, folder, whole, imitated, changes_settings=False):
        self.part, self.folder, self.whole, self.imitated = part, folder, whole, imitated
        self.changes_settings = changes_settings
        self.work = folder / "work"
        self.work.mkdir(parents=True)
        self.record = {"part": part, "checks": [], "figures": [], "left_out": []}
        self.begin = time.monotonic()
        (folder / "config").mkdir()
        waits = "no-wait = true\n" if imitated else ""
        (folder / "config" / "lapcast.toml").write_text(waits)
        self.environment = {
            **os.environ, "LAPCAST_STORE": str(folder / "lapcast.db"), "LC_ALL": "C.UTF-8",
            "XDG_CONFIG_HOME": str(folder / "config"), "XDG_CACHE_HOME": str(folder / "cache"),
            "HF_HUB_OFFLINE": "1", "FAKE_SMI_LIMITS": str(folder / "limits")}

    # What is found.

    def _save(self):
        text = json.dumps(self.record)
        (self.folder / "record.new").write_text(text)
        os.replace(self.folder / "record.new", self.folder / "record.json")

    def check(self, holds, text):
        """Notes whether what must hold did; the part fails where it did not."""
        self.record["checks"].append({"text": text, "ok": bool(holds)})
        self._save()
        return bool(holds)

    def figure(self, name, value, goal=None):
        """Notes a figure. With a goal, a function of the value and its text, it is judged, though
        not against an imitation: its times say nothing about a GPU."""
        entry = {"name": name, "value": value}
        if goal is not None:
            reaches, entry["goal"] = goal
            entry["met"] = value is not None and bool(reaches(value))
            entry["judged"] = not self.imitated
        self.record["figures"].append(entry)
        self._save()
        return value

    def left_out(self, what, why):
        """Notes what could not be tried here, and why."""
        self.record["left_out"].append(f"{what}: {why}")
        self._save()

    def passed(self):
        missed = [f for f in self.record["figures"] if f.get("judged") and not f["met"]]
        return not missed and all(check["ok"] for check in self.record["checks"])

    # What is run.

    def seconds(self, short, whole):
        return whole if self.whole else short

    def program(self, name, *options):
        return [sys.executable, str(HERE / "programs" / f"{name}.py"), *map(str, options)]

    def queued(self, *options):
        """Returns a program on the imitated device that starts fast, because it needs no PyTorch."""
        return [sys.executable, str(ROOT / "tests" / "queued_device.py"), *map(str, options)]

    def run(self, *command, env=None, timeout=None, **options):
        """Runs a command to its end and keeps its output in the part's log."""
        begin = time.monotonic()
        with open(self.folder / "output.log", "a") as log:
            print("$", *command, file=log, flush=True)
            done = subprocess.run(
                list(map(str, command)), env={**self.environment, **(env or {})}, cwd=self.work,
                stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                timeout=timeout, **options)
            result = Done(done.returncode, done.stdout, done.stderr, time.monotonic() - begin)
            print(done.stdout + done.stderr + f"exit status {done.returncode}, "
                  f"{result.seconds:.2f} s\n", file=log)
        return result

    def lapcast(self, *arguments, **options):
        return self.run(os.environ["LAPCAST"], *arguments, **options)

    def probe(self, *options, program, **more):
        return self.lapcast("probe", "--json", *options, "--", *program, **more)

    def watch(self, *options, program, **more):
        return self.lapcast("watch", *options, "--", *program, **more)

    def show(self, run="last", *options):
        return self.lapcast("show", run, "--json", *options).json

    def export(self, run="last"):
        return Run(json.loads(self.lapcast("export", run).out))

    # What is there.

    def has(self, *modules):
        """Returns whether the Python of the programs has these modules."""
        look = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))"
        return self.run(sys.executable, "-c", look, *modules).code == 0

    def lacks(self, what, *modules):
        """Returns whether modules are missing, and then notes what was left out."""
        missing = [module for module in modules if not self.has(module)]
        if missing:
            self.left_out(what, f"{', '.join(missing)} not installed")
        return bool(missing)

    def needs(self, *programs):
        """Skips the part where a program is not on the PATH."""
        for program in programs:
            if shutil.which(program) is None:
                raise Skipped(f"there is no {program}")

    def needs_driver(self):
        """Skips the part where not even an imitation of the driver can be had."""
        if os.environ.get("LAPCAST_GPU_NO_DRIVER"):
            raise Skipped(os.environ["LAPCAST_GPU_NO_DRIVER"])
