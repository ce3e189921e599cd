# Measures what a sweep over 8 machines that it rents takes and costs beyond their boots and probes, over
# the fake cloud of the stories, with a program that sleeps. Goals: at most 1.15 times the slowest boot and
# its probe, at most 3 s from the first login to the first lap, and at most 1.1 times the money of boots
# and probes by the second.
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

from common import ROOT, print_figure

sys.path.insert(0, str(ROOT / "tests" / "stories"))
from rented import FakeCloud, fakecloud
from conftest import enter_own_network

build = pathlib.Path(sys.argv[1]).resolve()
MACHINES, LAPS, LAP = 8, 40, 0.25
PROGRAM = ('i=0; while [ $i -lt 1000 ]; do sleep %s; "$1" lap iteration 1; '
           '[ -e "$STAMP" ] || date +%%s.%%N >"$STAMP"; i=$((i + 1)); done') % LAP

reason = fakecloud.why_not()
if reason:
    raise SystemExit(f"rent-sweep: {reason}")
enter_own_network()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "work").mkdir()
    (folder / "work/train.sh").write_text(PROGRAM)
    adapters = folder / "home/.config/lapcast/rent"
    adapters.mkdir(parents=True)
    (adapters / "lapcast-rent-fakecloud").symlink_to(ROOT / "tests/fakecloud/lapcast-rent-fakecloud")
    cloud = FakeCloud(folder).start(offers=[
        {"type": f"t{i}", "price": 0.36, "boot": 1 + 3 * i / (MACHINES - 1), "zones": ["north-a"]}
        for i in range(MACHINES)])
    environment = os.environ | {"HOME": str(folder / "home"), "LAPCAST_STORE": str(folder / "runs.db"),
                                "FAKECLOUD": str(cloud.root), "XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": "",
                                "LAPCAST_LOAD_SAMPLES": "off"}
    try:
        fleet = f'[rent]\nmax_time = "5m"\nat_once = {MACHINES}\n' + "".join(
            f'[[machine]]\nname = "m{i}"\nprice = "0.36"\n[machine.environment]\nSTAMP = "{folder}/stamp-m{i}"\n'
            f'[machine.rent]\nby = "fakecloud"\ntype = "t{i}"\n' for i in range(MACHINES))
        (folder / "rent.toml").write_text(fleet)
        begin = time.monotonic()
        swept = subprocess.run(
            [build / "lapcast", "sweep", folder / "rent.toml", "--search-budget", "5USD", "--json", "--precision",
             "0.0001%", "--max-laps", str(LAPS), "--", "sh", "train.sh", build / "lapcast"],
            cwd=folder / "work", env=environment, check=True, stdout=subprocess.PIPE).stdout
        took = time.monotonic() - begin
        cost = cloud.bill()["cost"]
        [ledger] = (folder / "home").rglob("leases.db")
        with sqlite3.connect(ledger) as file:
            leases = [json.loads(text) for text, in file.execute("SELECT record FROM leases")]
    finally:
        cloud.stop()
    rows = json.loads(swept)["rentals"]
    stamps = {f"m{i}": float((folder / f"stamp-m{i}").read_text()) for i in range(MACHINES)}
    reached = {lease["order"]["name"]: lease["reachable_ns"] / 1e9 for lease in leases}

slowest = max(row["boot_s"] + row["measuring_s"] for row in rows)
first_lap = max(stamps[name] - reached[name] - LAP for name in stamps)
least = sum(0.36 / 3600 * (row["boot_s"] + row["measuring_s"]) for row in rows)
goals = [took / slowest <= 1.15, first_lap <= 3, cost / least <= 1.1]
print(f"{MACHINES} machines in {took:.1f} s; the slowest boot and its probe took {slowest:.1f} s")
print(f"from the first login to the first lap, without the lap: {first_lap:.2f} s at most")
print(f"billed {cost:.6f} USD, boots and probes by the second are {least:.6f} USD: {cost / least:.3f} times")
print(f"{sum(goals)} of 3 goals are met")
print_figure("rent-sweep", took / slowest, "times the slowest boot and probe")
