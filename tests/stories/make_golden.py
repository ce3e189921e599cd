#!/usr/bin/env python3
"""Makes tests/golden/stories/runs.jsonl anew from two sweeps of the fake trainer, with the
properties of the machine replaced. Then run test_rank.py with UPDATE_GOLDEN=1 and read the
difference. Usage: LAPCAST=... FAKE_TRAINER=... make_golden.py"""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "stories"
FLEET = '[prices]\nas_of = "2026-11-01"\nsource = "made up"\n' + "".join(
    f'[[machine]]\nname = "{name}"\nprice = "{price}"\n[machine.environment]\nFAKE_SPEED = {speed}\n'
    for name, price, speed in (("small", "0.10", 1), ("medium", "0.21", 2), ("large", "0.72", 6)))
MACHINE = {"host": "box", "os": "Linux", "cpu_model": "a CPU", "architecture": "x86_64",
           "isa": "AVX2", "hypervisor": "", "sockets": 1, "cores": 2, "threads": 2,
           "allowed_cpus": [0, 1]}


def sweep(folder, store, *options, program):
    (folder / "fleet.toml").write_text(FLEET)
    subprocess.run([os.environ["LAPCAST"], "--store", store, "sweep", "fleet.toml", "--batch",
                    "32,64", "--max-laps", "22", *options, "--", *program], cwd=folder, check=False)
    text = subprocess.run([os.environ["LAPCAST"], "--store", store, "export"], cwd=folder, check=True,
                          capture_output=True).stdout.decode()
    return [json.loads(line) for line in text.splitlines()]


def made_anonymous(run, number, sweep_number):
    run |= {"id": f"{number:012x}", "sweep": f"5eeb{sweep_number:08x}",
            "working_dir": "/home/user/training", "machine": MACHINE,
            "started_at": f"2026-11-20T12:{number:02}:00Z"}
    run["program"] = ["./train", *run["program"][-run["program"][::-1].index("--marker"):]]
    offset = run["started_ns"] - 1_000_000_000
    for key in ("started_ns", "ended_ns", "stop_sent_ns"):
        if key in run:
            run[key] -= offset
    run["lap_logs"] = [
        re.sub(r"clock=(\d+) wall=\S+ pid=\d+(.*) host=\S+",
               lambda found: f"clock={int(found[1]) - offset} wall=1790000000.0 pid=1{found[2]} host=box",
               log) for log in run["lap_logs"]]
    return run


def main():
    trainer = os.environ["FAKE_TRAINER"]
    shell = ("if [ $FAKE_SPEED = 6 ] && [ $3 = 64 ]; then echo out of memory >&2; exit 9; fi; shift; "
             'exec ' + trainer + ' "$@" --lap-ms 24 --init-ms 60 --validation 100 --validation-ms 40')
    learning = ("case $3 in 32) a=0.5,0.8,0.93,0.93,0.93;; *) a=0.4,0.6,0.7,0.8,0.8,0.8;; esac; shift; "
                'exec ' + trainer + ' "$@" --lap-ms 24 --init-ms 60 --accuracy $a')
    runs = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        common = ["--batch", "{batch}", "--train", "640", "--epochs", "20"]
        first = sweep(folder, "a.db", "--find-epochs", "--patience", "2",
                      program=["sh", "-c", learning, "sh", "--marker", *common])
        second = sweep(folder, "b.db", program=["sh", "-c", shell, "sh", "--marker", *common])
        for number, some in ((1, first), (2, second)):
            some.sort(key=lambda run: run["started_at"])
            runs += [made_anonymous(run, len(runs) + i + 1, number) for i, run in enumerate(some)]
    GOLDEN.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(run, separators=(",", ":")) for run in runs]
    (GOLDEN / "runs.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
